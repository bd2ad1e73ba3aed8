//! Names of natural persons.

/// Academic titles, folded. Registers print them in some places and omit them in others.
const TITLES: [&str; 31] = [
    "ing", "arch", "mgr", "art", "bc", "judr", "mudr", "mvdr", "mddr", "phdr", "rndr", "paeddr",
    "thdr", "pharmdr", "phd", "csc", "drsc", "artd", "doc", "prof", "mba", "msc", "llm", "dr",
    "dipl", "mag", "dkfm", "bsc", "dis", "mph", "mga",
];

/// Titles that fold to several words, as `LL.M.` and `Ph.D.` do.
const LONG_TITLES: [&str; 5] = [" ll m ", " ph d ", " m sc ", " m b a ", " dr h c "];

/// A name without academic titles. Takes and returns the form of [`super::text::fold`].
///
/// ```
/// use lustra_sdk::{person, text};
/// assert_eq!(person::without_titles(&text::fold("Ing. Jana Skúšobná, LL.M.")), "jana skusobna");
/// ```
#[must_use]
pub fn without_titles(folded: &str) -> String {
    let mut name = format!(" {folded} ");
    for title in LONG_TITLES {
        name = name.replace(title, " ");
    }
    let words = name
        .split_whitespace()
        .filter(|word| !TITLES.contains(word));
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    #[test]
    fn titles_are_left_out_in_all_their_forms() {
        for titled in [
            "JUDr. Jana Skúšobná, LL.M.",
            "Ing. arch. Jana Skúšobná, Ph.D., MBA",
            "prof. Dr. h. c. Jana Skúšobná, PhD., CSc.",
            "Jana Skúšobná",
        ] {
            assert_eq!(
                without_titles(&text::fold(titled)),
                "jana skusobna",
                "{titled}"
            );
        }
    }
}
