//! The travel agencies and their protection against insolvency (Act 170/2018), from a list of the trade inspection that
//! the operator supplies.
//!
//! No machine-readable list is known. So the list's format is an assumption, and every column is a setting
//! ([`columns`]). A row becomes a record ([`agency`]), the records of a company its section ([`section`]).
//! Invariant: a company counts as no agency only if a whole list was read, and an expired contract is not a ban.

pub mod agency;
pub mod bans;
pub mod columns;
pub mod section;

use lustra_sdk::{
    Enrichment, Failure, ImportRun, Importer, Item, Notes, Section, Subject, failure, listed,
};

use columns::Columns;

pub const DATASET: &str = "agencies";

pub struct TravelAgencies;

lustra_sdk::export!(TravelAgencies: Enrichment, Importer);

impl Enrichment for TravelAgencies {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        match scope {
            "soi_travel_agency" => section::section(&subject),
            _ => Err(failure::not_offered(&format!("the scope {scope}"))),
        }
    }
}

impl Importer for TravelAgencies {
    fn open(dataset: &str, cursor: Option<String>) -> Result<Box<dyn ImportRun>, Failure> {
        match dataset {
            DATASET => {
                let columns = Columns::of_settings()?;
                listed::open(&columns.wanted(), cursor.as_deref(), agency::reader()?)
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
    listed::read(list, &Columns::of_settings()?.wanted(), agency::reader()?)
}
