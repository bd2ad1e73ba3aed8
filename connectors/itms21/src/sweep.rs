//! The lists of a dataset, and what a run over them asks of their reader.

use std::collections::BTreeMap;

use lustra_sdk::serde_json::Value;
use lustra_sdk::{Failure, Item, Notes, records, runtime};
use serde::Serialize;

/// A batch ends when less wall time than this is left of the call: a request may wait 30 seconds for its answer.
const SPARE_MS: u64 = 35_000;
/// A list of the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    /// Path below the API's base.
    pub path: String,
    /// The members of a row with the companies that the row is about: each a subject, or a list of subjects.
    pub subjects: &'static [&'static str],
    /// What the keys of its records begin with.
    pub prefix: &'static str,
}

/// The lists of a dataset and what is stored of their rows.
pub trait Rows {
    /// The lists in the order in which they are read.
    fn lists(&self) -> Vec<List>;

    /// The records of a row of the list at an index: one for each company, with a key by [`key`]. Records may be added
    /// in several calls; the row is finished once a call returns [`Step::Done`].
    ///
    /// # Errors
    /// [`Failure::Malformed`] for an odd row; any other failure ends the run.
    fn records(
        &mut self,
        list: usize,
        row: &Value,
        time: Time,
        notes: &mut Notes,
    ) -> Result<Step, Failure>;

    /// Companies of an odd row that the row itself does not name.
    ///
    /// # Errors
    /// The host's refusal.
    fn others_of(&self, _id: u64) -> Result<Vec<String>, Failure> {
        Ok(Vec::new())
    }
}

/// How far a row was read.
#[derive(Debug)]
pub enum Step {
    /// These are the last records of the row.
    Done(Vec<Item>),
    /// The call's time is nearly used up: the next batch goes on with the row.
    More(Vec<Item>),
}

/// The wall time of one call.
#[derive(Debug, Clone, Copy)]
pub struct Time {
    spare_ms: u64,
}

impl Time {
    /// Starts at the beginning of a call. Of a short call, seven twelfths are kept free.
    #[must_use]
    pub fn begin() -> Self {
        let whole = runtime::left().wall_ms;
        Self {
            spare_ms: SPARE_MS.min(whole / 12 * 7),
        }
    }

    /// No time at all.
    #[cfg(test)]
    pub fn none() -> Self {
        Self { spare_ms: u64::MAX }
    }

    /// Whether the call's time is nearly used up.
    #[must_use]
    pub fn is_nearly_over(self) -> bool {
        runtime::left().wall_ms < self.spare_ms
    }
}

/// The key of the record of a row and a company. `prefix` is that of the list.
#[must_use]
pub fn key(prefix: &str, id: u64, ico: &str) -> String {
    format!("{}{ico}", keys_of(prefix, id))
}

/// What the keys of a row's records begin with.
#[must_use]
pub fn keys_of(prefix: &str, id: u64) -> String {
    format!("{prefix}{id:010}/")
}

/// The records of a row, one for each company. `roles` begins with the most distant ones: the last role of a company is
/// kept. `own` gives the row from the point of view of a role.
///
/// # Errors
/// A row that cannot be represented as JSON.
pub fn records_by_role<R: Copy, T: Serialize>(
    id: u64,
    roles: impl Iterator<Item = (String, R)>,
    own: impl Fn(R) -> T,
) -> Result<Vec<Item>, Failure> {
    let roles: BTreeMap<String, R> = roles.collect();
    let record =
        |(ico, role): (&String, &R)| records::item(key("", id, ico), Some(ico), &own(*role));
    roles.iter().map(record).collect()
}
