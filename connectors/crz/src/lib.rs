//! CRZ, the register of contracts that public bodies conclude: what a company has sold to them.
//!
//! The register publishes one file for each day with the contracts that changed on it. The import ([`import`]) reads
//! day after day; a later file overwrites what an earlier one said of the same contract ([`contract`]). The section
//! ([`section`]) is made from the imported contracts alone.
//! Invariant: a day that could not be read stops the import, so what the section counts is all that was published
//! between its `since` and its `until`.

pub mod calendar;
pub mod contract;
pub mod cursor;
pub mod export;
pub mod import;
pub mod mend;
pub mod section;
pub mod settings;

use lustra_sdk::{Enrichment, Failure, ImportRun, Importer, Section, Subject, failure};

/// The connector.
pub struct Crz;

lustra_sdk::export!(Crz: Enrichment, Importer);

impl Enrichment for Crz {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        if scope == "public_contracts" {
            section::section(&subject)
        } else {
            Err(failure::not_offered(&format!("the scope {scope}")))
        }
    }
}

impl Importer for Crz {
    fn open(dataset: &str, cursor: Option<String>) -> Result<Box<dyn ImportRun>, Failure> {
        if dataset == import::DATASET {
            import::open(cursor.as_deref())
        } else {
            Err(failure::not_offered(&format!("the dataset {dataset}")))
        }
    }
}
