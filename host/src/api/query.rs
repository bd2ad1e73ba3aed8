//! Strict query parameters: unknown, repeated and non-UTF-8 parameters are rejected by name. Ignoring a
//! mistyped filter would silently widen a result.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::RangeInclusive;

use axum::http::HeaderMap;

use super::error::ApiError;
use crate::names;

/// Parameters under validation: their texts, and the mistakes found so far. One response reports all of them.
#[derive(Debug, Default)]
pub(super) struct ParameterReader {
    texts: BTreeMap<String, String>,
    errors: BTreeMap<String, Vec<String>>,
    longest_search: usize,
}

impl ParameterReader {
    /// Reads a query string that may contain these parameters. `longest_search` is the maximum length of a
    /// searched text, in characters.
    pub(super) fn of_query(query: Option<&str>, known: &[&str], longest_search: usize) -> Self {
        let mut given = Self {
            longest_search,
            ..Self::default()
        };
        let pairs = query.unwrap_or_default().split('&');
        for pair in pairs.filter(|pair| !pair.is_empty()) {
            given.add_pair(pair, known);
        }
        given
    }

    /// The parameters of a path. The router has already checked their names.
    pub(super) fn of_path<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let texts = pairs
            .into_iter()
            .map(|(name, text)| (name.to_owned(), text.to_owned()));
        Self {
            texts: texts.collect(),
            ..Self::default()
        }
    }

    /// The headers with these names.
    pub(super) fn of_headers(headers: &HeaderMap, known: &[&str]) -> Self {
        let mut given = Self::default();
        for name in known {
            let mut values = headers.get_all(*name).iter();
            let Some(value) = values.next() else {
                continue;
            };
            let text = String::from_utf8_lossy(value.as_bytes()).into_owned();
            given.texts.insert((*name).to_owned(), text);
            if values.next().is_some() {
                given.refuse(name, "given more than once");
            }
        }
        given
    }

    fn add_pair(&mut self, pair: &str, known: &[&str]) {
        let (raw_name, raw_value) = pair.split_once('=').unwrap_or((pair, ""));
        let (Some(name), Some(value)) = (decode(raw_name), decode(raw_value)) else {
            let name = decode(raw_name).unwrap_or_else(|| raw_name.to_owned());
            self.refuse(&name, "not text in UTF-8");
            return;
        };
        if !known.contains(&name.as_str()) {
            let accepted = if known.is_empty() {
                "none".to_owned()
            } else {
                known.join(", ")
            };
            self.refuse(&name, format!("unknown parameter; accepted: {accepted}"));
            return;
        }
        match self.texts.entry(name) {
            Entry::Vacant(place) => {
                place.insert(value);
            }
            Entry::Occupied(given) => {
                let name = given.key().clone();
                self.refuse(&name, "given more than once");
            }
        }
    }

    /// A parameter's text without trimming; `None` if it is missing.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str)
    }

    /// A parameter's trimmed text; `None` if it is missing or empty.
    pub(super) fn trimmed(&self, name: &str) -> Option<&str> {
        let text = self.text(name).map(str::trim);
        text.filter(|text| !text.is_empty())
    }

    /// Whether a parameter is present, even if empty.
    pub(super) fn is_given(&self, name: &str) -> bool {
        self.texts.contains_key(name)
    }

    /// Whether no mistake was found so far.
    pub(super) fn is_right(&self) -> bool {
        self.errors.is_empty()
    }

    /// Records a mistake in a parameter.
    pub(super) fn refuse(&mut self, name: &str, why: impl Into<String>) {
        let mistakes = self.errors.entry(name.to_owned()).or_default();
        mistakes.push(why.into());
    }

    /// A whole number within a range; `default` if it is missing. `None` after recording a mistake.
    pub(super) fn number(
        &mut self,
        name: &str,
        range: RangeInclusive<u64>,
        default: u64,
    ) -> Option<u64> {
        let Some(text) = self.text(name) else {
            return Some(default);
        };
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|_| digits);
        if let Some(number) = number.filter(|number| range.contains(number)) {
            return Some(number);
        }
        let (least, most) = (range.start(), range.end());
        self.refuse(name, format!("a whole number from {least} to {most}"));
        None
    }

    /// A text to search for: `least` characters up to the configured maximum, with a letter or a digit. `None`
    /// after recording a mistake.
    pub(super) fn searched(&mut self, name: &str, least: usize) -> Option<String> {
        let Some(text) = self.trimmed(name).map(str::to_owned) else {
            self.refuse(name, format!("required, at least {least} characters"));
            return None;
        };
        let (characters, most) = (text.chars().count(), self.longest_search);
        if characters > most {
            self.refuse(name, format!("at most {most} characters"));
            return None;
        }
        let is_long_enough = characters >= least;
        if !is_long_enough {
            self.refuse(name, format!("at least {least} characters"));
        }
        let is_name = !names::fold(&text).is_empty();
        if !is_name {
            self.refuse(name, "there must be a letter or a digit in it");
        }
        (is_long_enough && is_name).then_some(text)
    }

    /// Ends the validation. `value` is what was read.
    ///
    /// # Errors
    /// A 422 that names every wrong parameter.
    pub(super) fn finish<T>(self, value: Option<T>) -> Result<T, ApiError> {
        match value.filter(|_| self.errors.is_empty()) {
            Some(value) => Ok(value),
            None => Err(ApiError::all_invalid(self.errors)),
        }
    }
}

