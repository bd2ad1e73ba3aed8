//! One licence: as a list states it, and as it is stored from list to list.

use std::collections::{BTreeMap, BTreeSet};

pub use lustra_sdk::Notes;
use lustra_sdk::{Failure, Item, ico, malformed, records, text};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// A licence as today's list states it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Listed {
    /// The holder: 8 digits.
    pub ico: String,
    /// What the licence is for, in the list's words on one line.
    pub license_type: String,
    /// The holder's country: ISO 3166-1 alpha-2.
    pub country: String,
    /// The first day, if the list has it: `YYYY-MM-DD`.
    pub valid_from: Option<String>,
    /// The last day, if the list has it: `YYYY-MM-DD`.
    pub valid_to: Option<String>,
}

/// A licence with its history. It is the content of a record of `psd2-services`, and of one of `institutions` by
/// version 0.1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Licence {
    /// As in [`Listed::license_type`], from the last list that had it.
    pub license_type: String,
    pub country: String,
    pub valid_from: Option<String>,
    pub valid_to: Option<String>,
    /// The day of the first import whose list had it.
    pub first_seen_on: String,
    /// The last day by the list, else the day of the first import whose list no longer had the licence. `None` while
    /// the licence is in force.
    pub ended_on: Option<String>,
}

/// A licence and its holder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// The holder: 8 digits.
    pub ico: String,
    pub licence: Licence,
}

/// Payment services of a list by their keys.
pub type Services = BTreeMap<String, Listed>;

/// The key of the record of [`anyones_row`].
const ANYONES: &str = "unreadable";

/// The content of a list.
#[derive(Debug, Default)]
pub struct List<T> {
    /// The licences or subjects of the list.
    pub entries: T,
    /// Counts of skipped and doubtful rows.
    pub notes: Notes,
    /// Subjects whose rows could not be read.
    pub unreadable: Unreadable,
}

/// Subjects whose rows could not be read in a list. Their known licences do not end because of that.
#[derive(Debug, Default)]
pub struct Unreadable {
    /// Subjects with a readable IČO.
    pub icos: BTreeSet<String>,
    /// True if there is a row without an identifiable subject, which may belong to any company.
    pub is_anyones: bool,
}

impl Unreadable {
    /// Whether one of these rows may be the subject's.
    #[must_use]
    pub fn may_be_of(&self, ico: &str) -> bool {
        self.is_anyones || self.icos.contains(ico)
    }
}

impl<T> List<T> {
    /// Takes the result of reading a row. A row of another shape is odd, and `ico` identifies its subject.
    ///
    /// # Errors
    /// Every failure except [`Failure::Malformed`].
    pub fn take(&mut self, row: Result<(), Failure>, ico: Option<String>) -> Result<(), Failure> {
        match row {
            Err(wrong @ Failure::Malformed(_)) => {
                self.notes.odd_row("unreadable_rows", &wrong);
                match ico {
                    Some(ico) => {
                        self.unreadable.icos.insert(ico);
                    }
                    None => self.unreadable.is_anyones = true,
                }
                Ok(())
            }
            other => other,
        }
    }
}

impl Held {
    /// Reads a record of an earlier import.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for a record in a format that this version does not know.
    pub fn of(stored: &records::Stored) -> Result<Self, Failure> {
        let Some(ico) = stored.ico.clone() else {
            return Err(malformed(
                format!("stored record {}", stored.key),
                "an IČO",
                "none",
            ));
        };
        Ok(Self {
            ico,
            licence: records::content(stored)?,
        })
    }
}

/// The record for all unreadable rows of a list that identify no subject. No company has it, so sections look for it;
/// see [`has_anyones_row`].
///
/// # Errors
/// As [`records::item`].
pub fn anyones_row() -> Result<Item, Failure> {
    records::item(ANYONES, None, &json!({ "unreadable_row": true }))
}

/// Whether an imported list had unreadable rows that identify no subject, so that any company may be in them.
///
/// # Errors
/// The host's refusal.
pub fn has_anyones_row(dataset: &str) -> Result<bool, Failure> {
    Ok(!records::by_key(dataset, ANYONES, 1)?.is_empty())
}

/// The key of a licence: `99999901/samostatny financny agent`. Different spellings of the text have the same key.
#[must_use]
pub fn key(ico: &str, license_type: &str) -> String {
    format!("{ico}/{}", text::fold(license_type))
}

/// The IČO in an `id` of a Slovak subject, padded to 8 digits. The lists omit leading zeros and insert spaces.
#[must_use]
pub fn ico(id: &str) -> Option<String> {
    let digits: String = id.split_whitespace().collect();
    let is_short = !digits.is_empty() && digits.len() <= 8;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    (is_short && is_number)
        .then(|| ico::parse(&format!("{digits:0>8}")))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_padded_to_an_ico() {
        for (id, expected) in [
            ("99999901", Some("99999901")),
            ("124", Some("00000124")),
            (" 99 999\u{a0}901 ", Some("99999901")),
            ("", None),
            ("0", None),
            ("SK99999901", None),
            ("2999999904", None),
        ] {
            assert_eq!(ico(id).as_deref(), expected, "{id}");
        }
    }

    #[test]
    fn the_key_does_not_depend_on_the_spelling() {
        let of = |text| key("99999901", text);
        assert_eq!(
            of("Samostatný finančný agent"),
            of("SAMOSTATNÝ  finančný agent.")
        );
        assert_ne!(of("finančný agent"), of("finančný poradca"));
    }
}
