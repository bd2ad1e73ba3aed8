//! One record of the register, as the JSON interface and the dumps share it. It has only the fields that a base company
//! needs, so that the rest of a line is skipped without being stored.
//!
//! Nearly every field is a list of items with a validity. The current item is the open one. If a record was closed with
//! all its items, it is the one that was closed last.

use lustra_sdk::ico;
use serde::{Deserialize, Deserializer};

/// One record, or one row of a search.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// The register's internal id.
    pub id: u64,
    /// IČO; very old records have a word instead.
    #[serde(default, deserialize_with = "list")]
    pub identifiers: Vec<Timed<String>>,
    #[serde(default, deserialize_with = "list")]
    pub full_names: Vec<Timed<String>>,
    #[serde(default, deserialize_with = "list")]
    pub addresses: Vec<Place>,
    /// Codes of CL000056; a search row has none.
    #[serde(default, deserialize_with = "list")]
    pub legal_forms: Vec<Timed<Code>>,
    /// Codes of CL010108; several may be open at once.
    #[serde(default, deserialize_with = "list")]
    pub legal_statuses: Vec<Timed<Code>>,
    pub establishment: Option<String>,
    pub termination: Option<String>,
    /// The register that the record was taken from.
    pub source_register: Option<SourceRegister>,
    pub statistical_codes: Option<StatisticalCodes>,
}

/// A value with its validity.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Timed<T> {
    pub value: Option<T>,
    pub valid_from: Option<String>,
    /// The last day. Absent, null or empty while the item is open.
    pub valid_to: Option<String>,
}

/// A value of a code list.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Code {
    pub value: Option<String>,
    pub code: Option<String>,
    pub codelist_code: Option<String>,
}

/// A seat with its validity.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Place {
    pub valid_from: Option<String>,
    pub valid_to: Option<String>,
    /// The whole address in one text, if the parts are not known.
    #[serde(default, deserialize_with = "text")]
    pub formated_address: Option<String>,
    pub street: Option<String>,
    /// The registration number of the building (súpisné číslo); 0 means none.
    pub reg_number: Option<i64>,
    /// The number in the street (orientačné číslo), sometimes both numbers.
    pub building_number: Option<String>,
    /// Postal codes. Some foreign addresses have none.
    #[serde(default, deserialize_with = "list")]
    pub postal_codes: Vec<String>,
    /// The municipality or city district.
    pub municipality: Option<Code>,
    /// The country. Its code is the ISO 3166-1 number.
    pub country: Option<Code>,
}

/// The register that a record was taken from.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceRegister {
    /// A code of CL010112; 1 is the commercial register.
    pub value: Option<Code>,
    #[serde(default, deserialize_with = "list")]
    pub registration_offices: Vec<Timed<String>>,
    #[serde(default, deserialize_with = "list")]
    pub registration_numbers: Vec<Timed<String>>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatisticalCodes {
    /// The main activity. Its code list says which edition of NACE it is.
    pub main_activity: Option<Code>,
}

/// An item with a validity.
pub trait Dated {
    /// The first day. Empty if it is not given.
    fn valid_from(&self) -> &str;
    /// The last day. `None` while the item is open.
    fn valid_to(&self) -> Option<&str>;
}

impl<T> Dated for Timed<T> {
    fn valid_from(&self) -> &str {
        self.valid_from.as_deref().unwrap_or_default().trim()
    }

    fn valid_to(&self) -> Option<&str> {
        filled(self.valid_to.as_deref())
    }
}

impl Dated for Place {
    fn valid_from(&self) -> &str {
        self.valid_from.as_deref().unwrap_or_default().trim()
    }

    fn valid_to(&self) -> Option<&str> {
        filled(self.valid_to.as_deref())
    }
}

/// The current item: the open one with the newest beginning, else the one that was closed last.
pub fn current<T: Dated>(items: &[T]) -> Option<&T> {
    items.iter().max_by_key(|item| rank(*item))
}

/// The text of the current item.
pub fn current_text(items: &[Timed<String>]) -> Option<&str> {
    current(items).and_then(|item| item.value.as_deref())
}

/// Whether no item of the list is open.
pub fn all_closed<T: Dated>(items: &[T]) -> bool {
    items.iter().all(|item| item.valid_to().is_some())
}

impl Record {
    /// The current one of the usable IČO, with its item.
    #[must_use]
    pub fn ico(&self) -> Option<(String, &Timed<String>)> {
        self.identifiers
            .iter()
            .filter_map(|item| Some((ico::parse(item.value.as_deref()?)?, item)))
            .max_by_key(|(_, item)| rank(*item))
    }

    /// Whether the record has or had this IČO.
    #[must_use]
    pub fn had_ico(&self, ico: &str) -> bool {
        self.identifiers
            .iter()
            .filter_map(|item| ico::parse(item.value.as_deref()?))
            .any(|number| number == ico)
    }

    /// Whether the record was closed with all its items, the IČO too. Ended sole traders look like this.
    #[must_use]
    pub fn is_all_closed(&self) -> bool {
        !self.identifiers.is_empty()
            && all_closed(&self.identifiers)
            && all_closed(&self.full_names)
            && all_closed(&self.addresses)
            && all_closed(&self.legal_forms)
    }

    /// The code of the source register.
    #[must_use]
    pub fn source_code(&self) -> Option<&str> {
        self.source_register
            .as_ref()?
            .value
            .as_ref()?
            .code
            .as_deref()
    }
}

/// Sorts the current item last. The dates are in ISO form, so texts sort like dates.
fn rank<T: Dated>(item: &T) -> (bool, &str, &str) {
    (
        item.valid_to().is_none(),
        item.valid_to().unwrap_or_default(),
        item.valid_from(),
    )
}

fn filled(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

/// A list that may be null.
fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// A text whose type is not confirmed. Any other type counts as absent, since the text is only a last resort.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let value = serde_json::Value::deserialize(deserializer)?;
    Ok(value.as_str().map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(value: &str, from: &str, to: Option<&str>) -> Timed<String> {
        Timed {
            value: Some(value.to_owned()),
            valid_from: Some(from.to_owned()),
            valid_to: to.map(str::to_owned),
        }
    }

    #[test]
    fn open_item_is_current_in_any_order() {
        let items = [
            item("now", "2012-03-01", None),
            item("later closed", "2020-01-01", Some("2021-01-01")),
            item("null in disguise", "2011-01-01", Some(" ")),
        ];
        assert_eq!(current_text(&items), Some("now"));
    }

    #[test]
    fn last_closed_item_is_current_without_open_ones() {
        let items = [
            item("noise", "2022-01-01", Some("1800-01-01")),
            item("last", "2012-01-01", Some("2021-01-01")),
            item("first", "2010-01-01", Some("2012-01-01")),
        ];
        assert_eq!(current_text(&items), Some("last"));
        assert_eq!(current_text(&[]), None);
    }
}
