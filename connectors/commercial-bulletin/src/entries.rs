//! The dataset `register-entries`: the mirror's table of commercial-register entries and filed deeds.
//!
//! Their notices name the company only in running text, but the table has its IČO as a number. Texts, addresses
//! and names are not stored.

use lustra_sdk::serde_json::Number;
use lustra_sdk::{Failure, text};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::layouts::Role;
use crate::record::{Entry, Unreadable};
use crate::row::{Issued, Row, required};
use crate::table::{Reading, Said, Table};

/// The only documented kind.
const NEW: &str = "nz";
/// The chapter of a kind without a name.
const CHAPTER: &str = "Obchodný register";
/// The chapter of [`NEW`], whatever name the mirror uses for that kind.
const NEW_ENTRIES: &str = "Obchodný register – nové zápisy";
/// The heading of a kind without a name.
const MEANING: &str = "Zápis v obchodnom registri";
/// Maximum length of a kind or mark, in characters. A longer text is running text.
const PIECE: usize = 80;

/// The relevant part of an entry.
#[derive(Debug, Clone, Deserialize)]
pub struct RegisterEntry {
    /// The mark assigned by the register.
    #[serde(deserialize_with = "required")]
    pub br_mark: Option<String>,
    /// The code of its kind.
    #[serde(deserialize_with = "required")]
    pub kind_code: Option<String>,
    /// The name of its kind.
    #[serde(deserialize_with = "required")]
    pub kind_name: Option<String>,
    /// The company's IČO without leading zeros.
    #[serde(deserialize_with = "required")]
    pub cin: Option<Number>,
    /// The filed deeds; only their number is used.
    #[serde(deserialize_with = "required")]
    pub documents: Option<Vec<IgnoredAny>>,
}

/// The IČO for a number; `None` if it cannot be one.
fn ico(cin: &Number) -> Option<String> {
    let number = cin.as_u64();
    let possible = number.filter(|number| (1..=99_999_999).contains(number));
    possible.map(|number| format!("{number:08}"))
}

fn piece(text: Option<&String>) -> Option<String> {
    let present = text.and_then(|text| text::present(text));
    present.filter(|text| text.chars().count() <= PIECE)
}

impl RegisterEntry {
    fn section(&self) -> String {
        let name = piece(self.kind_name.as_ref());
        if self.kind_code.as_deref() == Some(NEW) {
            return NEW_ENTRIES.to_owned();
        }
        name.map_or_else(
            || CHAPTER.to_owned(),
            |name| format!("{CHAPTER} – {}", within(&name)),
        )
    }

    fn heading(&self) -> String {
        let meaning = piece(self.kind_name.as_ref()).unwrap_or_else(|| MEANING.to_owned());
        match self.documents.as_ref().map_or(0, Vec::len) {
            0 => meaning,
            count => format!("{meaning}, počet listín: {count}"),
        }
    }

    fn mark(&self) -> Option<String> {
        piece(self.br_mark.as_ref())
    }
}

/// A title as a part of another title.
fn within(title: &str) -> String {
    let is_shouted = !title.chars().any(char::is_lowercase);
    let mut letters = title.chars();
    match letters.next() {
        Some(first) if !is_shouted => first.to_lowercase().chain(letters).collect(),
        Some(_) | None => title.to_lowercase(),
    }
}

impl Table for RegisterEntry {
    const DATASET: &'static str = "register-entries";
    const PATH: &'static str = "/api/data/ov/or_podanie_issues/sync";
    const MEMBERS: &'static str = "br_mark, kind_code, kind_name, cin, documents";
    const TELLING: &'static str = "cin and bulletin_issue";

    fn read(row: &Row<Self>, issued: Option<Issued>) -> Result<Reading, Failure> {
        let entry = &row.rest;
        let (said, note) = match (&entry.cin, issued) {
            (None, _) => (Said::About(Vec::new()), Some("without_company")),
            (Some(cin), issued) => match (ico(cin), issued) {
                (None, _) => (Said::Odd, Some("odd_ids")),
                (Some(_), None) => {
                    let unreadable = Unreadable {
                        form: None,
                        mark: entry.mark(),
                        number: None,
                        why: "without an issue".to_owned(),
                    };
                    (Said::Unreadable(unreadable), Some("unreadable"))
                }
                (Some(ico), Some(issued)) => {
                    let entry = Entry {
                        form: None,
                        kind: piece(entry.kind_code.as_ref()),
                        section: Some(entry.section()),
                        number: issued.number,
                        mark: entry.mark(),
                        published_at: issued.published_at,
                        heading: entry.heading(),
                        role: Role::Company.word().to_owned(),
                    };
                    (Said::About(vec![(ico, entry)]), None)
                }
            },
        };
        Ok(Reading {
            said,
            notes: note.map(|name| (name, 1)).into_iter().collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_gets_its_leading_zeros_back() {
        for (cin, expected) in [
            (Number::from(99_999_994), Some("99999994")),
            (Number::from(124), Some("00000124")),
            (Number::from(0), None),
            (Number::from(-99_999_994), None),
            (Number::from(999_999_940), None),
            (Number::from(u64::MAX), None),
        ] {
            assert_eq!(ico(&cin).as_deref(), expected, "{cin}");
        }
        assert_eq!(Number::from_f64(1.5).and_then(|cin| ico(&cin)), None);
    }

    #[test]
    fn kind_title_continues_the_chapter() {
        for (title, expected) in [
            ("Zmeny zapísaných údajov", "zmeny zapísaných údajov"),
            ("ÚPLNÉ ZNENIE", "úplné znenie"),
            ("Údaje o SR", "údaje o SR"),
            ("", ""),
        ] {
            assert_eq!(within(title), expected);
        }
    }
}
