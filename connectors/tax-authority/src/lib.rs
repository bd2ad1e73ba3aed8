//! The tax authority (Finančná správa) and VIES: numbers, VAT registration, reliability and published accounts.
//!
//! The lists come as whole files ([`lists`]); the sections ([`sections`]) are made from the imported records, and
//! only `tax` asks anybody while a client waits: VIES, and the authority's own API where VAT payers were never
//! imported and the operator has a key.
//! Invariant: a list that was not read is named as unread, never taken for *not on the list*.

pub mod api;
pub mod banks;
pub mod lists;
pub mod sections;
pub mod settings;
pub mod vies;

use lustra_sdk::{Enrichment, Failure, ImportRun, Importer, Section, Subject, failure};

use lists::Dataset;
use lustra_sdk::tax_lists::{ListSettings, archive};

/// The connector.
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
