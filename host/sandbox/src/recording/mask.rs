//! Masks secrets in recordings.
//!
//! The value of a secret setting becomes `***name***` in every encoding: verbatim, percent-encoded in a path, escaped
//! in JSON. A replay gives the connector the mask as the setting's value, so its requests contain the mask in some
//! encoding. Masking them again brings both to one form, so they match exactly.

use serde_json::{Map, Value};

/// Byte strings and their replacements.
#[derive(Debug, Clone, Default)]
pub struct Mask(Vec<(Vec<u8>, Vec<u8>)>);

/// The replacement of a secret setting's value.
fn placeholder(name: &str) -> String {
    format!("***{name}***")
}

/// Whether a setting is secret, by its schema or by its name.
fn is_secret(name: &str, property: Option<&Value>) -> bool {
    let says = |member: &str, value: Value| {
        property.is_some_and(|property| property.get(member) == Some(&value))
    };
    let lower = name.to_ascii_lowercase();
    says("writeOnly", true.into())
        || says("format", "password".into())
        || ["key", "password", "secret", "token"]
            .iter()
            .any(|word| lower.contains(word))
}

impl Mask {
    /// Builds the mask of these settings, and the settings of a replay with secret texts replaced. `schema` is the JSON
    /// Schema of the settings.
    #[must_use]
    pub fn of_settings(
        schema: Option<&Value>,
        settings: &Map<String, Value>,
    ) -> (Self, Map<String, Value>, Vec<String>) {
        let mut mask = Self::default();
        let mut masked = settings.clone();
        let mut names = Vec::new();
        for (name, value) in &mut masked {
            let property = schema
                .and_then(|schema| schema.get("properties"))
                .and_then(|properties| properties.get(name));
            if is_secret(name, property) && mask.add_setting(name, value) {
                names.push(name.clone());
            }
        }
        // Sort by length, so that a secret inside a longer secret does not break up the longer one.
        mask.0
            .sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        // The same text in a setting that is not secret would reveal it, and would be masked in requests.
        for value in masked.values_mut() {
            *value = mask.json(std::mem::take(value));
        }
        (mask, masked, names)
    }

    /// The mask of a replay, whose settings contain the replacements instead of the values.
    #[must_use]
    pub fn of_names(names: &[String]) -> Self {
        let mut mask = Self::default();
        for name in names {
            mask.add(name, &placeholder(name));
        }
        mask
    }

    /// Whether nothing is masked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A text with its secrets masked.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.bytes(text.as_bytes())).into_owned()
    }

    /// JSON with the secrets in its texts masked.
    #[must_use]
    pub fn json(&self, value: Value) -> Value {
        match value {
            Value::String(text) => self.text(&text).into(),
            Value::Array(items) => items.into_iter().map(|item| self.json(item)).collect(),
            Value::Object(members) => members
                .into_iter()
                .map(|(name, value)| (name, self.json(value)))
                .collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) => value,
        }
    }

    /// Bytes with their secrets masked.
    #[must_use]
    pub fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let mut masked = Vec::with_capacity(bytes.len());
        let mut rest = bytes;
        while let Some(first) = rest.first() {
            let found = self.0.iter().find(|(value, _)| rest.starts_with(value));
            if let Some((value, placeholder)) = found {
                masked.extend_from_slice(placeholder);
                rest = rest.get(value.len()..).unwrap_or_default();
            } else {
                masked.push(*first);
                rest = rest.get(1..).unwrap_or_default();
            }
        }
        masked
    }

    /// Replaces the texts of a secret setting and adds them to the mask; false if the value has no text, such as a
    /// boolean with a secret-like name.
    fn add_setting(&mut self, name: &str, value: &mut Value) -> bool {
        match value {
            Value::String(text) if text.is_empty() => false,
            Value::String(text) => {
                self.add(name, text);
                *text = placeholder(name);
                true
            }
            Value::Number(number) => {
                self.add(name, &number.to_string());
                *value = placeholder(name).into();
                true
            }
            Value::Array(items) => self.hide_all(name, items.iter_mut()),
            Value::Object(members) => self.hide_all(name, members.values_mut()),
            Value::Null | Value::Bool(_) => false,
        }
    }

    fn hide_all<'a>(&mut self, name: &str, values: impl Iterator<Item = &'a mut Value>) -> bool {
        let mut hidden = false;
        for value in values {
            hidden |= self.add_setting(name, value);
        }
        hidden
    }

    fn add(&mut self, name: &str, value: &str) {
        let in_json = Value::from(value).to_string();
        let inside = in_json
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'));
        let in_json = inside.unwrap_or(&in_json).to_owned();
        let query: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
        for form in [value.to_owned(), percent_encoded(value), query, in_json] {
            let known = self.0.iter().any(|(value, _)| value == form.as_bytes());
            if !form.is_empty() && form != placeholder(name) && !known {
                self.0
                    .push((form.into_bytes(), placeholder(name).into_bytes()));
            }
        }
    }
}

/// Encodes a query value like the SDK does.
fn percent_encoded(value: &str) -> String {
    use std::fmt::Write;
    let mut encoded = String::new();
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else if write!(encoded, "%{byte:02X}").is_err() {
            // Writing to a string cannot fail.
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn settings(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().expect("an object")
    }

    #[test]
    fn secrets_are_masked_in_every_encoding_and_replay_matches() {
        let given =
            settings(&json!({"api_key": "p&ss \"wörd\"", "page": "/list", "use_token": true}));
        let (mask, masked, names) = Mask::of_settings(None, &given);
        assert_eq!(names, ["api_key"]);
        assert_eq!(masked["api_key"], "***api_key***");
        assert_eq!(
            (&masked["page"], &masked["use_token"]),
            (&json!("/list"), &json!(true))
        );
        let replay = Mask::of_names(&names);
        let path = |key: &str| format!("/x?key={}&a=1", percent_encoded(key));
        let body = |key: &str| json!({"key": key, "a": 1}).to_string();
        assert_eq!(
            mask.text(&path("p&ss \"wörd\"")),
            "/x?key=***api_key***&a=1"
        );
        assert_eq!(
            replay.text(&path("***api_key***")),
            "/x?key=***api_key***&a=1"
        );
        assert_eq!(
            mask.text(&body("p&ss \"wörd\"")),
            replay.text(&body("***api_key***"))
        );
    }

    #[test]
    fn schema_marks_secret_settings() {
        let schema = json!({"properties": {"pin": {"writeOnly": true}, "login": {"format": "password"}, "page": {}}});
        let given = settings(&json!({"pin": 48213, "login": "anna", "page": "anna"}));
        let (mask, masked, names) = Mask::of_settings(Some(&schema), &given);
        assert_eq!(names, ["pin", "login"]);
        assert_eq!(masked["pin"], "***pin***");
        assert_eq!(mask.text("48213 anna"), "***pin*** ***login***");
        assert_eq!(
            masked["page"], "***login***",
            "the same text elsewhere would give it away"
        );
    }
}
