//! The registered social enterprises (Act 112/2018), from a list that the operator supplies: to whom the ministry of
//! labour granted the status, and from whom it took the status away.
//!
//! No machine-readable list is known. So the list's format is an assumption, and every column is a setting
//! ([`columns`]). A row becomes a record ([`enterprise`]), the records of a company its section ([`section`]).
//! Invariant: a company counts as without the status only if a whole list was read.

pub mod columns;
pub mod enterprise;
pub mod section;

use lustra_sdk::{
    Enrichment, Failure, ImportRun, Importer, Item, Notes, Section, Subject, failure, listed,
};

use columns::Columns;

pub const DATASET: &str = "enterprises";

pub struct SocialEnterprises;

lustra_sdk::export!(SocialEnterprises: Enrichment, Importer);

impl Enrichment for SocialEnterprises {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        match scope {
            "social_enterprise" => section::section(&subject),
            _ => Err(failure::not_offered(&format!("the scope {scope}"))),
        }
    }
}

impl Importer for SocialEnterprises {
    fn open(dataset: &str, cursor: Option<String>) -> Result<Box<dyn ImportRun>, Failure> {
        match dataset {
            DATASET => {
                let columns = Columns::of_settings()?;
                listed::open(&columns.wanted(), cursor.as_deref(), enterprise::reader()?)
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
    listed::read(
        list,
        &Columns::of_settings()?.wanted(),
        enterprise::reader()?,
    )
}
