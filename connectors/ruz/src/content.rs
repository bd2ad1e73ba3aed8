//! Objects of the register's answers, which omit members without a value.
//!
//! So a missing member means *there is none*. But a renamed member would be missing too. So an object records whether
//! it has unknown members. If it has, a missing member proves nothing and is a failure.

use lustra_sdk::serde_json::{self, Map, Value};
use lustra_sdk::{Failure, amount, date, http, malformed};

/// The upstream of the register, which failures name.
pub const UPSTREAM: &str = "ruz";

/// An object and its place.
#[derive(Debug)]
pub struct Object {
    place: String,
    members: Map<String, Value>,
    unknown: Option<String>,
}

impl Object {
    /// Reads an answer, which must be an object with members of these names.
    ///
    /// # Errors
    /// [`Failure::Unavailable`] for HTML, [`Failure::Malformed`] for anything else that is not a JSON object.
    pub fn read(what: &str, text: &str, known: &[&str]) -> Result<Self, Failure> {
        let members: Map<String, Value> = http::read_json(UPSTREAM, text)?;
        Ok(Self::of(what.to_owned(), members, known))
    }

    fn of(place: String, members: Map<String, Value>, known: &[&str]) -> Self {
        let unknown = members
            .keys()
            .find(|name| !known.contains(&name.as_str()))
            .cloned();
        Self {
            place,
            members,
            unknown,
        }
    }

    /// The failure for a member of another shape.
    #[must_use]
    pub fn wrong(&self, name: &str, expected: &str) -> Failure {
        let found = self.members.get(name).map_or_else(
            || match &self.unknown {
                Some(unknown) => format!("no {name}, but an unknown member {unknown}"),
                None => format!("no {name}"),
            },
            Value::to_string,
        );
        malformed(format!("{}: /{name}", self.place), expected, found)
    }

    /// Whether a member is present and not null.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.members.get(name).is_some_and(|value| !value.is_null())
    }

    /// Accepts a missing member as *there is none*.
    ///
    /// # Errors
    /// [`Failure::Malformed`] if the object has an unknown member, which may be the missing one under another name.
    pub fn may_lack(&self, name: &str) -> Result<(), Failure> {
        if self.has(name) || self.unknown.is_none() {
            return Ok(());
        }
        Err(self.wrong(name, "the member, or none that is unknown"))
    }

    fn value<T>(
        &self,
        name: &str,
        expected: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<T>, Failure> {
        match self.members.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => read(value)
                .map(Some)
                .ok_or_else(|| self.wrong(name, expected)),
        }
    }

    /// A whole number.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for anything else.
    pub fn number(&self, name: &str) -> Result<Option<u64>, Failure> {
        self.value(name, "a whole number", Value::as_u64)
    }

    /// A whole number, which must be present.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for anything else.
    pub fn needed_number(&self, name: &str) -> Result<u64, Failure> {
        self.number(name)?
            .ok_or_else(|| self.wrong(name, "a whole number"))
    }

    /// A boolean. A missing member is `false`.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for anything else.
    pub fn flag(&self, name: &str) -> Result<bool, Failure> {
        Ok(self
            .value(name, "true or false", Value::as_bool)?
            .unwrap_or(false))
    }

    /// A text without surrounding space. An empty text counts as missing.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for anything that is not a text.
    pub fn text(&self, name: &str) -> Result<Option<String>, Failure> {
        let text = self.value(name, "a text", |value| value.as_str().map(str::to_owned))?;
        Ok(text
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty()))
    }

    /// A date as `YYYY-MM-DD`.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for anything that is not a date.
    pub fn date(&self, name: &str) -> Result<Option<String>, Failure> {
        let Some(text) = self.text(name)? else {
            return Ok(None);
        };
        let date = date::parse(&text);
        date.map(Some).ok_or_else(|| self.wrong(name, "a date"))
    }

    /// A list of numbers. A missing list is empty.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for anything else.
    pub fn numbers(&self, name: &str) -> Result<Vec<u64>, Failure> {
        let numbers = self.value(name, "a list of whole numbers", |value| {
            value.as_array()?.iter().map(Value::as_u64).collect()
        })?;
        Ok(numbers.unwrap_or_default())
    }

    /// An object inside this one.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for anything else.
    pub fn inner(&self, name: &str, known: &[&str]) -> Result<Option<Self>, Failure> {
        let members = self.value(name, "an object", |value| value.as_object().cloned())?;
        let place = format!("{}: /{name}", self.place);
        Ok(members.map(|members| Self::of(place, members, known)))
    }

    /// A list of objects. A missing list is empty.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for anything else.
    pub fn list(&self, name: &str, known: &[&str]) -> Result<Vec<Self>, Failure> {
        let items = self.value(name, "a list of objects", |value| {
            let items = value.as_array()?.iter();
            items.map(|item| item.as_object().cloned()).collect()
        })?;
        let items: Vec<Map<String, Value>> = items.unwrap_or_default();
        let at = |place: usize| format!("{}: /{name}/{place}", self.place);
        let items = items.into_iter().enumerate();
        Ok(items
            .map(|(place, members)| Self::of(at(place), members, known))
            .collect())
    }

    /// Cells of a table. They are texts; a null counts as an empty text.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for anything else.
    pub fn cells(&self, name: &str) -> Result<Vec<String>, Failure> {
        let cells = self.value(name, "a list of texts", |value| {
            let cells = value.as_array()?.iter();
            cells
                .map(|cell| match cell {
                    Value::String(text) => Some(text.clone()),
                    Value::Null => Some(String::new()),
                    Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
                })
                .collect()
        })?;
        cells.ok_or_else(|| self.wrong(name, "a list of texts"))
    }

    /// A plain text, or the Slovak text of an object with one text per language.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for anything else.
    pub fn words(&self, name: &str) -> Result<Option<String>, Failure> {
        let words = self.value(name, "a text, or an object with sk", |value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Object(languages) => match languages.get("sk") {
                None | Some(Value::Null) => Some(String::new()),
                Some(text) => text.as_str().map(str::to_owned),
            },
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
        })?;
        Ok(words
            .map(|words| words.trim().to_owned())
            .filter(|words| !words.is_empty()))
    }

    /// The place of the object, for failures of callers.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }
}

/// The most digits before the decimal point of an amount. JSON numbers are exact up to 15 digits and far from infinite
/// with 18.
const MAX_DIGITS: usize = 18;

/// A cell's amount as decimal text. `None` for a blank cell.
///
/// # Errors
/// [`Failure::Malformed`] for any other text, and for an amount with more than [`MAX_DIGITS`].
pub fn amount_of(place: &str, cell: &str) -> Result<Option<String>, Failure> {
    if cell.trim().is_empty() {
        return Ok(None);
    }
    let amount = amount::parse(cell).filter(|amount| {
        let whole = amount.split('.').next().unwrap_or_default();
        whole.trim_start_matches('-').len() <= MAX_DIGITS
    });
    amount
        .map(Some)
        .ok_or_else(|| malformed(place, "an amount or a blank cell", cell))
}

/// The stored section, if it still has the current format.
#[must_use]
pub fn stored<T: serde::de::DeserializeOwned>(previous: Option<&str>) -> Option<T> {
    serde_json::from_str(previous?).ok()
}