/// Decodes one name or value of `application/x-www-form-urlencoded`.
fn decode(raw: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(raw.len());
    let mut rest = raw.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let (high, low) = (hexadecimal(rest.next()?)?, hexadecimal(rest.next()?)?);
                high << 4 | low
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

fn hexadecimal(byte: u8) -> Option<u8> {
    char::from(byte)
        .to_digit(16)
        .and_then(|digit| u8::try_from(digit).ok())
}

/// The name of the longest parameter, for the error about a query that is too long.
#[must_use]
pub fn longest_name(query: &str) -> String {
    let longest = query
        .split('&')
        .max_by_key(|pair| pair.len())
        .unwrap_or_default();
    let name = longest.split('=').next().unwrap_or_default();
    let shown: String = decode(name)
        .unwrap_or_else(|| name.to_owned())
        .chars()
        .take(64)
        .collect();
    if shown.is_empty() {
        "query".to_owned()
    } else {
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(query: &str, known: &[&str]) -> ParameterReader {
        ParameterReader::of_query(Some(query), known, 10)
    }

    #[test]
    fn known_parameters_are_read() {
        let read = given("scope=tax%2Cerased_vat&q=a+b", &["scope", "q"]);
        assert_eq!(read.text("scope"), Some("tax,erased_vat"));
        assert_eq!(read.text("q"), Some("a b"));
        assert!(read.is_right());
        assert!(ParameterReader::of_query(None, &[], 10).is_right());
    }

    #[test]
    fn everything_else_is_refused() {
        for wrong in [
            "scop=tax",
            "scope=a&scope=b",
            "scope=%FF",
            "scope=%2",
            "%ff=1",
            "scope=%zz",
        ] {
            assert!(!given(wrong, &["scope"]).is_right(), "{wrong}");
        }
        assert_eq!(longest_name("a=1&scope=xxxxxxxx"), "scope");
    }

    #[test]
    fn searched_text_is_bounded_in_characters() {
        for (query, is_right) in [
            ("q=ab", true),
            ("q=%C4%8D%C4%8D%C4%8D%C4%8D%C4%8D%C4%8D", true),
            ("q=a", false),
            ("q=--", false),
            ("q=+", false),
            ("q=abcdefghijk", false),
            ("", false),
        ] {
            let mut given = given(query, &["q"]);
            assert_eq!(given.searched("q", 2).is_some(), is_right, "{query}");
            assert_eq!(given.is_right(), is_right, "{query}");
        }
    }
}
