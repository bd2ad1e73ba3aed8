//! Whether an agency is banned, by the list's words.

use lustra_sdk::Failure;
use lustra_sdk::sheet::Row;
use lustra_sdk::text::fold;

lustra_sdk::settings! {
    /// Words of the list: the setting `ban_words`. Compared without case and diacritics.
    pub group BanWords {
        /// Words for an agency that is banned.
        banned: Vec<String> = ["áno", "zákaz", "zákaz činnosti"],
        /// Words for an agency without a ban.
        free: Vec<String> = ["nie", "bez zákazu"],
    }
}

impl BanWords {
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
