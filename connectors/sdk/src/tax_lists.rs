//! The lists that the tax authority (Finančná správa) publishes: archives, each with one XML file of flat rows.
//!
//! Which columns a list has and what its rows become is a connector's ([`ListKind`]); how a list is fetched
//! ([`archive`]), read row by row ([`Cells`]) and given in batches ([`ListRun`]) is the same for all of them.

pub mod archive;
mod cells;
mod run;
mod settings;

use serde::Serialize;

use crate::{Failure, to_json};

pub use cells::{Cells, Columns};
pub use run::ListRun;
pub use settings::{ListSettings, api_key};

/// A list that a connector imports.
pub trait ListKind: Copy + 'static {
    /// The dataset in the manifest, and the list's name in the setting `lists`.
    fn id(self) -> &'static str;

    /// The authority's name of the file; empty for a list whose name is not known beforehand.
    fn slug(self) -> &'static str;

    /// Which fact is in which of the authority's columns.
    fn columns(self) -> &'static [(&'static str, &'static str)];

    /// The facts that some row of a list must have. Without them every company would seem not to be on the list.
    fn mandatory(self) -> &'static [&'static str];

    /// Reads one row; `None` for one that cannot be used, which is counted in the cells' notes.
    ///
    /// # Errors
    /// As [`Entry::new`].
    fn entry(self, cells: &mut Cells<'_>) -> Result<Option<Entry>, Failure>;
}

/// One usable row of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The number that the list is kept by; the record's key where it is unique.
    pub number: String,
    /// What tells rows of one number apart, so that a key does not depend on the list's order alone.
    pub distinct: [Option<String>; 2],
    /// The company, where the row names it.
    pub ico: Option<String>,
    /// The record as JSON text.
    pub content: String,
}

impl Entry {
    /// A row with its content.
    ///
    /// # Errors
    /// None in fact: texts and numbers are always JSON.
    pub fn new(
        number: String,
        distinct: [Option<String>; 2],
        ico: Option<String>,
        content: &impl Serialize,
    ) -> Result<Self, Failure> {
        Ok(Self {
            number,
            distinct,
            ico,
            content: to_json(content)?,
        })
    }

    /// The keys it may have, the plainest first: a later row of the same number takes the next one that is free.
    /// None free: the row repeats an earlier one.
    pub fn keys(&self) -> impl Iterator<Item = String> {
        let mut key = self.number.clone();
        let longer: Vec<String> = self
            .distinct
            .iter()
            .flatten()
            .map(|part| {
                key = format!("{key}#{part}");
                key.clone()
            })
            .collect();
        std::iter::once(self.number.clone()).chain(longer)
    }
}
