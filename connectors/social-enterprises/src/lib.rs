//! The registered social enterprises (Act 112/2018), of a list that the operator supplies: who was granted the status by
//! the ministry of labour, and from whom it was taken.
//!
//! No list for programs is known, so its form is assumed and every column is a setting ([`columns`]). A row becomes a
//! record ([`enterprise`]), the records of a company its section ([`section`]).
//! Invariant: nobody is without the status unless a whole list said so.

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

/// The records of a list and what is to be noted of it, with the settings that hold.
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
