//! The lists that the tax authority (Finančná správa) publishes: archives, each with one XML file
//! of flat rows.
//!
//! A connector defines the columns of a list and its records ([`ListKind`]). Fetching a list
//! ([`archive`]), reading its rows ([`Cells`]) and returning batches ([`ListRun`]) is the same
//! for all lists.

pub mod archive;
mod cells;
mod run;
mod settings;

use serde::Serialize;

use crate::{Failure, to_json};

pub use cells::{Cells, Columns};
pub use run::ListRun;
#[cfg(not(target_family = "wasm"))]
pub use settings::declared;
pub use settings::{ListSettings, api_key};

/// A list that a connector imports.
pub trait ListKind: Copy + 'static {
    /// The dataset in the manifest, and the list's key in the setting `lists`.
    fn id(self) -> &'static str;

    /// The authority's name of the file. Empty for a list whose file name is not known in
    /// advance.
    fn slug(self) -> &'static str;

    /// Pairs of a fact and the authority's column that contains it.
    fn columns(self) -> &'static [(&'static str, &'static str)];

    /// The facts that at least one row of a list must have. Without them every company would seem
    /// not to be listed.
    fn mandatory(self) -> &'static [&'static str];

    /// Reads one row. `None` for an unusable row, which is counted in the notes of the cells.
    ///
    /// # Errors
    /// As [`Entry::new`].
    fn entry(self, cells: &mut Cells<'_>) -> Result<Option<Entry>, Failure>;
}

/// One usable row of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The number that identifies the row in the list; the record's key if it is unique.
    pub number: String,
    /// Distinguishes rows with the same number, so that a key does not depend on the list's order
    /// alone.
    pub distinct: [Option<String>; 2],
    /// The company, if the row names one.
    pub ico: Option<String>,
    /// The record as JSON text.
    pub content: String,
}

impl Entry {
    /// A row with its content.
    ///
    /// # Errors
    /// Never: texts and numbers are always valid JSON.
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

    /// Candidate keys, the shortest first. A later row with the same number takes the next free
    /// one. If none is free, the row repeats an earlier one.
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
