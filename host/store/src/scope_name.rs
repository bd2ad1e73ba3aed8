//! The name of a scope.

use std::borrow::Borrow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The name of a scope: words of lower-case ASCII letters and digits, joined by underscores, beginning with a letter.
/// The schema of manifests has the same rule.
#[derive(
    Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, sqlx::Type,
)]
#[serde(try_from = "String")]
#[sqlx(transparent)]
pub struct ScopeName(String);

/// The text is not the name of a scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a name of lower-case letters, digits and underscores")]
pub struct InvalidScopeName(String);

impl ScopeName {
    /// Parses a name.
    ///
    /// # Errors
    /// [`InvalidScopeName`] for a text with another form.
    pub fn parse(text: &str) -> Result<Self, InvalidScopeName> {
        Self::try_from(text.to_owned())
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ScopeName {
    type Error = InvalidScopeName;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let is_word = |word: &str| {
            let mut bytes = word.bytes();
            !word.is_empty() && bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        let begins_well = text.starts_with(|first: char| first.is_ascii_lowercase());
        if begins_well && text.split('_').all(is_word) {
            Ok(Self(text))
        } else {
            Err(InvalidScopeName(text))
        }
    }
}

impl fmt::Display for ScopeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl PartialEq<str> for ScopeName {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

/// Look-ups in maps take names from requests without parsing them first.
impl Borrow<str> for ScopeName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scope_name_accepts_only_the_form_of_manifests() {
        for name in ["tax", "financial_statements", "fs2", "a_1"] {
            let parsed = ScopeName::parse(name).expect(name);
            assert_eq!((parsed.as_str(), parsed.to_string().as_str()), (name, name));
        }
        for wrong in [
            "", "Tax", "1a", "_a", "a_", "a__b", "a-b", "a b", "daň", "a\0",
        ] {
            assert_eq!(
                ScopeName::parse(wrong),
                Err(InvalidScopeName(wrong.to_owned()))
            );
        }
    }

    #[test]
    fn json_with_a_wrong_name_is_refused() {
        let name = ScopeName::parse("tax").expect("a name");
        assert_eq!(serde_json::json!(name), serde_json::json!("tax"));
        assert!(serde_json::from_str::<ScopeName>("\"tax\"").is_ok_and(|read| read == name));
        assert!(serde_json::from_str::<ScopeName>("\"Tax\"").is_err());
    }
}
