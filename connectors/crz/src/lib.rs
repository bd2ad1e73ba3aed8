//! CRZ, the register of contracts of public bodies: what a company has sold to them.
//!
//! The register publishes one file per day with the contracts that changed on it. The import ([`import`]) reads
//! day after day; a later file overwrites the earlier version of a contract ([`contract`]). The section
//! ([`section`]) is built from imported contracts only. Invariant: an unreadable day stops the import, so the
//! section counts everything that was published between its `since` and its `until`.

pub mod calendar;
pub mod contract;
pub mod cursor;
pub mod export;
pub mod import;
pub mod mend;
pub mod section;
pub mod settings;

use lustra_sdk::{Enrichment, Failure, ImportRun, Importer, Section, Subject, failure};

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
