//! The licences of road transport operators (Act 56/2012), from a list that the operator supplies: permits, Community
//! licences and taxi concessions, and their numbers of vehicles.
//!
//! No machine-readable list is published. So the list's format is an assumption, and every column is a setting
//! ([`columns`]). A row becomes a record ([`licence`]), the records of a company its section ([`section`]). Transport
//! managers are never read.
//! Invariant: a company counts as without a licence only if a whole list was read.

pub mod columns;
pub mod licence;
pub mod section;

use lustra_sdk::{
    Enrichment, Failure, ImportRun, Importer, Item, Notes, Section, Subject, failure, listed,
};

use columns::Columns;

pub const DATASET: &str = "licences";

pub struct TransportLicences;

lustra_sdk::export!(TransportLicences: Enrichment, Importer);

impl Enrichment for TransportLicences {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        match scope {
            "transport_licence" => section::section(&subject),
            _ => Err(failure::not_offered(&format!("the scope {scope}"))),
        }
    }
}

impl Importer for TransportLicences {
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
