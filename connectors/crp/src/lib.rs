//! CRP, the central register of projects: aid from public funds, and its recipients.
//!
//! The register has only pages for people and no search by the recipient's number. So the connector imports all
//! projects: the list from its newest page on ([`list`]), and the page of each project once ([`detail`], by its
//! labels). [`import`] spreads the work over many runs with a [`cursor`], and stores
//! the pages that it could not read ([`odd`]). [`section`] uses the imported records alone.
//! Invariant: a section says back to which day projects were read, and a page of another shape is refused.

pub mod cursor;
pub mod detail;
pub mod import;
pub mod link;
pub mod list;
mod names;
pub mod odd;
pub mod project;
pub mod section;
pub mod settings;
mod site;

use lustra_sdk::{Enrichment, Failure, ImportRun, Importer, Section, Subject, failure};

pub use names::{DATASET, UPSTREAM};

pub struct Crp;

lustra_sdk::export!(Crp: Enrichment, Importer);

impl Enrichment for Crp {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        match scope {
            "crp_projects" => section::section(&subject),
            _ => Err(failure::not_offered(&format!("the scope {scope}"))),
        }
    }
}

impl Importer for Crp {
    fn open(dataset: &str, cursor: Option<String>) -> Result<Box<dyn ImportRun>, Failure> {
        if dataset != DATASET {
            return Err(failure::not_offered(&format!("the dataset {dataset}")));
        }
        import::open(cursor.as_deref())
    }
}
