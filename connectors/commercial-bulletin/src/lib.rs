//! The commercial bulletin (Obchodný vestník), from a public mirror that offers the notices in their original XML.
//!
//! [`feed`] reads the mirror's pages of [`row`]s, and [`table`] describes the differences between its tables. [`files`]
//! holds the notices in XML; [`notice`] reads each with the tables of [`forms`] and [`layouts`]. [`entries`] holds the
//! entries of the commercial register, which the mirror parsed. [`import`] stores the records of both, and [`section`]
//! builds a company's section from them. No request is sent while a client waits.
//! Invariants: a company is identified by the element or member with its IČO, never by running text; a notice that
//! cannot be read is stored as such; no notice is in both datasets; until a dataset was read to its end, the section
//! says so.

pub mod calendar;
pub mod cursor;
mod datasets;
pub mod entries;
pub mod feed;
pub mod files;
pub mod forms;
pub mod gather;
pub mod import;
pub mod layouts;
pub mod notice;
pub mod record;
pub mod row;
pub mod section;
pub mod settings;
pub mod table;

use lustra_sdk::{Enrichment, Failure, ImportRun, Importer, Section, Subject, failure};

use entries::RegisterEntry;
use files::File;
use import::Run;
use table::Table;

const SCOPE: &str = "commercial_bulletin";

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
        let cursor = cursor.as_deref();
        match dataset {
            File::DATASET => Ok(Box::new(Run::<File>::open(cursor)?)),
            RegisterEntry::DATASET => Ok(Box::new(Run::<RegisterEntry>::open(cursor)?)),
            _ => Err(failure::not_offered(&format!("the dataset {dataset}"))),
        }
    }
}
