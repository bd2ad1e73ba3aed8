//! What the tables of the mirror differ in: their members, and what a row says of which companies.

use lustra_sdk::Failure;
use serde::de::DeserializeOwned;

use crate::feed::{Issued, Row};
use crate::record::{Entry, Unreadable};

/// A table of the mirror, by the members that its rows have beside those of every table.
pub trait Table: DeserializeOwned + 'static {
    /// The dataset that is made of it.
    const DATASET: &'static str;
    /// Its path below the upstream.
    const PATH: &'static str;
    /// Its own members that must be there, in words.
    const MEMBERS: &'static str;
    /// The members of which many rows in a row that say nothing are another form.
    const TELLING: &'static str;

    /// Reads a row.
    ///
    /// # Errors
    /// What the host refused; a row that cannot be read is [`Said::Unreadable`].
    fn read(row: &Row<Self>, issued: Option<Issued>) -> Result<Reading, Failure>;
}

/// What was read of a row.
#[derive(Debug)]
pub struct Reading {
    /// What it says.
    pub said: Said,
    /// What to count, for the notes of the batch.
    pub notes: Vec<(&'static str, u64)>,
}

/// What a row says.
#[derive(Debug)]
pub enum Said {
    /// It is no notice of this dataset.
    Nothing,
    /// The companies that it is about, each once; none where it names nobody.
    About(Vec<(String, Entry)>),
    /// It has something else where an IČO belongs, and nobody's.
    Odd,
    /// It cannot be read, and may be about anybody.
    Unreadable(Unreadable),
}
