//! What an import counts for the operator: things of a notice that could not be used, and why.

use std::collections::BTreeMap;

use lustra_sdk::Field;

/// Counts by their names, which the README explains.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Notes(BTreeMap<&'static str, u64>);

impl Notes {
    /// Counts one.
    pub fn count(&mut self, name: &'static str) {
        self.count_many(name, 1);
    }

    /// Counts several; none leaves no note.
    pub fn count_many(&mut self, name: &'static str, count: u64) {
        if count > 0 {
            *self.0.entry(name).or_default() += count;
        }
    }

    /// How often something was counted.
    #[must_use]
    pub fn of(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or_default()
    }

    /// As a batch carries them.
    #[must_use]
    pub fn fields(&self) -> Vec<Field> {
        self.0
            .iter()
            .map(|(name, count)| Field {
                name: (*name).to_owned(),
                value: count.to_string(),
            })
            .collect()
    }
}
