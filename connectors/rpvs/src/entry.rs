//! Objects of an answer, read member by member, with their place for the message when one has another form.

use lustra_sdk::{Failure, date, malformed, text};
use serde_json::{Map, Value};

/// What a date that was never set looks like.
const UNSET: [&str; 3] = ["0001-01-01", "0000-00-00", "1800-01-01"];

/// One object and where it stands.
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

    /// A member's text: of a text, of a number, or of an object its `Meno`, as code lists have it. Null, an empty text
    /// and a member that is not there are none.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for a value of another kind.
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

    /// A member's day, `YYYY-MM-DD`: the first ten characters of the local time that the register writes. Null, an
    /// empty text, a day that was never set and a member that is not there are none.
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

    /// [`Entry::day`] of a member that decides something: it must be there, if only as null.
    ///
    /// # Errors
    /// As [`Entry::day`]; [`Failure::Malformed`] where it is missing.
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

    /// A member that is true or false; null and a member that is not there are none.
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

    /// A whole number that must be there.
    ///
    /// # Errors
    /// [`Failure::Malformed`].
    pub fn number(&self, name: &str) -> Result<i64, Failure> {
        let value = self.members.get(name);
        value
            .and_then(Value::as_i64)
            .ok_or_else(|| self.wrong(name, "a whole number", value.unwrap_or(&Value::Null)))
    }

    /// The rows of a list that must be there, each an object or [`Failure::Malformed`].
    ///
    /// # Errors
    /// [`Failure::Malformed`] where there is no list.
    pub fn list(&self, name: &str) -> Result<Vec<Result<Self, Failure>>, Failure> {
        match self.members.get(name) {
            Some(Value::Array(items)) => Ok(self.objects(name, items).collect()),
            other => Err(self.wrong(name, "a list", other.unwrap_or(&Value::Null))),
        }
    }

    /// The objects of a member of which is not known whether it has one or several: null has none. `None`: the answer
    /// has no such member.
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

/// The kind of a value, for messages.
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
