//! Datasets that could not be read, in the form in which sections name them.

use serde::Serialize;

use crate::clock::rfc3339;
use crate::connectors::Loaded;
use crate::store::DatasetState;

/// A source that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unread {
    /// Name of the dataset that was not read.
    pub source: String,
    /// When it was last read, if ever: RFC 3339.
    pub since: Option<String>,
    /// The reason in a few words.
    pub why: String,
}

impl Unread {
    /// A dataset that the operator switched off or that was never imported; `None` for one that was read, even if the
    /// newest import failed.
    #[must_use]
    pub fn of_dataset(
        loaded: &Loaded,
        dataset: &str,
        state: Option<&DatasetState>,
    ) -> Option<Self> {
        let imported_at = state.and_then(|state| state.imported_at);
        let has_failed = state.is_some_and(|state| state.failure.is_some());
        let why = match (
            loaded.datasets_on.contains(dataset),
            imported_at,
            has_failed,
        ) {
            (true, Some(_), _) => return None,
            (false, ..) => "off: switched off by the operator",
            (true, None, true) => "never imported: the newest attempt failed",
            (true, None, false) => "never imported",
        };
        Some(Self {
            source: dataset.to_owned(),
            since: imported_at.map(rfc3339),
            why: why.to_owned(),
        })
    }

    /// Rows of a list that could not be read.
    #[must_use]
    pub fn of_rows(dataset: &str, rows: u64) -> Option<Self> {
        (rows > 0).then(|| Self {
            source: dataset.to_owned(),
            since: None,
            why: format!("malformed: {rows} rows of the list could not be read"),
        })
    }
}
