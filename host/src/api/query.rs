//! Strict query parameters: unknown, repeated and non-UTF-8 parameters are rejected by name. Ignoring a
//! mistyped filter would silently widen a result.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::RangeInclusive;

use super::error::ApiError;

#[derive(Debug, Default)]
pub struct Parameters(BTreeMap<String, String>);

impl Parameters {
    /// Reads a query string that may contain these parameters.
    ///
    /// # Errors
    /// A 422 that names every parameter that is unknown, repeated or not UTF-8.
    pub fn read(query: Option<&str>, known: &[&str]) -> Result<Self, ApiError> {
        let mut errors = BTreeMap::new();
        let parameters = gather(query, known, &mut errors);
        if errors.is_empty() {
            Ok(Self(parameters))
        } else {
            Err(ApiError::all_invalid(errors))
        }
    }

    /// Like [`Self::read`], for parameters with further checks. Collects all mistakes for a single response.
    #[must_use]
    pub fn gather(query: Option<&str>, known: &[&str]) -> Gathered {
        let mut errors = BTreeMap::new();
        let parameters = gather(query, known, &mut errors);
        Gathered {
            parameters: Self(parameters),
            errors,
        }
    }

    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

/// Collects the known parameters of a query, and the mistakes in `errors`.
fn gather(
    query: Option<&str>,
    known: &[&str],
    errors: &mut BTreeMap<String, Vec<String>>,
) -> BTreeMap<String, String> {
    let mut parameters: BTreeMap<String, String> = BTreeMap::new();
    for pair in query
        .unwrap_or_default()
        .split('&')
        .filter(|pair| !pair.is_empty())
    {
        let (raw_name, raw_value) = pair.split_once('=').unwrap_or((pair, ""));
        let shown = || decode(raw_name).unwrap_or_else(|| raw_name.to_owned());
        let (Some(name), Some(value)) = (decode(raw_name), decode(raw_value)) else {
            errors
                .entry(shown())
                .or_default()
                .push("not text in UTF-8".to_owned());
            continue;
        };
        if !known.contains(&name.as_str()) {
            let accepted = if known.is_empty() {
                "none".to_owned()
            } else {
                known.join(", ")
            };
            errors
                .entry(name)
                .or_default()
                .push(format!("unknown parameter; accepted: {accepted}"));
        } else {
            match parameters.entry(name) {
                Entry::Vacant(place) => {
                    place.insert(value);
                }
                Entry::Occupied(given) => errors
                    .entry(given.key().clone())
                    .or_default()
                    .push("given more than once".to_owned()),
            }
        }
    }
    parameters
}

/// Parameters under validation.
#[derive(Debug)]
pub struct Gathered {
    parameters: Parameters,
    errors: BTreeMap<String, Vec<String>>,
}

impl Gathered {
    /// A parameter's trimmed text; `None` if it is missing or empty.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        let text = self.parameters.get(name).map(str::trim);
        text.filter(|text| !text.is_empty())
    }

    /// Whether a parameter is present, even if empty.
    #[must_use]
    pub fn is_given(&self, name: &str) -> bool {
        self.given(name).is_some()
    }

    /// A parameter's text without trimming.
    #[must_use]
    pub fn given(&self, name: &str) -> Option<&str> {
        self.parameters.get(name)
    }

    pub fn date(&mut self, name: &str) -> Option<String> {
        let text = self.given(name)?.to_owned();
        let form = time::macros::format_description!("[year]-[month]-[day]");
        if text.len() == 10 && time::Date::parse(&text, &form).is_ok() {
            return Some(text);
        }
        self.refuse(name, "a date, YYYY-MM-DD");
        None
    }

    /// Whether no mistake was found so far.
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.errors.is_empty()
    }

    /// Records a mistake in a parameter.
    pub fn refuse(&mut self, name: &str, why: impl Into<String>) {
        self.errors
            .entry(name.to_owned())
            .or_default()
            .push(why.into());
    }

    /// A whole number within a range; `default` if it is missing.
    pub fn number(&mut self, name: &str, default: u64, range: RangeInclusive<u64>) -> u64 {
        let Some(text) = self.parameters.get(name) else {
            return default;
        };
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|_| digits);
        if let Some(number) = number.filter(|number| range.contains(number)) {
            return number;
        }
        let (least, most) = (range.start(), range.end());
        let why = if *most == u64::MAX {
            format!("a whole number, at least {least}")
        } else {
            format!("a whole number from {least} to {most}")
        };
        self.refuse(name, why);
        default
    }

    /// A parameter whose value must be one of these words.
    pub fn one_of(&mut self, name: &str, words: &[&str]) -> Option<String> {
        let text = self.parameters.get(name)?.to_owned();
        if words.contains(&text.as_str()) {
            return Some(text);
        }
        self.refuse(name, format!("one of {}", words.join(", ")));
        None
    }

    /// Ends the validation.
    ///
    /// # Errors
    /// A 422 that names every wrong parameter.
    pub fn finish(self) -> Result<(), ApiError> {
        if self.errors.is_empty() {
            Ok(())
        } else {
            Err(ApiError::all_invalid(self.errors))
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

    #[test]
    fn known_parameters_are_read() {
        let read = Parameters::read(Some("scope=tax%2Cerased_vat&q=a+b"), &["scope", "q"])
            .expect("both are known");
        assert_eq!(read.get("scope"), Some("tax,erased_vat"));
        assert_eq!(read.get("q"), Some("a b"));
        assert!(Parameters::read(None, &[]).is_ok());
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
            assert!(
                Parameters::read(Some(wrong), &["scope"]).is_err(),
                "{wrong}"
            );
        }
        assert_eq!(longest_name("a=1&scope=xxxxxxxx"), "scope");
    }
}
