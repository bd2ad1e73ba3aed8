//! Whether a subject is a natural person, by its name. The list does not state it.
//!
//! By § 8 and § 9 of the Commercial Code (Act 513/1991), the business name of a legal person contains its legal form,
//! and that of a natural person consists of first name and surname, possibly with an addition behind them. Banks,
//! insurers and public bodies that have no legal form in their names are known by what they are called. What neither
//! rule decides is unknown.

use lustra_sdk::legal_form::LegalForm;
use lustra_sdk::text::fold;

use crate::institutions::SLOVAKIA;

/// Foreign legal forms at the end of a folded name.
const FOREIGN_FORMS: [&str; 44] = [
    "ag",
    "gmbh",
    "mbh",
    "kg",
    "ohg",
    "ug",
    "eg",
    "vvag",
    "se",
    "sa",
    "s a",
    "sas",
    "sarl",
    "s a r l",
    "plc",
    "ltd",
    "limited",
    "llc",
    "llp",
    "inc",
    "dac",
    "bv",
    "b v",
    "nv",
    "n v",
    "kft",
    "zrt",
    "nyrt",
    "rt",
    "spa",
    "s p a",
    "srl",
    "s r l",
    "oy",
    "oyj",
    "ab",
    "a s",
    "sp z o o",
    "d d",
    "d o o",
    "ad",
    "uab",
    "akciova spolecnost",
    "z s",
];

/// Beginnings of words that only names of legal persons and of their branches have.
const STEMS: [&str; 22] = [
    "pobock",
    "organizacn",
    "zlozk",
    "nadaci",
    "fond",
    "zdruzen",
    "sporitel",
    "bank",
    "poistov",
    "pojistov",
    "versicherung",
    "insurance",
    "spolocnost",
    "spolecnost",
    "ustav",
    "ministerstv",
    "posta",
    "komora",
    "cirkev",
    "druzstv",
    "institu",
    "republik",
];

/// Academic titles, which are no part of a name's first name and surname.
const TITLES: [&str; 26] = [
    "ing", "mgr", "bc", "judr", "mudr", "mvdr", "phdr", "rndr", "paeddr", "thdr", "thlic",
    "pharmdr", "doc", "prof", "dr", "arch", "art", "akad", "phd", "ph", "d", "csc", "drsc", "mba",
    "mph", "llm",
];

/// Whether the subject is a natural person; `None` if its name does not tell.
#[must_use]
pub fn is_natural(name: &str, country: &str, has_number: bool) -> Option<bool> {
    if is_legal(name) {
        return Some(false);
    }
    if country != SLOVAKIA {
        return None;
    }
    // A Slovak legal person always has an IČO.
    (!has_number || is_first_name_and_surname(name)).then_some(true)
}

fn is_legal(name: &str) -> bool {
    let folded = fold(name);
    let has_form = FOREIGN_FORMS.iter().any(|form| {
        let before = folded.strip_suffix(form);
        before.is_some_and(|before| before.ends_with(' '))
    });
    let has_stem = || {
        folded
            .split(' ')
            .any(|word| STEMS.iter().any(|stem| word.starts_with(stem)))
    };
    LegalForm::of(name).is_some() || has_form || has_stem()
}

/// Two to four words that begin with a capital letter and go on in small ones, before any addition.
fn is_first_name_and_surname(name: &str) -> bool {
    let own = name.split([',', '–']).next().unwrap_or_default();
    let own = own.split(" - ").next().unwrap_or_default();
    let words: Vec<&str> = own
        .split_whitespace()
        .filter(|word| !is_title(word))
        .collect();
    (2..=4).contains(&words.len()) && words.into_iter().all(is_part_of_name)
}

/// Whether every part of a word such as `Ing.` or `Ing.arch.` is a title.
fn is_title(word: &str) -> bool {
    let folded = fold(word);
    let has_dot = word.contains('.');
    (has_dot && folded.split(' ').all(|part| TITLES.contains(&part)))
        || ["mba", "phd", "llm", "mph"].contains(&folded.as_str())
}

fn is_part_of_name(word: &str) -> bool {
    let starts_large = word.chars().next().is_some_and(char::is_uppercase);
    let fits = |letter: char| letter.is_alphabetic() || ['-', '\'', '’'].contains(&letter);
    starts_large && word.chars().all(fits) && word.chars().any(char::is_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_tells_legal_from_natural_persons() {
        for (name, expected) in [
            ("Vzor, s. r. o.", Some(false)),
            ("Vzorové družstvo", Some(false)),
            (
                "Vzorová banka, a. s., pobočka zahraničnej banky",
                Some(false),
            ),
            ("Exportno-importná banka", Some(false)),
            ("Vzor Versicherung AG", Some(false)),
            ("Ján Skúšobný", Some(true)),
            ("Ing. arch. Ján Skúšobný, PhD.", Some(true)),
            ("Ing.Jana Skúšobná-Vzorová", None),
            ("Ing. Jana Skúšobná-Vzorová - POISTENIE", Some(true)),
            ("JÁN SKÚŠOBNÝ", None),
            ("RECALL", None),
            ("Kancelária pre riadenie", None),
            ("", None),
        ] {
            assert_eq!(is_natural(name, "SK", true), expected, "{name}");
        }
    }

    #[test]
    fn slovak_subject_without_number_is_natural() {
        assert_eq!(is_natural("SKÚŠOBNÝ JÁN", "SK", false), Some(true));
        assert_eq!(is_natural("Vzor, s. r. o.", "SK", false), Some(false));
        assert_eq!(is_natural("Hans Muster", "AT", false), None);
        assert_eq!(is_natural("Musterbank AG", "DE", true), Some(false));
    }
}
