//! Whether an agency is banned, by the list's words.

use lustra_sdk::sheet::Row;
use lustra_sdk::text::fold;
use lustra_sdk::{Failure, runtime};
use serde::{Deserialize, Serialize};

/// Words of the list: the setting `ban_words`. They are compared without case and diacritics.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BanWords {
    /// Words for a banned agency.
    pub banned: Vec<String>,
    pub free: Vec<String>,
}

impl Default for BanWords {
    fn default() -> Self {
        let of = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Self {
            banned: of(&["áno", "zákaz", "zákaz činnosti"]),
            free: of(&["nie", "bez zákazu"]),
        }
    }
}

impl BanWords {
    /// Reads the setting. Omitted words keep their default.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for a setting of another shape.
    pub fn of_settings() -> Result<Self, Failure> {
        Ok(runtime::setting("ban_words")?.unwrap_or_default())
    }

    /// Whether the status itself is a ban.
    #[must_use]
    pub fn is_status(&self, row: &Row<'_>) -> bool {
        has(&self.banned, row.cell("status"))
    }

    /// Whether a row states a ban. `None` if the list does not state bans. An empty cell in a column of bans means that
    /// there is none.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for an unknown word.
    pub fn read(&self, row: &Row<'_>) -> Result<Option<bool>, Failure> {
        if self.is_status(row) {
            return Ok(Some(true));
        }
        if !row.has("ban") {
            return Ok(None);
        }
        let Some(text) = row.text("ban") else {
            return Ok(Some(false));
        };
        match (has(&self.banned, &text), has(&self.free, &text)) {
            (true, _) => Ok(Some(true)),
            (false, true) => Ok(Some(false)),
            (false, false) => Err(row.wrong("ban", "a word that ban_words has")),
        }
    }
}

fn has(words: &[String], text: &str) -> bool {
    let text = fold(text);
    words.iter().any(|word| fold(word) == text)
}
