//! The registration of employers with a bracket of their employees, from a list that the operator supplies.
//!
//! No public register with numbers of employees is known. So the format of the list is an assumption, and every column
//! is a setting ([`columns`]). A row becomes a record ([`employer`]) that stores a bracket ([`bracket`]) and no exact
//! number. The records of a company become its section ([`section`]).
//! Invariant: a company counts as no employer only if a whole list was read.

pub mod bracket;
pub mod columns;
pub mod employer;
pub mod section;

use lustra_sdk::{
    Enrichment, Failure, ImportRun, Importer, Item, Notes, Section, Subject, failure, listed,
};

use columns::Columns;

pub const DATASET: &str = "employers";

pub struct Employers;

lustra_sdk::export!(Employers: Enrichment, Importer);

impl Enrichment for Employers {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        match scope {
            "employer_headcount" => section::section(&subject),
            _ => Err(failure::not_offered(&format!("the scope {scope}"))),
        }
    }
}

impl Importer for Employers {
    fn open(dataset: &str, cursor: Option<String>) -> Result<Box<dyn ImportRun>, Failure> {
        match dataset {
            DATASET => {
                let columns = Columns::of_settings()?;
                listed::open(&columns.wanted(), cursor.as_deref(), employer::read)
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
    listed::read(list, &Columns::of_settings()?.wanted(), employer::read)
}
