//! Names with a fixed form: words of lower-case ASCII letters and digits.

/// Whether a text is a name: words joined by `joiner`, beginning with a letter.
pub(super) fn is_name(text: &str, joiner: char) -> bool {
    let is_word = |word: &str| {
        let mut bytes = word.bytes();
        !word.is_empty() && bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    text.starts_with(|first: char| first.is_ascii_lowercase()) && text.split(joiner).all(is_word)
}

/// A type for names with one form, and the error for texts with another: `parse` is the only constructor.
macro_rules! checked_name {
    (
        $(#[$name_doc:meta])* $name:ident joined by $joiner:literal,
        $(#[$error_doc:meta])* $error:ident $text:literal
    ) => {
        $(#[$name_doc])*
        #[derive(
            Debug,
            Clone,
            PartialEq,
            Eq,
            Hash,
            PartialOrd,
            Ord,
            serde::Serialize,
            serde::Deserialize,
            sqlx::Type,
        )]
        #[serde(try_from = "String")]
        #[sqlx(transparent)]
        pub struct $name(String);

        $(#[$error_doc])*
        #[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
        #[error($text)]
        pub struct $error(String);

        impl $name {
            /// Checks the form of a text.
            ///
            /// # Errors
            /// The text has another form.
            pub fn parse(text: &str) -> Result<Self, $error> {
                Self::try_from(text.to_owned())
            }

            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = $error;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                if crate::checked_name::is_name(&text, $joiner) {
                    Ok(Self(text))
                } else {
                    Err($error(text))
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(&self.0)
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                self.0 == other
            }
        }

        /// Look-ups in maps take names from requests without parsing them first.
        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}

pub(super) use checked_name;
