//! Query parameters, read strictly: a name that is not known, given twice or not text is refused by its name, since a
//! mistyped filter that is passed over would widen a result without anybody noticing.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::RangeInclusive;

use super::error::ApiError;

/// The parameters of a request.
#[derive(Debug, Default)]
pub struct Parameters(BTreeMap<String, String>);

impl Parameters {
    /// Reads a query string that may have these parameters.
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

    /// As [`Self::read`], for parameters with forms of their own: what is wrong is gathered, so that one answer names
    /// everything.
    #[must_use]
    pub fn gather(query: Option<&str>, known: &[&str]) -> Gathered {
        let mut errors = BTreeMap::new();
        let parameters = gather(query, known, &mut errors);
        Gathered {
            parameters: Self(parameters),
            errors,
        }
    }

    /// One parameter's text.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

/// The known parameters of a query; what is wrong with the others goes to `errors`.
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

/// Parameters whose forms are being checked.
#[derive(Debug)]
pub struct Gathered {
    parameters: Parameters,
    errors: BTreeMap<String, Vec<String>>,
}

impl Gathered {
    /// One parameter's text, without the spaces around it; none where it is missing or empty.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        let text = self.parameters.get(name).map(str::trim);
        text.filter(|text| !text.is_empty())
    }

    /// Whether a parameter was given, if empty.
    #[must_use]
    pub fn is_given(&self, name: &str) -> bool {
        self.given(name).is_some()
    }

    /// One parameter's text as it was given.
    #[must_use]
    pub fn given(&self, name: &str) -> Option<&str> {
        self.parameters.get(name)
    }

    /// A date, `YYYY-MM-DD`.
    pub fn date(&mut self, name: &str) -> Option<String> {
        let text = self.given(name)?.to_owned();
        let form = time::macros::format_description!("[year]-[month]-[day]");
        if text.len() == 10 && time::Date::parse(&text, &form).is_ok() {
            return Some(text);
        }
        self.refuse(name, "a date, YYYY-MM-DD");
        None
    }

    /// Whether nothing was found to be wrong so far.
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.errors.is_empty()
    }

    /// Says that a parameter is wrong.
    pub fn refuse(&mut self, name: &str, why: impl Into<String>) {
        self.errors
            .entry(name.to_owned())
            .or_default()
            .push(why.into());
    }

    /// A whole number within a range; `default` where it is missing.
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

    /// One of some words.
    pub fn one_of(&mut self, name: &str, words: &[&str]) -> Option<String> {
        let text = self.parameters.get(name)?.to_owned();
        if words.contains(&text.as_str()) {
            return Some(text);
        }
        self.refuse(name, format!("one of {}", words.join(", ")));
        None
    }

    /// The answer about everything that was wrong.
    ///
    /// # Errors
    /// A 422 that names every parameter that is wrong.
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

/// The name of the longest parameter, for an answer about a query that is too long.
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
