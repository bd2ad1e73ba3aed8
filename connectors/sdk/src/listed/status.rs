//! Maps the status words of a list to a standing.

use serde::{Deserialize, Serialize};

use crate::sheet::Row;
use crate::text::fold;
use crate::{Failure, runtime};

/// The column of the status.
const COLUMN: &str = "status";

/// The standing according to the status word alone, regardless of dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    Valid,
    /// Temporarily not in force.
    Suspended,
    /// No longer in force.
    Ended,
}

/// Status words by their meaning. Compared without case and diacritics.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StatusWords {
    /// Words for *in force*.
    pub valid: Vec<String>,
    /// Words for *temporarily not in force*.
    pub suspended: Vec<String>,
    /// Words for *no longer in force*.
    pub ended: Vec<String>,
}

/// The setting `status_words`: members that are left out keep their default.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Given {
    valid: Option<Vec<String>>,
    suspended: Option<Vec<String>>,
    ended: Option<Vec<String>>,
}

impl Default for StatusWords {
    /// Common words for licences, in the grammatical genders of *licence*, *permit* and
    /// *decision*.
    fn default() -> Self {
        Self::of(
            &[
                "platná", "platné", "platný", "aktívna", "aktívne", "aktívny",
            ],
            &["pozastavená", "pozastavené", "pozastavený"],
            &[
                "zrušená",
                "zrušené",
                "zrušený",
                "odňatá",
                "odňaté",
                "odňatý",
                "zaniknutá",
                "zaniknuté",
                "zaniknutý",
                "neplatná",
                "neplatné",
                "neplatný",
                "skončená",
                "skončené",
                "skončený",
            ],
        )
    }
}

impl StatusWords {
    #[must_use]
    pub fn of(valid: &[&str], suspended: &[&str], ended: &[&str]) -> Self {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Self {
            valid: owned(valid),
            suspended: owned(suspended),
            ended: owned(ended),
        }
    }

    /// Reads the setting `status_words`.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] if the setting has another shape.
    pub fn of_settings(default: Self) -> Result<Self, Failure> {
        let given: Given = runtime::setting("status_words")?.unwrap_or_default();
        Ok(Self {
            valid: given.valid.unwrap_or(default.valid),
            suspended: given.suspended.unwrap_or(default.suspended),
            ended: given.ended.unwrap_or(default.ended),
        })
    }

    /// The standing of a row by its column `status`. A row without a status is in force: not
    /// every list has the column.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for an unknown word. It may mean that a licence was withdrawn, so
    /// it must not be guessed.
    pub fn standing(&self, row: &Row<'_>) -> Result<Standing, Failure> {
        let Some(text) = row.text(COLUMN) else {
            return Ok(Standing::Valid);
        };
        let text = fold(&text);
        let has = |words: &[String]| words.iter().any(|word| fold(word) == text);
        match (has(&self.valid), has(&self.suspended), has(&self.ended)) {
            (true, _, _) => Ok(Standing::Valid),
            (false, true, _) => Ok(Standing::Suspended),
            (false, false, true) => Ok(Standing::Ended),
            (false, false, false) => Err(row.wrong(COLUMN, "a word that status_words has")),
        }
    }
}
