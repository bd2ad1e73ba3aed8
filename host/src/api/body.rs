//! Strict JSON bodies: unknown fields are rejected by name, and one response lists all mistakes.
//!
//! A body with a declared length over the limit is rejected before it is read. Errors quote only a bounded part
//! of the client's text.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use axum::http::{HeaderMap, HeaderName, header};
use futures_util::StreamExt;
use serde::Deserializer;
use serde::de::{MapAccess, Visitor};
use serde_json::Value;

use super::error::{ApiError, Code};

/// How much of a rejected body is read and discarded, and for how long. Most clients read the response only
/// after sending the whole request.
const MAX_DISCARDED_BYTES: usize = 64 << 20;
const DISCARDED_FOR: Duration = Duration::from_secs(5);

/// Maximum number of reported mistakes per field.
const MAX_MISTAKES: usize = 20;

/// Maximum number of quoted characters of a client's text.
const MAX_QUOTED_CHARS: usize = 24;

#[derive(Debug, Clone, Copy)]
pub struct BodyBounds {
    /// Maximum size.
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
        let waits = headers.contains_key(header::EXPECT);
        let mut stream = body.into_data_stream();
        let reading = bytes_of(headers, &mut stream, bounds.bytes);
        let Ok(read) = tokio::time::timeout(bounds.time, reading).await else {
            let seconds = bounds.time.as_secs();
            let why = format!("the body did not arrive within {seconds} s");
            return Err(ApiError::new(Code::RequestTimeout, why).closing());
        };
        let bytes = match read {
            Ok(bytes) => bytes,
            Err(error) => {
                // A client that sent `Expect: 100-continue` has not sent the body yet.
                if !waits {
                    discard(stream).await;
                }
                return Err(error);
            }
        };
        Ok(Self {
            members: members(&bytes)?,
            errors: BTreeMap::new(),
        })
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
                self.wrong(name, format!("{}, and a text is wanted", kind(&other)));
                None
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
                format!("a whole number from {least} to {most} is wanted"),
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
            | Value::Object(_) => Err(format!("{}, and a text is wanted", kind(item))),
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
            self.wrong(name, format!("it is missing; {wanted} is wanted"));
            return Vec::new();
        };
        let Value::Array(items) = value else {
            let why = format!("{}, and {wanted} is wanted", kind(&value));
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

async fn bytes_of(
    headers: &HeaderMap,
    stream: &mut BodyDataStream,
    most: usize,
) -> Result<Vec<u8>, ApiError> {
    if !is_json(headers) {
        return Err(ApiError::new(
            Code::UnsupportedMediaType,
            "send JSON, with the header Content-Type: application/json and no Content-Encoding",
        ));
    }
    let too_large = || {
        ApiError::new(
            Code::PayloadTooLarge,
            format!("the body is larger than {most} bytes"),
        )
    };
    let length = text(headers, &header::CONTENT_LENGTH).and_then(|length| length.parse().ok());
    if length.is_some_and(|length: u64| length > most as u64) {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|error| {
            tracing::debug!(%error, "request body ended early");
            ApiError::invalid("body", "it was broken off")
        })?;
        if bytes.len() + chunk.len() > most {
            return Err(too_large());
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

async fn discard(mut stream: BodyDataStream) {
    let discarding = async {
        let mut left = MAX_DISCARDED_BYTES;
        while let Some(Ok(chunk)) = stream.next().await {
            left = left.saturating_sub(chunk.len());
            if left == 0 {
                break;
            }
        }
    };
    // A slower client may miss the response.
    drop(tokio::time::timeout(DISCARDED_FOR, discarding).await);
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn is_json(headers: &HeaderMap) -> bool {
    let encoding = text(headers, &header::CONTENT_ENCODING).unwrap_or("identity");
    let declared = text(headers, &header::CONTENT_TYPE).unwrap_or_default();
    let media_type = declared.split(';').next().unwrap_or_default().trim();
    let media_type = media_type.to_ascii_lowercase();
    let is_json = media_type == "application/json"
        || (media_type.starts_with("application/") && media_type.ends_with("+json"));
    is_json && encoding.trim().eq_ignore_ascii_case("identity")
}

/// The members of a JSON object in their order, including duplicates.
fn members(bytes: &[u8]) -> Result<Vec<(String, Value)>, ApiError> {
    struct Members;
    impl<'de> Visitor<'de> for Members {
        type Value = Vec<(String, Value)>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut members = Vec::new();
            while let Some(member) = map.next_entry()? {
                members.push(member);
            }
            Ok(members)
        }
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let read = reader
        .deserialize_map(Members)
        .and_then(|members| reader.end().map(|()| members));
    read.map_err(|error| {
        let why = if bytes.iter().all(u8::is_ascii_whitespace) {
            "it is empty, and a JSON object is wanted".to_owned()
        } else if error.is_data() {
            "it is JSON, but no object".to_owned()
        } else {
            // The error names line and column and does not quote the body.
            format!("it is not JSON: {error}")
        };
        ApiError::invalid("body", why)
    })
}

/// The largest number below which every whole number has an exact `f64`.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// A non-negative whole number. Accepts a zero fraction such as `55.0`: JSON has one number type, and JSON
/// Schema treats it as an integer.
#[must_use]
pub fn whole(value: &Value) -> Option<u64> {
    let of_float = || {
        let number = value.as_f64()?;
        let is_whole = number.fract() == 0.0 && (0.0..=LARGEST_EXACT).contains(&number);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "used where it is whole and within range alone"
        )]
        let whole = number as u64;
        is_whole.then_some(whole)
    };
    value.as_u64().or_else(of_float)
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
    use axum::http::HeaderValue;

    use super::*;

    fn declared(content_type: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static(content_type))])
    }

    #[test]
    fn json_is_known_by_its_media_type() {
        for json in [
            "application/json",
            "application/json; charset=utf-8",
            "Application/JSON;charset=UTF-8",
            "application/vnd.api+json",
        ] {
            assert!(is_json(&declared(json)), "{json}");
        }
        for other in ["", "text/plain", "text/json", "application/jsonx", "json"] {
            assert!(!is_json(&declared(other)), "{other}");
        }
        let mut packed = declared("application/json");
        packed.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        assert!(!is_json(&packed));
        assert!(!is_json(&HeaderMap::new()));
    }

    #[test]
    fn whole_number_with_fraction_of_zero_is_whole() {
        let read = |text: &str| whole(&serde_json::from_str(text).expect("it is JSON"));
        for (text, number) in [("0", 0), ("55.0", 55), ("5.5e1", 55), ("-0.0", 0)] {
            assert_eq!(read(text), Some(number), "{text}");
        }
        for text in ["55.5", "-1", "-1.0", "1e300", "\"55\"", "null"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn duplicate_members_are_kept() {
        let read = members(br#" {"a": 1, "b": [], "a": 2} "#).expect("it is an object");
        let names: Vec<&str> = read.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a", "b", "a"]);
        for wrong in ["", "[]", "1", "{", "{}{}", "{\"a\":1,}", "\u{feff}{}"] {
            assert!(members(wrong.as_bytes()).is_err(), "{wrong}");
        }
        assert!(members(b"{\"a\": \"\xff\"}").is_err());
    }

    #[test]
    fn long_texts_are_shown_by_their_beginning() {
        assert_eq!(shown("a\"b"), r#""a\"b""#);
        assert_eq!(shortened(&"č".repeat(24)), "č".repeat(24));
        assert_eq!(shortened(&"č".repeat(25)), format!("{}…", "č".repeat(24)));
    }
}
