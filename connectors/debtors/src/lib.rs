//! The connector of the debtor lists: social insurer, three health insurers, tax authority.
//!
//! Each list has a file that reads only its format. [`import`] passes the entries to the host. [`section`] builds
//! `debtor_status` from the imported records, and from one live page if the operator has no list of that insurer.
//! Invariant: a list that could not be read is named in `unread` and never counts as *not listed*.

pub mod debt;
pub mod import;
pub mod operator_list;
pub mod portal;
pub mod section;
pub mod settings;
mod since;
pub mod social_insurer;
pub mod tax_list;
pub mod tax_match;
pub mod union_api;
pub mod vszp_page;

use lustra_sdk::{Enrichment, Failure, ImportRun, Importer, Section, Subject, failure};

pub struct Debtors;

impl Importer for Debtors {
    fn open(dataset: &str, cursor: Option<String>) -> Result<Box<dyn ImportRun>, Failure> {
        import::open(dataset, cursor.as_deref())
    }
}

impl Enrichment for Debtors {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        match scope {
            "debtor_status" => section::debtor_status(&subject),
            _ => Err(failure::not_offered(scope)),
        }
    }
}

lustra_sdk::export!(Debtors: Importer, Enrichment);
