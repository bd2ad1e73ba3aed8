//! Permits and confirmations of the office for regulation (ÚRSO) to produce, distribute and sell electricity, gas, heat
//! and water, from a list that the operator supplies.
//!
//! No machine-readable list is published. So the list's format is an assumption, and every column is a setting
//! ([`columns`]). A row becomes a record ([`permit`]) with its segment ([`segment`]), the records of a company its
//! section ([`section`]).
//! Invariant: a company counts as without a permit only if a whole list was read, and the segment of a permit is never
//! guessed.

pub mod columns;
pub mod permit;
pub mod section;
pub mod segment;

use lustra_sdk::{
    Enrichment, Failure, ImportRun, Importer, Item, Notes, Section, Subject, failure, listed,
};

use columns::Columns;

pub const DATASET: &str = "licences";

pub struct UtilityLicences;

lustra_sdk::export!(UtilityLicences: Enrichment, Importer);

impl Enrichment for UtilityLicences {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        match scope {
            "utility_licence" => section::section(&subject),
            _ => Err(failure::not_offered(&format!("the scope {scope}"))),
        }
    }
}

impl Importer for UtilityLicences {
    fn open(dataset: &str, cursor: Option<String>) -> Result<Box<dyn ImportRun>, Failure> {
        match dataset {
            DATASET => {
                let columns = Columns::of_settings()?;
                listed::open(&columns.wanted(), cursor.as_deref(), permit::reader()?)
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
    listed::read(list, &Columns::of_settings()?.wanted(), permit::reader()?)
}
