//! Compares the settings' schema of a manifest with the settings that the code declares.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use serde_json::{Value, json};

use crate::notes::{DEFAULT_MAX_ODD_PERCENT, MAX_ODD_PERCENT};
use crate::settings::{Declared, Member, Shape};

/// Checks that every property below a schema has a description.
#[track_caller]
pub(super) fn assert_described(schema: &Value, place: &str) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let place = format!("{place}/{name}");
        let text = property["description"].as_str().unwrap_or_default();
        assert!(!text.is_empty(), "{place} has no description");
        for below in [
            property,
            &property["items"],
            &property["additionalProperties"],
        ] {
            assert_described(below, &place);
        }
    }
    for (name, shared) in schema["$defs"].as_object().into_iter().flatten() {
        assert_described(shared, &format!("{place}/$defs/{name}"));
    }
}

/// Compares as [`super::Manifest::assert_settings_are`] promises.
#[track_caller]
pub(super) fn assert_same(settings: &Value, declared: &[Declared]) {
    let own = &settings["properties"][MAX_ODD_PERCENT];
    if !own.is_null() {
        let facts = ["type", "minimum", "maximum", "default"].map(|fact| own[fact].clone());
        let expected = [
            json!("integer"),
            json!(0),
            json!(100),
            json!(DEFAULT_MAX_ODD_PERCENT),
        ];
        let what = format!("type, minimum, maximum and default of settings/{MAX_ODD_PERCENT}");
        equal(&what, &facts, &expected);
    }
    let members: Vec<&Member> = declared.iter().flat_map(|declared| &declared.0).collect();
    let is_in_code = members.iter().any(|member| member.name == MAX_ODD_PERCENT);
    assert!(
        !is_in_code,
        "settings/{MAX_ODD_PERCENT}: declare it in the manifest only, because the SDK reads it: an integer from 0 to \
         100, by default {DEFAULT_MAX_ODD_PERCENT}"
    );
    let comparison = Comparison { root: settings };
    comparison.members(settings, &members, &[MAX_ODD_PERCENT], "settings");
}

struct Comparison<'a> {
    /// The whole schema, with its `$defs`.
    root: &'a Value,
}

impl Comparison<'_> {
    #[track_caller]
    fn members(&self, schema: &Value, members: &[&Member], left_out: &[&str], place: &str) {
        let empty = serde_json::Map::new();
        let properties = schema["properties"].as_object().unwrap_or(&empty);
        let in_manifest: BTreeSet<&str> = properties
            .keys()
            .map(String::as_str)
            .filter(|name| !left_out.contains(name))
            .collect();
        let in_code: BTreeMap<&str, &Member> = members
            .iter()
            .map(|member| (member.name, *member))
            .collect();
        let names: BTreeSet<&str> = in_code.keys().copied().collect();
        equal(&format!("the members of {place}"), &in_manifest, &names);
        assert_eq!(
            schema["additionalProperties"], false,
            "additionalProperties of {place} in the manifest must be false"
        );
        for (name, member) in in_code {
            self.member(&properties[name], member, &format!("{place}/{name}"));
        }
    }

    #[track_caller]
    fn member(&self, property: &Value, member: &Member, place: &str) {
        if let Some(description) = member.description {
            let in_manifest = property["description"].as_str().unwrap_or_default();
            let (in_manifest, in_code) = (plain(in_manifest), plain(description));
            equal(
                &format!("the description of {place}"),
                &in_manifest,
                &in_code,
            );
        }
        let default = property.get("default").unwrap_or(&Value::Null);
        equal(&format!("the default of {place}"), default, &member.default);
        let schema = self.resolved(property);
        let range = ["minimum", "maximum"].map(|end| schema[end].as_f64());
        let expected = match (&member.range, &member.shape) {
            (Some((least, most)), _) => [least.as_f64(), most.as_ref().and_then(Value::as_f64)],
            (None, Shape::Unsigned) if range[0].is_some() => [Some(0.0), None],
            (None, _) => [None, None],
        };
        equal(
            &format!("minimum and maximum of {place}"),
            &range,
            &expected,
        );
        self.shape(schema, &member.shape, place);
    }

    #[track_caller]
    fn shape(&self, schema: &Value, shape: &Shape, place: &str) {
        let schema = self.resolved(schema);
        let name = match shape {
            Shape::Type(name) => name,
            Shape::Unsigned => "integer",
            Shape::Secret => {
                assert_eq!(schema["writeOnly"], true, "{place} is writeOnly");
                "string"
            }
            Shape::Nullable(inner) => {
                let types = schema["type"].as_array().map(Vec::as_slice);
                let Some([of_value, Value::String(null)]) = types else {
                    panic!("the type of {place} is [type, null]");
                };
                assert_eq!(null, "null", "the type of {place}");
                let mut schema = schema.clone();
                schema["type"] = of_value.clone();
                return self.shape(&schema, inner, place);
            }
            Shape::List(inner) => {
                self.shape(&schema["items"], inner, &format!("{place}/items"));
                "array"
            }
            Shape::Map(inner) => {
                self.shape(
                    &schema["additionalProperties"],
                    inner,
                    &format!("{place}/*"),
                );
                "object"
            }
            Shape::Choice(words) => {
                return equal(
                    &format!("the words of {place}"),
                    &schema["enum"],
                    &json!(words),
                );
            }
            Shape::Group(members) => {
                self.members(schema, &members.iter().collect::<Vec<_>>(), &[], place);
                "object"
            }
        };
        equal(
            &format!("the type of {place}"),
            &schema["type"],
            &json!(name),
        );
    }

    /// The schema behind a `$ref` to one of `$defs`.
    fn resolved<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let path = schema["$ref"]
            .as_str()
            .and_then(|path| path.strip_prefix('#'));
        path.and_then(|path| self.root.pointer(path))
            .unwrap_or(schema)
    }
}

