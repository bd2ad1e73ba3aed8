//! The commercial bulletin (Obchodný vestník), as a public mirror of it gives the notices in their original XML.
//!
//! [`feed`] reads the mirror's pages, [`notice`] reads one notice by the tables of [`forms`] and [`layouts`],
//! [`import`] makes records of them, and [`section`] makes the section of a company from its records; nobody is asked
//! while a client waits.
//! Invariants: a company is known by the element that holds its IČO, never by running text; a notice that cannot be
//! read is stored as such; as long as the bulletin was not read to its end, the section says so.

pub mod calendar;
pub mod cursor;
pub mod feed;
pub mod forms;
pub mod gather;
pub mod import;
pub mod layouts;
pub mod notice;
pub mod record;
pub mod section;
pub mod settings;

use lustra_sdk::{Enrichment, Failure, ImportRun, Importer, Section, Subject, failure};

/// The only dataset.
pub const DATASET: &str = "notices";

/// The only scope.
const SCOPE: &str = "commercial_bulletin";

/// The connector.
pub struct CommercialBulletin;

lustra_sdk::export!(CommercialBulletin: Enrichment, Importer);

impl Enrichment for CommercialBulletin {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        if scope == SCOPE {
            section::section(&subject.ico)
        } else {
            Err(failure::not_offered(&format!("the scope {scope}")))
        }
    }
}

impl Importer for CommercialBulletin {
    fn open(dataset: &str, cursor: Option<String>) -> Result<Box<dyn ImportRun>, Failure> {
        if dataset == DATASET {
            Ok(Box::new(import::Run::open(cursor.as_deref())?))
        } else {
            Err(failure::not_offered(&format!("the dataset {dataset}")))
        }
    }
}
