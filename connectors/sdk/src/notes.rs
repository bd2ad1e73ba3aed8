//! What an import counts for the operator: things of a list that were passed over or doubtful.

use std::collections::BTreeMap;

use crate::{Failure, Field, malformed, runtime, unread};

/// The setting with the share of odd rows that an import forgives, in percent.
pub(crate) const MAX_ODD_PERCENT: &str = "max_odd_percent";

/// The default of [`MAX_ODD_PERCENT`].
pub(crate) const DEFAULT_MAX_ODD_PERCENT: u64 = 5;

/// Counts by their names, which a connector's README explains, and how many rows of the list were odd.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Notes {
    counts: BTreeMap<&'static str, u64>,
    rows: u64,
    odd_rows: u64,
    /// Whether the current row was counted as odd already.
    is_odd: bool,
    /// What was wrong with the first odd row, where that is known.
    first: Option<String>,
}

impl Notes {
    /// Notes of a run that is resumed: the rows of earlier batches count toward the share of odd rows.
    #[must_use]
    pub fn resumed(rows: u64, odd_rows: u64) -> Self {
        Self {
            rows,
            odd_rows,
            ..Self::default()
        }
    }

    /// Counts one.
    pub fn count(&mut self, name: &'static str) {
        self.count_many(name, 1);
    }

    /// Counts several; none leaves no note.
    pub fn count_many(&mut self, name: &'static str, count: u64) {
        if count > 0 {
            *self.counts.entry(name).or_default() += count;
        }
    }

    /// Begins a row of the list.
    pub fn row(&mut self) {
        self.rows += 1;
        self.is_odd = false;
    }

    /// Counts what is wrong with the current row, by its reason. A row with several things wrong is one odd row.
    pub fn odd(&mut self, reason: &'static str) {
        self.count(reason);
        self.odd_rows += u64::from(!self.is_odd);
        self.is_odd = true;
    }

    /// [`Notes::odd`] with what is wrong, which a failure of the whole list tells of the first such row. What was found
    /// is left out: it may be a person's name.
    pub fn odd_row(&mut self, reason: &'static str, failure: &Failure) {
        self.odd(reason);
        self.first.get_or_insert_with(|| unread::why(failure));
    }

    /// Adds what others counted.
    pub fn add(&mut self, others: &Self) {
        for (name, count) in &others.counts {
            self.count_many(name, *count);
        }
        self.rows += others.rows;
        self.odd_rows += others.odd_rows;
        self.first = self.first.take().or_else(|| others.first.clone());
    }

    /// How often something was counted.
    #[must_use]
    pub fn of(&self, name: &str) -> u64 {
        self.counts.get(name).copied().unwrap_or_default()
    }

    /// How many rows were begun.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// How many of them were odd.
    #[must_use]
    pub fn odd_rows(&self) -> u64 {
        self.odd_rows
    }

    /// Refuses a list with a larger share of odd rows than the setting `max_odd_percent` forgives: it has another form,
    /// or would be published with gaps. A single odd row beside others is always forgiven. `what` names the list.
    ///
    /// # Errors
    /// [`Failure::Malformed`] with the reasons and their counts; [`Failure::Misconfigured`] for a setting of another
    /// form.
    pub fn check_odd_rows(&self, what: &str) -> Result<(), Failure> {
        let percent = runtime::setting(MAX_ODD_PERCENT)?.unwrap_or(DEFAULT_MAX_ODD_PERCENT);
        let is_single = self.odd_rows == 1 && self.rows > 1;
        if is_single || self.odd_rows * 100 <= self.rows * percent {
            return Ok(());
        }
        let counts = self.counts.iter();
        let reasons: Vec<String> = counts
            .map(|(name, count)| format!("{name} {count}"))
            .collect();
        let first = self.first.as_deref().unwrap_or_default();
        let first = if first.is_empty() {
            String::new()
        } else {
            format!("; the first: {first}")
        };
        Err(malformed(
            format!("{what}: odd rows"),
            format!(
                "at most {percent} % of {} rows ({MAX_ODD_PERCENT})",
                self.rows
            ),
            format!("{} ({}){first}", self.odd_rows, reasons.join(", ")),
        ))
    }

    /// As a batch carries them, in the order of their names.
    #[must_use]
    pub fn fields(&self) -> Vec<Field> {
        let field = |(name, count): (&&str, &u64)| Field {
            name: (*name).to_owned(),
            value: count.to_string(),
        };
        self.counts.iter().map(field).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestHost;

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

    fn notes(rows: u64, odd: u64) -> Notes {
        let mut notes = Notes::default();
        for row in 0..rows {
            notes.row();
            if row < odd {
                let wrong = malformed(format!("row {row}"), "a date", "someone");
                notes.odd_row("unreadable_date", &wrong);
                notes.odd("unreadable_amount");
            }
        }
        notes
    }

    #[test]
    fn odd_rows_above_the_setting_fail_the_list() {
        let host =
            |percent: u64| TestHost::new().setting(MAX_ODD_PERCENT, &serde_json::json!(percent));
        TestHost::new().install();
        for (rows, odd, fits) in [
            (0, 0, true),
            (100, 5, true),
            (100, 6, false),
            (3, 1, true),
            (3, 2, false),
            (1, 1, false),
        ] {
            let checked = notes(rows, odd).check_odd_rows("list");
            assert_eq!(checked.is_ok(), fits, "{odd} of {rows}");
        }
        host(0).install();
        assert!(notes(100, 1).check_odd_rows("list").is_ok());
        assert!(notes(100, 2).check_odd_rows("list").is_err());
        host(50).install();
        assert!(notes(100, 50).check_odd_rows("list").is_ok());
        let failure = notes(100, 51).check_odd_rows("list").err();
        let Some(Failure::Malformed(drift)) = failure else {
            panic!("{failure:?}");
        };
        assert_eq!(drift.what, "list: odd rows");
        assert_eq!(drift.expected, "at most 50 % of 100 rows (max_odd_percent)");
        assert_eq!(
            drift.found,
            "51 (unreadable_amount 51, unreadable_date 51); the first: malformed: row 0: expected a date"
        );
    }
}
