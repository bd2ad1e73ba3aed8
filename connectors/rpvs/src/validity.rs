//! The first and last day of a validity.

use lustra_sdk::Failure;

use crate::entry::Entry;

/// A row's days of validity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Validity {
    pub from: Option<String>,
    /// The day on which it ended or will end. `None` while that is not known.
    pub to: Option<String>,
}

impl Validity {
    /// Reads the validity of a row, which must state its end, even if null.
    pub(crate) fn read(row: &Entry<'_>) -> Result<Self, Failure> {
        Ok(Self {
            from: row.day("PlatnostOd")?,
            to: row.stated_day("PlatnostDo")?,
        })
    }

    /// Whether it is open: it has no end, or one later than today. Days are local ones and today is in UTC, so an end
    /// is noticed up to two hours late.
    pub(crate) fn is_open(&self, today: &str) -> bool {
        self.to.as_deref().is_none_or(|to| to > today)
    }

    /// The same with an erasure, which ends everything that had begun by then.
    pub(crate) fn until(&self, erased_at: Option<&str>) -> Option<String> {
        let ended = erased_at.filter(|erased| {
            self.from.as_deref().is_none_or(|from| from <= *erased)
                && self.to.as_deref().is_none_or(|to| to > *erased)
        });
        ended.map(str::to_owned).or_else(|| self.to.clone())
    }
}
