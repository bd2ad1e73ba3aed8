//! A list that was read: its entries and what it says of itself.

use lustra_sdk::{Failure, Notes, malformed};

use crate::entry::Entry;

/// A whole list.
#[derive(Debug, Default)]
pub struct List {
    /// What is listed.
    pub entries: Vec<Entry>,
    /// When it was made, `YYYY-MM-DD`.
    pub date: Option<String>,
    /// What was passed over or doubtful.
    pub notes: Notes,
}

impl List {
    /// A list in which every entry has its own id; nothing is listed nowhere.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for a list without an entry, or with two of one id that are not the same.
    pub fn checked(mut self, what: &str) -> Result<Self, Failure> {
        if self.entries.is_empty() {
            return Err(malformed(what, "entries", "none"));
        }
        self.entries.sort_by(|a, b| a.id.cmp(&b.id));
        let before = self.entries.len();
        self.entries.dedup();
        self.notes
            .count_many("repeated", (before - self.entries.len()) as u64);
        if let Some([one, _]) = self
            .entries
            .array_windows()
            .find(|[one, next]| one.id == next.id)
        {
            return Err(malformed(what, "one entry of each id", &one.id));
        }
        Ok(self)
    }
}
