//! A list that was read: its entries and its own data.
//!
//! An entry that cannot be stored is skipped and counted by its reason, so that one odd entry does not fail the list. A
//! list with too many odd entries is refused: its format has changed.

use lustra_sdk::{Failure, Notes, malformed};

use crate::entry::Entry;

/// Why an entry cannot be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Odd {
    /// It has no number of any kind.
    WithoutNumber,
    /// The entry's type is missing or unknown.
    UnknownType,
    /// It has no name.
    WithoutName,
}

impl Odd {
    const ALL: [Self; 3] = [Self::WithoutNumber, Self::UnknownType, Self::WithoutName];

    /// The name of the note that counts this reason.
    #[must_use]
    pub fn note(self) -> &'static str {
        match self {
            Self::WithoutNumber => "without_number",
            Self::UnknownType => "unknown_type",
            Self::WithoutName => "without_name",
        }
    }
}

#[derive(Debug, Default)]
pub struct List {
    pub entries: Vec<Entry>,
    /// The day on which the list was made, `YYYY-MM-DD`.
    pub date: Option<String>,
    /// Counts of skipped and doubtful entries.
    pub notes: Notes,
}

impl List {
    /// Stores an entry, or counts the reason why not.
    pub fn take(&mut self, read: Result<Entry, Odd>) {
        match read {
            Ok(entry) => self.entries.push(entry),
            Err(odd) => self.notes.count(odd.note()),
        }
    }

    /// The list with unique keys. Repeated entries are stored once; different entries with the same key are all stored.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for a list without an entry, or with more than one odd entry if their share exceeds
    /// `max_odd_share` (0 to 1).
    pub fn checked(mut self, what: &str, max_odd_share: f64) -> Result<Self, Failure> {
        let odd: u64 = Odd::ALL.iter().map(|odd| self.notes.of(odd.note())).sum();
        let all = self.entries.len() as u64 + odd;
        if self.entries.is_empty() {
            return Err(malformed(what, "entries", self.found(odd)));
        }
        if odd > 1 && share(odd, all) > max_odd_share {
            let expected =
                format!("at most a share of {max_odd_share} odd entries (setting max_odd_share)");
            let found = format!("{} of {all}", self.found(odd));
            return Err(malformed(what, expected, found));
        }
        self.entries.sort_by(|a, b| a.order().cmp(&b.order()));
        let before = self.entries.len();
        self.entries.dedup();
        self.notes
            .count_many("repeated", (before - self.entries.len()) as u64);
        self.number_shared_keys();
        Ok(self)
    }

    /// The skipped entries, in words.
    fn found(&self, odd: u64) -> String {
        let reasons = Odd::ALL.iter().map(|odd| odd.note());
        let reasons: Vec<String> = reasons
            .filter(|note| self.notes.of(note) > 0)
            .map(|note| format!("{note} {}", self.notes.of(note)))
            .collect();
        match odd {
            0 => "none".to_owned(),
            _ => reasons.join(", "),
        }
    }

    /// Counts ids that several entries share, and gives each entry a unique key. Entries with the same key are sorted
    /// by content, so the keys do not depend on the order of the list.
    fn number_shared_keys(&mut self) {
        let mut ids = std::collections::HashMap::<&str, u64>::new();
        for entry in &self.entries {
            *ids.entry(&entry.id).or_default() += 1;
        }
        let shared = ids.values().filter(|count| **count > 1).sum();
        self.notes.count_many("shared_number", shared);
        let mut before: Option<(String, u32)> = None;
        for entry in &mut self.entries {
            let key = entry.key().to_owned();
            let place = match before {
                Some((known, place)) if known == key => place + 1,
                Some(_) | None => 1,
            };
            if place > 1 {
                entry.number = Some(format!("{key}~{place}"));
            }
            before = Some((key, place));
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a list has far fewer than 2^53 entries"
)]
fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}
