//! Reads objects of an answer, member by member, and keeps their place for failures.

use lustra_sdk::{Failure, date, malformed, text};
use serde_json::{Map, Value};

/// Placeholders for a date that was never set.
const UNSET: [&str; 3] = ["0001-01-01", "0000-00-00", "1800-01-01"];

/// One object and its place.
#[derive(Debug, Clone)]
pub struct Entry<'a> {
    members: &'a Map<String, Value>,
    place: String,
}

impl<'a> Entry<'a> {
    /// An object of an answer.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for anything else.
    pub fn of(value: &'a Value, place: impl Into<String>) -> Result<Self, Failure> {
        let place = place.into();
        match value.as_object() {
            Some(members) => Ok(Self { members, place }),
            None => Err(malformed(place, "an object", kind(value))),
        }
    }

    /// The place of a member, for messages.
    #[must_use]
    pub fn place(&self, name: &str) -> String {
        format!("{}/{name}", self.place)
    }

    /// A member's text: a text, a number, or the member `Meno` of an object, as code lists have it. `None` for null, an
    /// empty text and a missing member.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for a value of another type.
    pub fn text(&self, name: &str) -> Result<Option<String>, Failure> {
        match self.members.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(raw)) => Ok(text::present(raw)),
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            Some(Value::Object(named)) => match named.get("Meno") {
                Some(Value::String(raw)) => Ok(text::present(raw)),
                None | Some(Value::Null) => Ok(None),
                Some(other) => Err(self.wrong(&format!("{name}/Meno"), "a text", other)),
            },
            Some(other) => Err(self.wrong(name, "a text", other)),
        }
    }

    /// A member's day, `YYYY-MM-DD`: the first ten characters of the local time that the register writes. `None` for
    /// null, an empty text, a placeholder and a missing member.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for anything else.
    pub fn day(&self, name: &str) -> Result<Option<String>, Failure> {
        match self.members.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(raw)) => {
                let raw = raw.trim();
                if raw.is_empty() || UNSET.iter().any(|unset| raw.starts_with(unset)) {
                    return Ok(None);
                }
                let read = date::parse(raw).ok_or_else(|| {
                    malformed(
                        self.place(name),
                        "a date such as 2026-01-15T00:00:00+01:00",
                        raw,
                    )
                });
                read.map(Some)
            }
            Some(other) => Err(self.wrong(name, "a date", other)),
        }
    }

    /// Like [`Entry::day`], for a member that must be present, even if null.
    ///
    /// # Errors
    /// As [`Entry::day`]; [`Failure::Malformed`] if it is missing.
    pub fn stated_day(&self, name: &str) -> Result<Option<String>, Failure> {
        self.must_have(name)?;
        self.day(name)
    }

    /// Fails where a member is missing.
    ///
    /// # Errors
    /// [`Failure::Malformed`].
    pub fn must_have(&self, name: &str) -> Result<(), Failure> {
        if self.members.contains_key(name) {
            Ok(())
        } else {
            Err(malformed(
                self.place(name),
                "a value or null",
                "no such member",
            ))
        }
    }

    /// A boolean member. `None` for null and a missing member.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for anything else.
    pub fn flag(&self, name: &str) -> Result<Option<bool>, Failure> {
        match self.members.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(other) => Err(self.wrong(name, "true or false", other)),
        }
    }

    /// A whole number, which must be present.
    ///
    /// # Errors
    /// [`Failure::Malformed`].
    pub fn number(&self, name: &str) -> Result<i64, Failure> {
        let value = self.members.get(name);
        value
            .and_then(Value::as_i64)
            .ok_or_else(|| self.wrong(name, "a whole number", value.unwrap_or(&Value::Null)))
    }

    /// The rows of a list, which must be present. Each row is an object or [`Failure::Malformed`].
    ///
    /// # Errors
    /// [`Failure::Malformed`] if there is no list.
    pub fn list(&self, name: &str) -> Result<Vec<Result<Self, Failure>>, Failure> {
        match self.members.get(name) {
            Some(Value::Array(items)) => Ok(self.objects(name, items).collect()),
            other => Err(self.wrong(name, "a list", other.unwrap_or(&Value::Null))),
        }
    }

    /// The objects of a member that may hold one object or a list. Empty for null. `None` if the answer has no such
    /// member.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for anything else.
    pub fn one_or_several(&self, name: &str) -> Result<Option<Vec<Self>>, Failure> {
        match self.members.get(name) {
            None => Ok(None),
            Some(Value::Null) => Ok(Some(Vec::new())),
            Some(Value::Array(items)) => self
                .objects(name, items)
                .collect::<Result<_, _>>()
                .map(Some),
            Some(object) => Self::of(object, self.place(name)).map(|one| Some(vec![one])),
        }
    }

    fn objects(
        &self,
        name: &str,
        items: &'a [Value],
    ) -> impl Iterator<Item = Result<Self, Failure>> {
        let placed = items.iter().enumerate();
        placed.map(move |(at, item)| Self::of(item, format!("{}/{name}/{at}", self.place)))
    }

    /// The value may be a person's name, so only its type is reported.
    fn wrong(&self, name: &str, expected: &str, found: &Value) -> Failure {
        malformed(self.place(name), expected, kind(found))
    }
}

/// The type of a value, for failures.
#[must_use]
pub fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null or nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
