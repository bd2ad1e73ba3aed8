//! Ten lists of the tax authority (Finančná správa) in one section: VAT, income tax, accounts, reliefs, regulated
//! entities.
//!
//! Each list is a dataset of its own ([`dataset`], its rows in [`lists`]). The slugs of some lists are not known; the
//! connector finds them in the authority's list of lists ([`catalogue`]). The section ([`section`]) uses the imported
//! records alone.
//! Invariant: a list that was not read is null in the section and named as unread, never empty.

pub mod catalogue;
pub mod dataset;
pub mod import;
pub mod lists;
mod rows;
pub mod section;
pub mod settings;

use lustra_sdk::{Enrichment, Failure, ImportRun, Importer, Section, Subject, failure};

use dataset::Dataset;

pub struct TaxLists;

lustra_sdk::export!(TaxLists: Enrichment, Importer);

impl Enrichment for TaxLists {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        match scope {
            "fs_imports" => section::section(&subject),
            _ => Err(failure::not_offered(&format!("the scope {scope}"))),
        }
    }
}

impl Importer for TaxLists {
    fn open(dataset: &str, cursor: Option<String>) -> Result<Box<dyn ImportRun>, Failure> {
        let Some(dataset) = Dataset::of(dataset) else {
            return Err(failure::not_offered(&format!("the dataset {dataset}")));
        };
        import::open(dataset, cursor.as_deref())
    }
}
