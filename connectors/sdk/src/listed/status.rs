//! What a list's word for the status of an entry means.

use serde::{Deserialize, Serialize};

use crate::sheet::Row;
use crate::text::fold;
use crate::{Failure, runtime};

/// The column of the status.
const COLUMN: &str = "status";

/// What the status of an entry says, whatever its dates say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// In force.
    Valid,
    /// Not for the time being.
    Suspended,
    /// Not any more.
    Ended,
}

/// The words that lists have for a status. They are compared without regard to case and diacritics.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StatusWords {
    /// In force.
    pub valid: Vec<String>,
    /// Not for the time being.
    pub suspended: Vec<String>,
    /// Not any more.
    pub ended: Vec<String>,
}

/// The setting: what is left out keeps its default.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Given {
    valid: Option<Vec<String>>,
    suspended: Option<Vec<String>>,
    ended: Option<Vec<String>>,
}

impl Default for StatusWords {
    /// Those usual for licences, in the genders that stand beside a licence, a permit and a decision.
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
    /// These words.
    #[must_use]
    pub fn of(valid: &[&str], suspended: &[&str], ended: &[&str]) -> Self {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Self {
            valid: owned(valid),
            suspended: owned(suspended),
            ended: owned(ended),
        }
    }

    /// As the operator set them in `status_words`.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for a setting of another form.
    pub fn of_settings(default: Self) -> Result<Self, Failure> {
        let given: Given = runtime::setting("status_words")?.unwrap_or_default();
        Ok(Self {
            valid: given.valid.unwrap_or(default.valid),
            suspended: given.suspended.unwrap_or(default.suspended),
            ended: given.ended.unwrap_or(default.ended),
        })
    }

    /// What the column `status` of a row says. A row that says nothing is in force: not every list has the column.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for a word that is not known. It may mean that a licence was taken away, so nothing is
    /// guessed.
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
