//! What an import counts for the operator: things of a list that were passed over or doubtful.

use std::collections::BTreeMap;

use crate::Field;

/// Counts by their names, which a connector's README explains.
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

    /// Adds what others counted.
    pub fn add(&mut self, others: &Self) {
        for (name, count) in &others.0 {
            self.count_many(name, *count);
        }
    }

    /// How often something was counted.
    #[must_use]
    pub fn of(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or_default()
    }

    /// As a batch carries them, in the order of their names.
    #[must_use]
    pub fn fields(&self) -> Vec<Field> {
        let field = |(name, count): (&&str, &u64)| Field {
            name: (*name).to_owned(),
            value: count.to_string(),
        };
        self.0.iter().map(field).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_counted_is_a_note() {
        let (mut notes, mut others) = (Notes::default(), Notes::default());
        notes.count("rows");
        notes.count_many("none", 0);
        others.count_many("rows", 2);
        notes.add(&others);
        assert_eq!((notes.of("rows"), notes.of("none")), (3, 0));
        let fields = notes.fields();
        let fields: Vec<_> = fields
            .iter()
            .map(|note| (note.name.as_str(), note.value.as_str()))
            .collect();
        assert_eq!(fields, [("rows", "3")]);
    }
}
