//! The status of a list's row, by the words of the list.

use serde::{Deserialize, Serialize};

use crate::Failure;
use crate::sheet::Row;
use crate::text::fold;

/// The column of the status.
const COLUMN: &str = "status";

/// The status according to the list's word alone, regardless of dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ListedStatus {
    Valid,
    /// Temporarily not in force.
    Suspended,
    /// No longer in force.
    Ended,
}

crate::settings! {
    /// The words of the column `status`: the setting `status_words`. The defaults are common words for
    /// licences, in the grammatical genders of *licence*, *permit* and *decision*. Compared without case
    /// and diacritics.
    pub group StatusWords {
        /// Words for "in force".
        valid: Vec<String> = ["platná", "platné", "platný", "aktívna", "aktívne", "aktívny"],
        /// Words for "temporarily not in force".
        suspended: Vec<String> = ["pozastavená", "pozastavené", "pozastavený"],
        /// Words for "no longer in force".
        ended: Vec<String> = [
            "zrušená", "zrušené", "zrušený", "odňatá", "odňaté", "odňatý", "zaniknutá", "zaniknuté",
            "zaniknutý", "neplatná", "neplatné", "neplatný", "skončená", "skončené", "skončený",
        ],
    }
}

impl StatusWords {
    /// The status of a row by its column `status`. A row without one is in force: not
    /// every list has the column.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for an unknown word. It may mean that a licence was withdrawn, so
    /// it must not be guessed.
    pub fn status_of(&self, row: &Row<'_>) -> Result<ListedStatus, Failure> {
        let Some(text) = row.text(COLUMN) else {
            return Ok(ListedStatus::Valid);
        };
        let text = fold(&text);
        let has = |words: &[String]| words.iter().any(|word| fold(word) == text);
        match (has(&self.valid), has(&self.suspended), has(&self.ended)) {
            (true, _, _) => Ok(ListedStatus::Valid),
            (false, true, _) => Ok(ListedStatus::Suspended),
            (false, false, true) => Ok(ListedStatus::Ended),
            (false, false, false) => Err(row.wrong(COLUMN, "a word that status_words has")),
        }
    }
}
