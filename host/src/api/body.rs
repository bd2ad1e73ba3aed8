//! Strict JSON bodies: unknown fields are rejected by name, and one response lists all mistakes.
//!
//! A body with a declared length over the limit is rejected before it is read. Errors quote only a bounded part
//! of the client's text.

mod form;
mod json;
mod receive;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::Duration;

use axum::body::Body;
use axum::http::HeaderMap;
use serde_json::Value;

use super::error::{ApiError, Code};
use json::members;
pub use json::whole;
pub(super) use receive::{is_file, receive_file};
use receive::{receive, receive_unless_file};

/// Maximum number of reported mistakes per field.
const MAX_MISTAKES: usize = 20;

/// Maximum number of quoted characters of a client's text.
const MAX_QUOTED_CHARS: usize = 24;

fn too_large(most: usize) -> ApiError {
    let why = format!("the body is larger than {most} bytes");
    ApiError::new(Code::PayloadTooLarge, why)
}

#[derive(Debug, Clone, Copy)]
pub struct BodyBounds {
    /// Maximum size of a body in bytes.
    pub bytes: usize,
    /// Time within which the last byte must arrive.
    pub time: Duration,
}

/// The fields of a JSON object and the mistakes found so far.
#[derive(Debug)]
pub struct Fields {
    members: Vec<(String, Value)>,
    errors: BTreeMap<String, Vec<String>>,
}

impl Fields {
    /// Reads a body.
    ///
    /// # Errors
    /// 415 if it is not declared as JSON, 413 if it is too large, 408 if it does not arrive in time, 422 if it
    /// is not a JSON object.
    pub async fn read(
        headers: &HeaderMap,
        body: Body,
        bounds: BodyBounds,
    ) -> Result<Self, ApiError> {
        let bytes = receive(headers, body, bounds).await?;
        Ok(Self {
            members: members(&bytes)?,
            errors: BTreeMap::new(),
        })
    }

    /// Like [`Self::read`], for an endpoint that takes files too: the 415 names their media types.
    ///
    /// # Errors
    /// The same as of [`Self::read`].
    pub async fn read_unless_file(
        headers: &HeaderMap,
        body: Body,
        bounds: BodyBounds,
    ) -> Result<Self, ApiError> {
        let bytes = receive_unless_file(headers, body, bounds).await?;
        Ok(Self {
            members: members(&bytes)?,
            errors: BTreeMap::new(),
        })
    }

    /// Fields that were given elsewhere, such as in the query.
    #[must_use]
    pub fn of(members: Vec<(String, Value)>) -> Self {
        Self {
            members,
            errors: BTreeMap::new(),
        }
    }

    /// Like [`Self::read`], but an absent body means an empty object.
    ///
    /// # Errors
    /// The same as of [`Self::read`].
    pub async fn read_if_any(
        headers: &HeaderMap,
        body: Body,
        bounds: BodyBounds,
    ) -> Result<Self, ApiError> {
        if axum::body::HttpBody::is_end_stream(&body) {
            return Ok(Self {
                members: Vec::new(),
                errors: BTreeMap::new(),
            });
        }
        Self::read(headers, body, bounds).await
    }

