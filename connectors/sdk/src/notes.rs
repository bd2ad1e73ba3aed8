//! Counters that an import reports to the operator: skipped and doubtful rows.

use std::collections::BTreeMap;

use crate::{Failure, Field, malformed, runtime, unread};

/// The setting with the tolerated share of odd rows, in percent.
pub(crate) const MAX_ODD_PERCENT: &str = "max_odd_percent";

/// The default of [`MAX_ODD_PERCENT`].
pub(crate) const DEFAULT_MAX_ODD_PERCENT: u64 = 5;

/// Counts by name, explained in each connector's README, and the number of odd rows.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Notes {
    counts: BTreeMap<&'static str, u64>,
    rows: u64,
    odd_rows: u64,
    /// True if the current row is already counted as odd.
    is_odd: bool,
    /// What was wrong with the first odd row, if known.
    first: Option<String>,
}

impl Notes {
    /// The note for rows with more or fewer cells than the header.
    pub const OTHER_WIDTH: &'static str = "rows_of_another_width";

    /// The note for rows and records with undecodable bytes in what is read of them, or with an
    /// error such as `#N/A` in a wanted cell of a workbook.
    pub const UNREADABLE_BYTES: &'static str = "rows_with_unreadable_bytes";

    /// Notes of a resumed run. The rows of earlier batches count toward the share of odd rows.
    #[must_use]
    pub fn resumed(rows: u64, odd_rows: u64) -> Self {
        Self {
            rows,
            odd_rows,
            ..Self::default()
        }
    }

    /// Adds one to a count.
    pub fn count(&mut self, name: &'static str) {
        self.count_many(name, 1);
    }

    /// Adds to a count. Adding zero creates no note.
    pub fn count_many(&mut self, name: &'static str, count: u64) {
        if count > 0 {
            *self.counts.entry(name).or_default() += count;
        }
    }

    /// Starts a row of the list.
    pub fn row(&mut self) {
        self.rows += 1;
        self.is_odd = false;
    }

    /// Counts a problem of the current row by its reason. A row with several problems is one odd
    /// row.
    pub fn odd(&mut self, reason: &'static str) {
        self.count(reason);
        self.odd_rows += u64::from(!self.is_odd);
        self.is_odd = true;
    }

    /// Like [`Notes::odd`], and keeps the problem of the first odd row for the failure of the
    /// whole list. Leaves out the value that was found: it may be a person's name.
    pub fn odd_row(&mut self, reason: &'static str, failure: &Failure) {
        self.odd(reason);
        self.first.get_or_insert_with(|| unread::why(failure));
    }

    /// Adds the counts of other notes.
    pub fn add(&mut self, others: &Self) {
        for (name, count) in &others.counts {
            self.count_many(name, *count);
        }
        self.rows += others.rows;
        self.odd_rows += others.odd_rows;
        self.first = self.first.take().or_else(|| others.first.clone());
    }

    /// The count with this name, 0 if there is none.
    #[must_use]
    pub fn of(&self, name: &str) -> u64 {
        self.counts.get(name).copied().unwrap_or_default()
    }

    /// Number of rows started.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Number of odd rows.
    #[must_use]
    pub fn odd_rows(&self) -> u64 {
        self.odd_rows
    }

    /// Rejects a list whose share of odd rows exceeds the setting `max_odd_percent`: either its
    /// format differs, or it would be published with gaps. A single odd row beside others is
    /// always tolerated. `what` names the list.
    ///
    /// # Errors
    /// [`Failure::Malformed`] with the reasons and their counts; [`Failure::Misconfigured`] if
    /// the setting has another shape.
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

    /// The notes of a batch, sorted by name.
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
    fn too_many_odd_rows_fail_the_list() {
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
