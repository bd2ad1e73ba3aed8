//! Bounds the schemas of a manifest: counts their parts, and refuses what a walk or a validator could follow for long.
//!
//! Invariant: a counted schema has no cycle, at most [`MAX_PARTS`] parts with references followed, and at most
//! [`MAX_DEPTH`] levels. Recursive walks over schemas rely on it: those of this module's siblings, of the validator, and
//! of the host's comparisons, titles and tables.

use serde_json::{Map, Value};

/// Most parts of a schema, with references followed. Each part and value takes time to check. The largest schema of the
/// bundled connectors has 1,900.
const MAX_PARTS: usize = 20_000;

/// Most levels of a schema, with references followed. Each takes stack wherever the schema is walked. The deepest schema
/// of the bundled connectors has 9.
const MAX_DEPTH: usize = 128;

/// Longest chain of references in a schema.
const MAX_REFERENCE_DEPTH: usize = 64;

/// Parts that an element of an `enum` counts as. Unlike other parts, each one is compared with each value. Texts are
/// looked up by their hash.
const PARTS_OF_ELEMENT: usize = 16;

/// How often the parts beside these keywords are compiled and checked.
const UNEVALUATED: [&str; 2] = ["unevaluatedProperties", "unevaluatedItems"];

/// Counts the parts of a schema with references followed, because a part is checked at each reference.
///
/// # Errors
/// Why the schema is refused.
pub(super) fn count(schema: &Value) -> Result<usize, String> {
    if let Some(Value::String(dialect)) = schema.get("$schema")
        && dialect.contains("draft-04")
    {
        // Its keyword `id` changes what references mean, and members of other objects often have this name.
        return Err("draft-04 is not supported".to_owned());
    }
    let mut count = Count {
        root: schema,
        parts: 0,
        depth: 0,
        within: Vec::new(),
    };
    count.below(schema)?;
    Ok(count.parts)
}

struct Count<'a> {
    root: &'a Value,
    parts: usize,
    /// Levels between the root and the current part.
    depth: usize,
    /// References between the root and the current part.
    within: Vec<&'a str>,
}

impl<'a> Count<'a> {
    fn add(&mut self, parts: usize) -> Result<(), String> {
        self.parts = self.parts.saturating_add(parts);
        if self.parts > MAX_PARTS {
            return Err(format!(
                "it has more than {MAX_PARTS} parts, references followed"
            ));
        }
        Ok(())
    }

