//! The licences of private security services (Act 473/2005), from a list that the operator supplies: guarding,
//! investigating and advising with the permission of the police.
//!
//! No machine-readable list is published. So the list's format is an assumption, and every column is a setting
//! ([`columns`]). A row becomes a record ([`licence`]), the records of a company its section ([`section`]).
//! Invariant: a company counts as without a licence only if a whole list was read.

pub mod columns;
pub mod kinds;
pub mod licence;
pub mod section;

use lustra_sdk::{
    Enrichment, Failure, ImportRun, Importer, Item, Notes, Section, Subject, failure, listed,
};

use columns::Columns;

pub const DATASET: &str = "licences";

pub struct SecurityLicences;

lustra_sdk::export!(SecurityLicences: Enrichment, Importer);

impl Enrichment for SecurityLicences {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        match scope {
            "sbs" => section::section(&subject),
            _ => Err(failure::not_offered(&format!("the scope {scope}"))),
        }
    }
}

impl Importer for SecurityLicences {
    fn open(dataset: &str, cursor: Option<String>) -> Result<Box<dyn ImportRun>, Failure> {
        match dataset {
            DATASET => {
                let columns = Columns::of_settings()?;
                listed::open(&columns.wanted(), cursor.as_deref(), licence::reader()?)
            }
            _ => Err(failure::not_offered(&format!("the dataset {dataset}"))),
        }
    }
}

/// Reads the records of a list and its notes, with the current settings.
///
/// # Errors
/// As [`listed::read`].
pub fn read(list: &[u8]) -> Result<(Vec<Item>, Notes), Failure> {
    listed::read(list, &Columns::of_settings()?.wanted(), licence::reader()?)
}
