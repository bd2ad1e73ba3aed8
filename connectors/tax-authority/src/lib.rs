//! The tax authority (Finančná správa) and VIES: tax numbers, VAT registration, reliability and published
//! accounts.
//!
//! The lists are imported as whole files ([`lists`]). The sections ([`sections`]) are built from imported
//! records. Only `tax` makes requests while a client waits: to VIES, and to the authority's own API if the VAT
//! payers were never imported and the operator has a key. Invariant: an unread list is reported as unread,
//! never as *not on the list*.

pub mod api;
pub mod banks;
pub mod lists;
pub mod sections;
pub mod settings;
pub mod vies;

use lustra_sdk::{Enrichment, Failure, ImportRun, Importer, Section, Subject, failure};

use lists::Dataset;
use lustra_sdk::tax_lists::{ListSettings, archive};

pub struct TaxAuthority;

lustra_sdk::export!(TaxAuthority: Enrichment, Importer);

impl Enrichment for TaxAuthority {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        match scope {
            "tax" => sections::tax::section(&subject),
            "tax_reliability" => sections::tax_reliability::section(&subject),
            "erased_vat" => sections::erased_vat::section(&subject),
            "bank_accounts" => sections::bank_accounts::section(&subject),
            _ => Err(failure::not_offered(&format!("the scope {scope}"))),
        }
    }
}

impl Importer for TaxAuthority {
    fn open(dataset: &str, cursor: Option<String>) -> Result<Box<dyn ImportRun>, Failure> {
        let Some(dataset) = Dataset::of(dataset) else {
            return Err(failure::not_offered(&format!("the dataset {dataset}")));
        };
        archive::open(dataset, ListSettings::of(dataset)?, cursor.as_deref())
    }
}