/// Fails if the manifest differs from the code, and says what each of them has.
#[track_caller]
fn equal<T: PartialEq + Debug>(what: &str, in_manifest: &T, in_code: &T) {
    assert!(
        in_manifest == in_code,
        "{what}: the manifest has {in_manifest:?}, the code has {in_code:?}"
    );
}

/// A description without backticks and line breaks.
fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace('`', "")
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    crate::settings! {
        /// Settings for these tests.
        pub struct Settings {
            /// Age of a row in `days`.
            days: u32 [1..=30] = 7,
            /// Key of the service.
            key: Option<String> = None,
            /// Words of a row.
            words: Words = Words::default(),
        }
    }

    crate::settings! {
        /// Words of a row.
        pub group Words {
            /// Words for
            /// *valid*.
            valid: Vec<String> = ["platná"],
        }
    }

    fn schema() -> Value {
        json!({
            "additionalProperties": false,
            "properties": {
                "max_odd_percent": {
                    "type": "integer", "minimum": 0, "maximum": 100, "default": 5,
                    "description": "Share of odd rows in percent.",
                },
                "days": {
                    "type": "integer", "minimum": 1, "maximum": 30, "default": 7,
                    "description": "Age of a row in days.",
                },
                "key": { "type": ["string", "null"], "description": "Key of the service." },
                "words": {
                    "type": "object", "additionalProperties": false,
                    "description": "Words of a row.", "default": { "valid": ["platná"] },
                    "properties": { "valid": {
                        "$ref": "#/$defs/texts", "description": "Words for *valid*.",
                        "default": ["platná"],
                    }},
                },
            },
            "$defs": { "texts": { "type": "array", "items": { "type": "string" } } },
        })
    }

    crate::settings! {
        /// Settings with the one that belongs in the manifest only.
        pub struct WithOddRows {
            /// Share of odd rows in percent.
            max_odd_percent: u64 [0..=100] = 5,
        }
    }

    /// What the comparison says about a difference.
    fn said(schema: &Value, declared: &[Declared]) -> String {
        let failed = catch_unwind(AssertUnwindSafe(|| assert_same(schema, declared)));
        let said = failed.expect_err("they differ").downcast::<String>();
        *said.expect("the message has arguments")
    }

    #[test]
    fn difference_says_what_manifest_and_code_have() {
        let mut other = schema();
        other["properties"]["days"]["default"] = json!(8);
        let of_default = said(&other, &[Settings::declared()]);
        let expected =
            "the default of settings/days: the manifest has Number(8), the code has Number(7)";
        assert_eq!(of_default, expected);
        other["properties"]["more"] = json!({ "type": "string" });
        let of_members = said(&other, &[Settings::declared()]);
        assert!(
            of_members.contains("the manifest has {\"days\", \"key\", \"more\", \"words\"}"),
            "{of_members}"
        );
        assert!(WithOddRows::read().is_ok(), "the default is in its range");
        let in_code = said(&schema(), &[Settings::declared(), WithOddRows::declared()]);
        assert!(
            in_code.contains("declare it in the manifest only"),
            "{in_code}"
        );
    }

    #[test]
    fn any_difference_from_the_code_fails() {
        let fails = |schema: &Value| {
            let check = || {
                assert_described(schema, "settings");
                assert_same(schema, &[Settings::declared()]);
            };
            catch_unwind(AssertUnwindSafe(check)).is_err()
        };
        assert!(!fails(&schema()));
        assert!(Settings::read().is_ok(), "the defaults are in their ranges");
        for (place, value) in [
            ("/properties/days/default", json!(8)),
            ("/properties/days/default", Value::Null),
            ("/properties/days/minimum", json!(0)),
            ("/properties/days/maximum", Value::Null),
            ("/properties/days/type", json!("number")),
            ("/properties/days/description", json!("Age in weeks.")),
            ("/properties/days/description", Value::Null),
            ("/properties/key/type", json!("string")),
            ("/properties/key/type", json!(["integer", "null"])),
            ("/properties/key", Value::Null),
            ("/properties/words/default", json!({ "valid": [] })),
            ("/properties/words/additionalProperties", json!(true)),
            ("/properties/words/properties/valid/default", json!([])),
            (
                "/properties/words/properties/valid/description",
                json!("Words."),
            ),
            ("/properties/words/properties", json!({})),
            ("/properties/max_odd_percent/default", json!(6)),
            ("/properties/max_odd_percent/description", json!("")),
            ("/$defs/texts/items/type", json!("integer")),
            ("/additionalProperties", json!(true)),
        ] {
            let mut other = schema();
            *other.pointer_mut(place).expect("a place of the schema") = value;
            assert!(fails(&other), "{place}");
        }
        let mut other = schema();
        other["properties"]["more"] = json!({ "type": "string", "description": "More." });
        assert!(fails(&other), "more");
    }
}
