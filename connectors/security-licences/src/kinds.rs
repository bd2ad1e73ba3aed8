//! The kinds of a licence, by the list's words and codes.

use lustra_sdk::text::{fold, squeeze};
use lustra_sdk::{Failure, runtime};
use serde::{Deserialize, Serialize};

/// The shortest word that may occur inside a longer text. A shorter word is a code and must be the whole text.
const SHORTEST_WORD: usize = 4;

/// The words and codes of each kind: the setting `kind_words`. They are compared without case and diacritics.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KindWords {
    /// Words for guarding of others (strážna služba).
    pub guard: Vec<String>,
    /// Words for investigating (detektívna služba).
    pub detective: Vec<String>,
    /// Words for training and advice (odborná príprava a poradenstvo).
    pub training: Vec<String>,
    /// Words for guarding one's own property (vlastná ochrana).
    pub own_protection: Vec<String>,
    /// Words for alarms and other devices (technická služba).
    pub technical: Vec<String>,
}

impl Default for KindWords {
    fn default() -> Self {
        let of = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Self {
            guard: of(&["strážna", "strážnej", "PS"]),
            detective: of(&["detektívna", "detektívnej", "PD"]),
            training: of(&["odborná príprava", "odbornej prípravy", "poradenstvo"]),
            own_protection: of(&["vlastná ochrana", "vlastnej ochrany"]),
            technical: of(&["technická", "technickej", "PT"]),
        }
    }
}

impl KindWords {
    /// Reads the setting. A kind that it omits keeps its words.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for a setting of another shape.
    pub fn of_settings() -> Result<Self, Failure> {
        Ok(runtime::setting("kind_words")?.unwrap_or_default())
    }

    /// The kinds that a cell names, without repetitions. An unknown text stands for itself.
    #[must_use]
    pub fn kinds(&self, cell: &str) -> Vec<String> {
        let mut kinds = Vec::new();
        for part in cell.split([',', ';', '/', '+']).map(squeeze) {
            let kind = self.kind(&part).map_or(part, str::to_owned);
            if !kind.is_empty() && !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        kinds
    }

    fn kind(&self, part: &str) -> Option<&'static str> {
        let part = fold(part);
        let is_of = |words: &[String]| {
            words
                .iter()
                .map(|word| fold(word))
                .any(|word| word == part || (word.len() >= SHORTEST_WORD && part.contains(&word)))
        };
        [
            ("guard", &self.guard),
            ("detective", &self.detective),
            ("training", &self.training),
            ("own_protection", &self.own_protection),
            ("technical", &self.technical),
        ]
        .into_iter()
        .find(|(_, words)| is_of(words))
        .map(|(kind, _)| kind)
    }
}

#[cfg(test)]
mod tests {
    use super::KindWords;

    #[test]
    fn kinds_are_found_by_words_and_codes() {
        let words = KindWords::default();
        for (cell, expected) in [
            ("Prevádzkovanie strážnej služby", vec!["guard"]),
            ("PS, pd", vec!["guard", "detective"]),
            ("strážna služba / STRAZNA SLUZBA", vec!["guard"]),
            ("odborná príprava a poradenstvo", vec!["training"]),
            (
                "vlastná ochrana + technická služba",
                vec!["own_protection", "technical"],
            ),
            ("eskorta  hodnôt", vec!["eskorta hodnôt"]),
            ("", vec![]),
        ] {
            assert_eq!(words.kinds(cell), expected, "{cell}");
        }
    }
}
