//! The kinds of a licence, by the list's words and codes.

use lustra_sdk::text::{fold, squeeze};

/// The shortest word that may occur inside a longer text. A shorter word is a code and must be the whole text.
const SHORTEST_WORD: usize = 4;

lustra_sdk::settings! {
    /// The words and codes of each kind: the setting `kind_words`. Compared without case and diacritics.
    pub group KindWords {
        /// Guarding of persons and property (strážna služba).
        guard: Vec<String> = ["strážna", "strážnej", "PS"],
        /// Investigation by private detectives (detektívna služba).
        detective: Vec<String> = ["detektívna", "detektívnej", "PD"],
        /// Training and advice (odborná príprava a poradenstvo).
        training: Vec<String> = ["odborná príprava", "odbornej prípravy", "poradenstvo"],
        /// Guarding one's own property (vlastná ochrana).
        own_protection: Vec<String> = ["vlastná ochrana", "vlastnej ochrany"],
        /// Alarms and other devices (technická služba).
        technical: Vec<String> = ["technická", "technickej", "PT"],
    }
}

impl KindWords {
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
