//! Sanctions lists of the Union and of the United States: entries that may denote a company.
//!
//! The lists are imported as a whole ([`eu`], [`ofac`], [`import`]), with buckets of words that find entries
//! ([`index`]). The section ([`section`]) finds entries with words like the company's ([`search`]) and compares them
//! ([`matching`]). No request is sent while a client waits.
//! Invariant: a hit is a candidate for review. No list identifies companies by a dependable number.

pub mod dataset;
pub mod entry;
pub mod eu;
pub mod import;
pub mod index;
pub mod list;
pub mod matching;
pub mod ofac;
pub mod search;
pub mod section;
pub mod settings;

use lustra_sdk::{Enrichment, Failure, ImportRun, Importer, Section, Subject, failure};

use dataset::Dataset;

pub struct Sanctions;

lustra_sdk::export!(Sanctions: Enrichment, Importer);

impl Enrichment for Sanctions {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        match scope {
            "sanctions" => section::section(&subject),
            _ => Err(failure::not_offered(&format!("the scope {scope}"))),
        }
    }
}

impl Importer for Sanctions {
    fn open(dataset: &str, cursor: Option<String>) -> Result<Box<dyn ImportRun>, Failure> {
        let Some(dataset) = Dataset::of(dataset) else {
            return Err(failure::not_offered(&format!("the dataset {dataset}")));
        };
        import::open(dataset, cursor.as_deref())
    }
}