    fn below(&mut self, part: &'a Value) -> Result<(), String> {
        self.add(1)?;
        if self.depth == MAX_DEPTH {
            return Err(format!(
                "it has more than {MAX_DEPTH} levels, references followed"
            ));
        }
        self.depth += 1;
        match part {
            Value::Object(members) => {
                let doubling = UNEVALUATED
                    .iter()
                    .filter(|name| members.contains_key(**name));
                for _ in 0..=doubling.count() {
                    self.members(members)?;
                }
            }
            Value::Array(elements) => {
                elements
                    .iter()
                    .try_for_each(|element| self.below(element))?;
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        self.depth -= 1;
        Ok(())
    }

    fn members(&mut self, members: &'a Map<String, Value>) -> Result<(), String> {
        for (name, member) in members {
            match (name.as_str(), member) {
                ("$dynamicRef" | "$recursiveRef", Value::String(_)) => {
                    return Err(format!("{name} is not supported"));
                }
                // A reference below it would mean another place for the validator than for walks from the root.
                ("$id", Value::String(_)) if self.depth > 1 => {
                    return Err("$id is supported at the root only".to_owned());
                }
                ("$ref", Value::String(to)) => self.referred(to)?,
                // Names in these keywords are chosen by the author and are not keywords.
                ("patternProperties", Value::Object(of)) => {
                    for (pattern, schema) in of {
                        self.add(pattern.len())?;
                        self.below(schema)?;
                    }
                }
                ("properties" | "dependentSchemas" | "dependencies", Value::Object(of)) => {
                    of.values().try_for_each(|schema| self.below(schema))?;
                }
                // The time to match a pattern grows with its length.
                ("pattern", Value::String(pattern)) => self.add(pattern.len())?,
                ("enum", Value::Array(elements)) => self.add(compared(elements))?,
                ("const", value) => self.add(compared(std::slice::from_ref(value)))?,
                ("$defs" | "definitions" | "default" | "examples", _) => {}
                (_, member) => self.below(member)?,
            }
        }
        Ok(())
    }

    fn referred(&mut self, to: &'a str) -> Result<(), String> {
        if self.within.contains(&to) {
            return Err(format!("{to} refers to itself"));
        }
        if self.within.len() == MAX_REFERENCE_DEPTH {
            return Err(format!(
                "more than {MAX_REFERENCE_DEPTH} references follow each other"
            ));
        }
        // The validator decodes it, so it could follow another reference than the one that is counted.
        if to.contains('%') {
            return Err(format!("{to} is percent-encoded, which is not supported"));
        }
        let target = to
            .strip_prefix('#')
            .and_then(|pointer| self.root.pointer(pointer));
        let target = target.ok_or_else(|| format!("it refers to {to}, which is not in it"))?;
        self.within.push(to);
        self.below(target)?;
        self.within.pop();
        Ok(())
    }
}

/// The parts that elements of an `enum` count as.
fn compared(elements: &[Value]) -> usize {
    let weight = if elements.iter().all(Value::is_string) {
        1
    } else {
        PARTS_OF_ELEMENT
    };
    let values = elements.iter().map(values_in).sum::<usize>();
    values.saturating_mul(weight)
}

/// The number of values in a value, itself included.
fn values_in(value: &Value) -> usize {
    let below: usize = match value {
        Value::Array(elements) => elements.iter().map(values_in).sum(),
        Value::Object(members) => members.values().map(values_in).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    };
    below.saturating_add(1)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(schema: &Value) -> String {
        count(schema).expect_err("it is refused")
    }

    #[test]
    fn references_are_counted_at_each_use() {
        let schema = json!({
            "$defs": { "text": { "type": "string" } },
            "properties": { "a": { "$ref": "#/$defs/text" }, "b": { "$ref": "#/$defs/text" } },
        });
        assert_eq!(count(&schema), Ok(7));
    }

    #[test]
    fn multiplying_or_recursive_schema_is_refused() {
        let mut defs = Map::new();
        for level in 0..20 {
            let next = json!({ "$ref": format!("#/$defs/{}", level + 1) });
            defs.insert(level.to_string(), json!({ "anyOf": [next, next] }));
        }
        defs.insert("20".to_owned(), json!({ "type": "string" }));
        let schema = json!({ "$defs": defs, "$ref": "#/$defs/0" });
        assert!(refused(&schema).contains("more than 20000 parts"));
        let itself = json!({ "properties": { "enum": { "$ref": "#" } } });
        assert!(refused(&itself).contains("refers to itself"));
        let elsewhere = json!({ "$ref": "https://register.example/schema.json" });
        assert!(refused(&elsewhere).contains("which is not in it"));
        let in_dependencies = json!({ "dependencies": { "enum": { "$ref": "#" } } });
        assert!(refused(&in_dependencies).contains("refers to itself"));
    }

    #[test]
    fn reference_with_two_meanings_is_refused() {
        let encoded = json!({
            "$ref": "#/$defs/a%25", "$defs": { "a%25": {}, "a%": { "$ref": "#/$defs/a%25" } },
        });
        assert!(refused(&encoded).contains("percent-encoded"));
        let inner = json!({
            "$ref": "#/$defs/a",
            "$defs": { "a": { "$id": "urn:a", "$ref": "#/$defs/b", "$defs": { "b": { "$ref": "#/$defs/b" } } }, "b": {} },
        });
        assert!(refused(&inner).contains("$id"));
        let old = json!({ "$schema": "http://json-schema.org/draft-04/schema#" });
        assert!(refused(&old).contains("draft-04"));
    }

    #[test]
    fn deep_schema_is_refused() {
        let nested = |levels: usize| {
            (0..levels).fold(
                json!({}),
                |inner, _| json!({ "additionalProperties": inner }),
            )
        };
        assert!(count(&nested(MAX_DEPTH - 1)).is_ok());
        let inner = nested(MAX_DEPTH / 2);
        let outer = (0..MAX_DEPTH / 2).fold(
            json!({ "$ref": "#/$defs/inner" }),
            |inner, _| json!({ "items": inner }),
        );
        let schema = json!({ "$defs": { "inner": inner }, "not": outer });
        assert!(refused(&schema).contains("more than 128 levels"));
    }

    #[test]
    fn elements_of_enums_are_counted() {
        let numbers = |count: u32| json!({ "items": { "enum": (0..count).collect::<Vec<_>>() } });
        assert_eq!(count(&numbers(10)), Ok(162));
        assert!(refused(&numbers(2_000)).contains("more than 20000 parts"));
        let texts =
            |count: u32| json!({ "enum": (0..count).map(|n| n.to_string()).collect::<Vec<_>>() });
        assert_eq!(count(&texts(2_000)), Ok(2_001));
        assert!(refused(&texts(150_000)).contains("more than 20000 parts"));
        let one = json!({ "const": (0..2_000).collect::<Vec<_>>() });
        assert!(refused(&one).contains("more than 20000 parts"));
    }

    #[test]
    fn parts_beside_unevaluated_are_counted_twice() {
        let nested = (0..30).fold(
            json!({}),
            |inner, _| json!({ "allOf": [inner], "unevaluatedProperties": false }),
        );
        assert!(refused(&nested).contains("more than 20000 parts"));
    }
}
