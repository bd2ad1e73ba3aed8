//! Values of any JSON type that the register uses for a text.

use std::borrow::Cow;
use std::fmt;

use lustra_sdk::text;
use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Maximum length of a text in characters. The longest known rules of acting have some two thousand.
const MOST_CHARACTERS: usize = 4_000;

/// A text of any JSON type: a number in its digits, the value of a code, the joined texts of a list.
#[derive(Debug, Default)]
pub(super) struct Loose(pub(super) Option<String>);

impl Loose {
    fn of(raw: &str) -> Self {
        let text = text::present(raw).map(|text| match text.char_indices().nth(MOST_CHARACTERS) {
            Some((end, _)) => text[..end].to_owned(),
            None => text,
        });
        Self(text)
    }
}

impl<'de> Deserialize<'de> for Loose {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = deserializer.deserialize_any(Any)?;
        Ok(Self(read.label.or(read.code)))
    }
}

/// A value of a code list, or its label alone.
#[derive(Debug, Default)]
pub(super) struct Coded {
    pub(super) code: Option<String>,
    pub(super) label: Option<String>,
}

impl<'de> Deserialize<'de> for Coded {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Any)
    }
}

impl Coded {
    /// The label, and the code only if the label is missing.
    pub(super) fn text(self) -> Option<String> {
        self.label.or(self.code)
    }

    /// The code, and the label only if the code is missing.
    pub(super) fn code(self) -> Option<String> {
        self.code.or(self.label)
    }
}

struct Any;

impl<'de> Visitor<'de> for Any {
    type Value = Coded;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text, a number, a code or a list of texts")
    }

    fn visit_str<E>(self, raw: &str) -> Result<Coded, E> {
        Ok(Coded {
            code: None,
            label: Loose::of(raw).0,
        })
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Coded, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Coded, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Coded, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_unit<E>(self) -> Result<Coded, E> {
        Ok(Coded::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Coded, A::Error> {
        let mut texts = Vec::new();
        while let Some(Loose(text)) = list.next_element()? {
            texts.extend(text);
        }
        Ok(Coded {
            code: None,
            label: Loose::of(&texts.join(" ")).0,
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Coded, A::Error> {
        let mut read = Coded::default();
        while let Some(member) = members.next_key::<Cow<'de, str>>()? {
            match member.as_ref() {
                "code" => read.code = members.next_value::<Loose>()?.0,
                "value" => read.label = members.next_value::<Loose>()?.0,
                _ => {
                    members.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(read)
    }
}
