//! Parses JSON texts from components once and refuses duplicate members.
//!
//! Parsers differ in which of two equal members they use, so a text with a duplicate could be validated with one value
//! and served with the other. The parsed value is serialised again for the store, so that the stored text is what was
//! checked. The parser limits nesting to 128 levels.

mod canonical;

use std::cell::RefCell;
use std::fmt;

use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

pub use canonical::canonical;

/// Why a text is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct NotAccepted {
    /// JSON pointer to the duplicate member; empty if the text is not JSON.
    pub pointer: String,
    pub why: String,
}

/// Parses a JSON text.
///
/// # Errors
/// The text is not JSON, or an object has a duplicate member.
pub fn parse(text: &str) -> Result<Value, NotAccepted> {
    read(text, |reader, path| path.deserialize(reader))
}

/// Reads a whole text and names what is wrong with it.
fn read<'t, T>(
    text: &'t str,
    read: impl FnOnce(&mut Reader<'t>, &JsonPath<'_>) -> serde_json::Result<T>,
) -> Result<T, NotAccepted> {
    let duplicate = RefCell::new(None);
    let mut reader = serde_json::Deserializer::from_str(text);
    let path = JsonPath {
        parent: None,
        step: Step::Root,
        duplicate: &duplicate,
    };
    let read = read(&mut reader, &path).and_then(|value| reader.end().map(|()| value));
    read.map_err(|error| match duplicate.take() {
        Some(pointer) => NotAccepted {
            pointer,
            why: "the member occurs twice".to_owned(),
        },
        None => NotAccepted {
            pointer: String::new(),
            why: format!("it is not JSON: {error}"),
        },
    })
}

type Reader<'t> = serde_json::Deserializer<serde_json::de::StrRead<'t>>;

/// Location of a value in the text.
struct JsonPath<'a> {
    parent: Option<&'a JsonPath<'a>>,
    step: Step<'a>,
    /// Pointer to the first duplicate member, once found.
    duplicate: &'a RefCell<Option<String>>,
}

enum Step<'a> {
    Root,
    Member(&'a str),
    Element(usize),
}

impl JsonPath<'_> {
    fn below<'b>(&'b self, step: Step<'b>) -> JsonPath<'b> {
        JsonPath {
            parent: Some(self),
            step,
            duplicate: self.duplicate,
        }
    }

    /// The error for a member that occurs twice. Keeps its location.
    fn twice<E: de::Error>(&self) -> E {
        *self.duplicate.borrow_mut() = Some(self.pointer());
        E::custom("a member occurs twice")
    }

    fn pointer(&self) -> String {
        let before = self.parent.map(JsonPath::pointer).unwrap_or_default();
        match self.step {
            Step::Root => before,
            Step::Member(name) => {
                let escaped = name.replace('~', "~0").replace('/', "~1");
                format!("{before}/{escaped}")
            }
            Step::Element(index) => format!("{before}/{index}"),
        }
    }
}

impl<'de> DeserializeSeed<'de> for &JsonPath<'_> {
    type Value = Value;

    fn deserialize<D: de::Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &JsonPath<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        let number = Number::from_f64(value);
        number
            .map(Value::Number)
            .ok_or_else(|| E::custom("a number is out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(element) =
            elements.next_element_seed(&self.below(Step::Element(list.len())))?
        {
            list.push(element);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let member = self.below(Step::Member(&name));
            if object.contains_key(&name) {
                return Err(member.twice());
            }
            let value = members.next_value_seed(&member)?;
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Members with objects as values, so that names of another object stand between theirs.
    fn object_of(names: impl Iterator<Item = u32>) -> String {
        let members: Vec<_> = names
            .map(|name| format!(r#""{name}":{{"0":[1],"b":2.5}}"#))
            .collect();
        format!("{{{}}}", members.join(","))
    }

    #[test]
    fn duplicate_member_is_named_with_its_location() {
        for (text, pointer) in [
            (r#"{"a":1,"a":2}"#, "/a"),
            (
                r#"{"a":[{"b/c":{"~":1}},{"b/c":{"~":1,"\u007e":2}}]}"#,
                "/a/1/b~1c/~0",
            ),
            (r#"{"":1,"":1}"#, "/"),
            (&object_of((0..100).chain([70])), "/70"),
        ] {
            let refused = parse(text).expect_err(text);
            assert_eq!(refused.pointer, pointer, "{text}");
            assert_eq!(canonical(text), Err(refused));
        }
        let large = object_of(0..100);
        assert_eq!(canonical(&large).as_ref(), Ok(&large));
        assert!(parse(r#"[{"a":1},{"a":1}]"#).is_ok());
    }

    #[test]
    fn invalid_json_is_refused() {
        for text in [
            "",
            "{",
            "{} {}",
            "nope",
            "1e999",
            "{\"a\":1,}",
            "[".repeat(200).as_str(),
        ] {
            let refused = parse(text).expect_err(text);
            assert!(refused.why.starts_with("it is not JSON: "), "{refused}");
            assert_eq!(canonical(text), Err(refused));
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            (-1.0e9..1.0e9).prop_map(|number: f64| Value::from((number * 100.0).round() / 100.0)),
            ".{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((".{0,4}", inner), 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn text_without_duplicates_parses_like_serde_json(value in any_json()) {
            let text = value.to_string();
            let read = parse(&text).expect("it has no duplicates");
            prop_assert_eq!(&read, &value);
            prop_assert_eq!(&read.to_string(), &text);
            prop_assert_eq!(canonical(&text), Ok(text));
        }
    }
}
