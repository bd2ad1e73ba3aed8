//! The differences between the mirror's tables: their members, and the notices in their rows.

use lustra_sdk::Failure;
use serde::de::DeserializeOwned;

use crate::record::{Entry, Unreadable};
use crate::row::{Issued, Row};

/// A table of the mirror, defined by the members that are specific to its rows.
pub trait Table: DeserializeOwned + 'static {
    /// The dataset built from it.
    const DATASET: &'static str;
    /// Its path below the upstream.
    const PATH: &'static str;
    /// Its required members, in words.
    const MEMBERS: &'static str;
    /// The members to name in the failure if many consecutive rows contain nothing in them.
    const TELLING: &'static str;

    /// Reads a row.
    ///
    /// # Errors
    /// The host's refusal. An unreadable row is [`Said::Unreadable`].
    fn read(row: &Row<Self>, issued: Option<Issued>) -> Result<Reading, Failure>;
}

/// The result of reading a row.
#[derive(Debug)]
pub struct Reading {
    pub said: Said,
    /// Counts for the notes of the batch.
    pub notes: Vec<(&'static str, u64)>,
}

/// The content of a row.
#[derive(Debug)]
pub enum Said {
    /// Not a notice of this dataset.
    Nothing,
    /// The companies it names, each once; empty if it names none.
    About(Vec<(String, Entry)>),
    /// An invalid IČO and no valid one.
    Odd,
    /// Unreadable; it may be about any company.
    Unreadable(Unreadable),
}