    /// An optional text; null counts as missing.
    pub fn text(&mut self, name: &str) -> Option<String> {
        match self.take(name)? {
            Value::String(text) => Some(text),
            Value::Null => None,
            other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                self.wrong(name, format!("{}; expected a text", kind(&other)));
                None
            }
        }
    }

    /// Whether a field is there, even as null.
    #[must_use]
    pub fn is_given(&self, name: &str) -> bool {
        self.members.iter().any(|(member, _)| member == name)
    }

    /// Whether a field is there as null.
    #[must_use]
    pub fn is_null(&self, name: &str) -> bool {
        let mut members = self.members.iter();
        members.any(|(member, value)| member == name && value.is_null())
    }

    /// An optional switch, off by default; null counts as missing.
    pub fn flag(&mut self, name: &str) -> bool {
        match self.take(name) {
            Some(Value::Bool(flag)) => flag,
            None | Some(Value::Null) => false,
            Some(
                other @ (Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_)),
            ) => {
                self.wrong(name, format!("{}; expected a boolean", kind(&other)));
                false
            }
        }
    }

    /// An optional whole number within a range; null counts as missing.
    pub fn whole_number(&mut self, name: &str, range: RangeInclusive<u64>) -> Option<u64> {
        let value = self.take(name).filter(|value| !value.is_null())?;
        let number = whole(&value).filter(|number| range.contains(number));
        if number.is_none() {
            let (least, most) = (range.start(), range.end());
            self.wrong(
                name,
                format!("expected a whole number from {least} to {most}"),
            );
        }
        number
    }

    /// Like [`Self::list`], but a missing list or null means an empty list.
    pub fn optional_list<T>(
        &mut self,
        name: &str,
        check: impl Fn(&str) -> Result<T, String>,
    ) -> Vec<T> {
        let place = self.members.iter().find(|(member, _)| member == name);
        match place {
            None => Vec::new(),
            Some((_, Value::Null)) => {
                self.take(name);
                Vec::new()
            }
            Some(_) => self.list(name, check),
        }
    }

    /// A required list of texts. `check` validates each text.
    pub fn list<T>(&mut self, name: &str, check: impl Fn(&str) -> Result<T, String>) -> Vec<T> {
        self.items(name, "a list of texts", |item| match item {
            Value::String(text) => check(text),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_) => Err(format!("{}; expected a text", kind(item))),
        })
    }

    /// A required list. `check` validates each item. If the list is missing, the message names `wanted`.
    pub fn items<T>(
        &mut self,
        name: &str,
        wanted: &str,
        check: impl Fn(&Value) -> Result<T, String>,
    ) -> Vec<T> {
        let Some(value) = self.take(name) else {
            self.wrong(name, format!("it is missing; expected {wanted}"));
            return Vec::new();
        };
        let Value::Array(items) = value else {
            let why = format!("{}; expected {wanted}", kind(&value));
            self.wrong(name, why);
            return Vec::new();
        };
        let mut list = Vec::with_capacity(items.len());
        let mut mistakes = 0;
        for (place, item) in items.iter().enumerate() {
            let checked = check(item).map_err(|why| match item {
                Value::String(text) => format!("[{place}] {}: {why}", shown(text)),
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::Array(_)
                | Value::Object(_) => format!("[{place}] {why}"),
            });
            match checked {
                Ok(item) => list.push(item),
                Err(why) => {
                    mistakes += 1;
                    if mistakes <= MAX_MISTAKES {
                        self.wrong(name, why);
                    }
                }
            }
        }
        if mistakes > MAX_MISTAKES {
            self.wrong(name, format!("and {} more", mistakes - MAX_MISTAKES));
        }
        list
    }

    /// Records a mistake in a field.
    pub fn wrong(&mut self, name: &str, why: impl Into<String>) {
        let mistakes = self.errors.entry(name.to_owned()).or_default();
        mistakes.push(why.into());
    }

    /// Whether a mistake was recorded for the field.
    #[must_use]
    pub fn is_wrong(&self, name: &str) -> bool {
        self.errors.contains_key(name)
    }

    /// Finishes reading. Remaining fields are unknown.
    ///
    /// # Errors
    /// A 422 that lists all mistakes.
    pub fn end(mut self, known: &[&str]) -> Result<(), ApiError> {
        let left = std::mem::take(&mut self.members);
        let accepted = known.join(", ");
        for (name, _) in left.iter().take(MAX_MISTAKES) {
            if known.contains(&name.as_str()) {
                self.wrong(name, "given more than once");
            } else {
                let why = format!("unknown field; accepted: {accepted}");
                self.wrong(&shortened(name), why);
            }
        }
        if self.errors.is_empty() {
            Ok(())
        } else {
            Err(ApiError::all_invalid(self.errors))
        }
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        let place = self.members.iter().position(|(member, _)| member == name)?;
        Some(self.members.remove(place).1)
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "it is null",
        Value::Bool(_) => "it is a boolean",
        Value::Number(_) => "it is a number",
        Value::String(_) => "it is a text",
        Value::Array(_) => "it is a list",
        Value::Object(_) => "it is an object",
    }
}

/// Quotes the beginning of a client's text for a message.
fn shown(text: &str) -> String {
    Value::from(shortened(text)).to_string()
}

fn shortened(text: &str) -> String {
    let mut beginning: String = text.chars().take(MAX_QUOTED_CHARS).collect();
    if beginning.len() < text.len() {
        beginning.push('…');
    }
    beginning
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_shown_by_their_beginning() {
        assert_eq!(shown("a\"b"), r#""a\"b""#);
        assert_eq!(shortened(&"č".repeat(24)), "č".repeat(24));
        assert_eq!(shortened(&"č".repeat(25)), format!("{}…", "č".repeat(24)));
    }
}
