//! Values of any JSON type that the register uses for a text.

use std::borrow::Cow;
use std::fmt;

use lustra_sdk::text;
use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Maximum length of a text in characters. The longest known rules of acting have some two thousand.
const MAX_CHARACTERS: usize = 4_000;

/// A text of any JSON type: a number in its digits, the value of a code, the joined texts of a list. Borrowed from the
/// line where it stands there as it is kept.
#[derive(Debug, Default)]
pub(super) struct Loose<'a>(pub(super) Option<Cow<'a, str>>);

impl Loose<'_> {
    pub(super) fn kept(self) -> Option<String> {
        self.0.map(Cow::into_owned)
    }
}

/// A text without surplus white space and of a limited length. `None` if it is absent.
fn present(raw: &str) -> Option<Cow<'_, str>> {
    let text = text::present_in(raw)?;
    // A text has at most as many characters as bytes.
    if text.len() <= MAX_CHARACTERS {
        return Some(text);
    }
    let end = text.char_indices().nth(MAX_CHARACTERS);
    Some(match end {
        Some((end, _)) => Cow::Owned(text[..end].to_owned()),
        None => text,
    })
}

fn owned<'a>(raw: &str) -> Option<Cow<'a, str>> {
    present(raw).map(|text| Cow::Owned(text.into_owned()))
}

impl<'de: 'a, 'a> Deserialize<'de> for Loose<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = deserializer.deserialize_any(Any)?;
        Ok(Self(read.label.or(read.code)))
    }
}

/// A value of a code list, or its label alone.
#[derive(Debug, Default)]
pub(super) struct Coded<'a> {
    pub(super) code: Option<Cow<'a, str>>,
    pub(super) label: Option<Cow<'a, str>>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Coded<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Any)
    }
}

impl Coded<'_> {
    /// The label, and the code only if the label is missing.
    pub(super) fn text(self) -> Option<String> {
        self.label.or(self.code).map(Cow::into_owned)
    }

    /// The code, and the label only if the code is missing.
    pub(super) fn code(self) -> Option<String> {
        self.code.or(self.label).map(Cow::into_owned)
    }
}

/// A member of a value of a code list.
#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Member {
    Code,
    Value,
    #[serde(other)]
    Other,
}

struct Any;

impl<'de> Visitor<'de> for Any {
    type Value = Coded<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text, a number, a code or a list of texts")
    }

    fn visit_borrowed_str<E>(self, raw: &'de str) -> Result<Coded<'de>, E> {
        Ok(Coded {
            code: None,
            label: present(raw),
        })
    }

    fn visit_str<E>(self, raw: &str) -> Result<Coded<'de>, E> {
        Ok(Coded {
            code: None,
            label: owned(raw),
        })
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Coded<'de>, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Coded<'de>, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Coded<'de>, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_unit<E>(self) -> Result<Coded<'de>, E> {
        Ok(Coded::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Coded<'de>, A::Error> {
        let mut texts = Vec::new();
        while let Some(Loose(text)) = list.next_element()? {
            texts.extend(text);
        }
        // The register's lists of names have one element.
        let label = match texts.len() {
            0 | 1 => texts.pop(),
            _ => owned(&texts.join(" ")),
        };
        Ok(Coded { code: None, label })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Coded<'de>, A::Error> {
        let mut read = Coded::default();
        while let Some(member) = members.next_key::<Member>()? {
            match member {
                Member::Code => read.code = members.next_value::<Loose<'de>>()?.0,
                Member::Value => read.label = members.next_value::<Loose<'de>>()?.0,
                Member::Other => {
                    members.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(read)
    }
}
