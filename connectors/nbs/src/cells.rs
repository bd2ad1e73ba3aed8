//! Reads members of a list's rows without guessing. A failure names the place and the type of the value, never its
//! text, since a row may be a natural person's.

use lustra_sdk::{Failure, malformed, text};
use serde_json::{Map, Value};

use crate::licence;
use crate::names::UPSTREAM;

/// Parses a whole list.
///
/// # Errors
/// [`Failure::Unavailable`] for an HTML page, [`Failure::Malformed`] for anything else that is not JSON.
pub fn json(list: &str, text: &str) -> Result<Value, Failure> {
    if text.trim_start().starts_with('<') {
        return Err(Failure::Unavailable(format!(
            "{UPSTREAM} answered with a page of HTML instead of JSON"
        )));
    }
    serde_json::from_str(text).map_err(|error| malformed(list, "JSON", error.to_string()))
}

/// A row of a list, with its place for failures.
pub struct Row<'a> {
    place: String,
    members: &'a Map<String, Value>,
}

impl<'a> Row<'a> {
    /// A row at a place such as `api/json: institutions/7`.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for anything but an object.
    pub fn of(place: String, row: &'a Value) -> Result<Self, Failure> {
        match row.as_object() {
            Some(members) => Ok(Self { place, members }),
            None => Err(malformed(place, "an object", kind(Some(row)))),
        }
    }

    /// The failure for a member of another type.
    pub fn wrong(&self, name: &str, expected: &str) -> Failure {
        malformed(self.at(name), expected, kind(self.members.get(name)))
    }

    /// The place of a member.
    pub fn at(&self, name: &str) -> String {
        format!("{}/{name}", self.place)
    }

    /// A member, which may be null. `None` if it is missing.
    pub fn get(&self, name: &str) -> Option<&'a Value> {
        self.members.get(name)
    }

    /// A text on one line that has letters or digits.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for anything else.
    pub fn text(&self, name: &str) -> Result<String, Failure> {
        let found = self.get(name).and_then(Value::as_str).map(text::squeeze);
        found
            .filter(|found| !text::fold(found).is_empty())
            .ok_or_else(|| self.wrong(name, "a text"))
    }

    /// A text on one line. `None` if the member is missing, null or without letters and digits.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for another type.
    pub fn optional_text(&self, name: &str) -> Result<Option<String>, Failure> {
        match self.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(raw)) => {
                Ok(Some(text::squeeze(raw)).filter(|found| !text::fold(found).is_empty()))
            }
            Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                Err(self.wrong(name, "a text or null"))
            }
        }
    }

    /// Whether the member is missing, null or a text without letters and digits.
    pub fn is_blank(&self, name: &str) -> bool {
        match self.get(name) {
            None | Some(Value::Null) => true,
            Some(Value::String(raw)) => text::fold(raw).is_empty(),
            Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => false,
        }
    }

    /// The id of a foreign subject, a text or a whole number. Digits are padded like those of an IČO, other texts are
    /// folded. `None` if it is missing, or has no digit other than zero.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for another type.
    pub fn foreign_id(&self, name: &str) -> Result<Option<String>, Failure> {
        let id = match self.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(id)) => id.clone(),
            Some(Value::Number(id)) if id.is_u64() => id.to_string(),
            Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                return Err(self.wrong(name, "a text, a whole number or null"));
            }
        };
        let id = licence::ico(&id).unwrap_or_else(|| text::fold(&id));
        let tells = |digit: char| digit.is_ascii_digit() && digit != '0';
        Ok(Some(id).filter(|id| id.contains(tells)))
    }

    /// An ISO 3166-1 alpha-2 code in upper case. It decides whether an `id` is an IČO, so no other text is accepted.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for anything else.
    pub fn country(&self, name: &str) -> Result<String, Failure> {
        let country = self.text(name)?.to_ascii_uppercase();
        if country.len() == 2 && country.bytes().all(|byte| byte.is_ascii_uppercase()) {
            Ok(country)
        } else {
            Err(self.wrong(name, "a country of two letters"))
        }
    }

    /// The IČO in a Slovak subject's `id`, which is a text or a whole number. `None` if it contains no readable IČO, is
    /// null or is missing: the list may omit every member.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for anything else.
    pub fn ico(&self, name: &str) -> Result<Option<String>, Failure> {
        match self.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(id)) => Ok(licence::ico(id)),
            Some(Value::Number(id)) if id.is_u64() => Ok(licence::ico(&id.to_string())),
            Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                Err(self.wrong(name, "a text or a whole number"))
            }
        }
    }
}

/// The IČO in a row of any shape, if one can be read.
pub fn ico_of(row: &Value, name: &str) -> Option<String> {
    match row.get(name)? {
        Value::String(id) => licence::ico(id),
        Value::Number(id) if id.is_u64() => licence::ico(&id.to_string()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            None
        }
    }
}

/// The type of a value, without its content.
pub fn kind(value: Option<&Value>) -> &'static str {
    match value {
        None => "nothing",
        Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "a boolean",
        Some(Value::Number(_)) => "a number",
        Some(Value::String(_)) => "another text",
        Some(Value::Array(_)) => "a list",
        Some(Value::Object(_)) => "an object",
    }
}
