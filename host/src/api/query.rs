//! Query parameters, read strictly: a name that is not known, given twice or not text is refused by its name, since a
//! mistyped filter that is passed over would widen a result without anybody noticing.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

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
        let mut parameters: BTreeMap<String, String> = BTreeMap::new();
        let mut errors: BTreeMap<String, Vec<String>> = BTreeMap::new();
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
        if errors.is_empty() {
            Ok(Self(parameters))
        } else {
            Err(ApiError::all_invalid(errors))
        }
    }

    /// One parameter's text.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
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
