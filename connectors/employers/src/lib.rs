//! The registration of employers with about how many people they employ, of a list that the operator supplies.
//!
//! No public register with numbers of employees is known, so the form of the list is assumed and every column is a
//! setting ([`columns`]). A row becomes a record ([`employer`]) that keeps a bracket ([`bracket`]) and no number; the
//! records of a company become its section ([`section`]).
//! Invariant: nobody is no employer unless a whole list said so.

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

/// The records of a list and what is to be noted of it, with the settings that hold.
///
/// # Errors
/// As [`listed::read`].
pub fn read(list: &[u8]) -> Result<(Vec<Item>, Notes), Failure> {
    listed::read(list, &Columns::of_settings()?.wanted(), employer::read)
}
