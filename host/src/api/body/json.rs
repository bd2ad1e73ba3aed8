//! Parsing of the JSON in a body.

use std::fmt;

use serde::Deserializer;
use serde::de::{MapAccess, Visitor};
use serde_json::Value;

use crate::api::error::ApiError;

/// The members of a JSON object in their order, including duplicates.
pub(super) fn members(bytes: &[u8]) -> Result<Vec<(String, Value)>, ApiError> {
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
            "it is empty; expected a JSON object".to_owned()
        } else if error.is_data() {
            "it is JSON, but not an object".to_owned()
        } else {
            // The error names line and column and does not quote the body.
            format!("it is not JSON: {error}")
        };
        ApiError::invalid("body", why)
    })
}

/// The largest number below which every whole number has an exact `f64`.
const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;

/// A non-negative whole number. Accepts a zero fraction such as `55.0`: JSON has one number type, and JSON
/// Schema treats it as an integer.
#[must_use]
pub fn whole(value: &Value) -> Option<u64> {
    let of_float = || {
        let number = value.as_f64()?;
        let is_whole = number.fract() == 0.0 && (0.0..=MAX_EXACT_INTEGER).contains(&number);
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
