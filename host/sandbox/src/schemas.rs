//! The JSON Schemas of a manifest, compiled once for everybody who holds values to them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

use super::manifest::{Manifest, ManifestError};

/// That of manifests, which every connector is held to.
static OF_MANIFESTS: LazyLock<Validator> = LazyLock::new(|| {
    let schema: Value = serde_json::from_str(include_str!("../../../wit/manifest.schema.json"))
        .expect("the contract's schema is JSON");
    jsonschema::validator_for(&schema).expect("the contract's schema is one")
});

/// The compiled schemas of one manifest.
#[derive(Debug, Default)]
pub struct Schemas {
    /// Of the sections, by scope.
    pub sections: BTreeMap<String, Validator>,
    /// Of the details, where it gives any.
    pub details: Option<Validator>,
    /// Of the settings, where it has any.
    pub settings: Option<Validator>,
    /// Parts of the largest, references followed.
    pub largest: usize,
}

/// The most parts of a schema, references followed. Checking takes time for each part and value. The largest of those
/// that come with the host has 800.
const MOST_PARTS: usize = 20_000;

/// The most references of a schema that follow each other.
const DEEPEST: usize = 64;

/// The most bytes that a schema's pattern may take when it is compiled.
const LARGEST_PATTERN: usize = 1 << 20;

impl Schemas {
    /// Compiles those of a manifest.
    ///
    /// # Errors
    /// [`ManifestError::Inconsistent`] names the one that is no JSON Schema.
    pub(super) fn of(manifest: &Manifest) -> Result<Self, ManifestError> {
        let mut largest = 1;
        let mut compiled = |of: &str, schema: &Value| {
            let none = |why: String| {
                ManifestError::Inconsistent(format!("the schema of {of} is none: {why}"))
            };
            largest = largest.max(parts(schema, schema, &mut Vec::new()).map_err(none)?);
            // Patterns are the author's and texts the register's: no backtracking.
            let patterns = PatternOptions::regex().size_limit(LARGEST_PATTERN);
            jsonschema::options()
                .with_pattern_options(patterns)
                .build(schema)
                .map_err(|error| none(error.to_string()))
        };
        let mut sections = BTreeMap::new();
        for scope in &manifest.scopes {
            let of = format!("the scope {}", scope.scope);
            sections.insert(scope.scope.clone(), compiled(&of, &scope.schema)?);
        }
        let details = manifest.company_source.as_ref();
        let details = details.and_then(|source| source.schema.as_ref());
        let details = details.map(|schema| compiled("the details", schema));
        let settings = manifest.settings.as_ref();
        let settings = settings.map(|schema| compiled("the settings", schema));
        Ok(Self {
            sections,
            details: details.transpose()?,
            settings: settings.transpose()?,
            largest,
        })
    }
}

/// Counts the parts of a schema with its references followed, since each is checked wherever it is named.
fn parts<'a>(root: &'a Value, part: &'a Value, within: &mut Vec<&'a str>) -> Result<usize, String> {
    let too_many = || format!("it has more than {MOST_PARTS} parts, references followed");
    let mut count = 1_usize;
    let mut add = |parts: usize| {
        count = count.saturating_add(parts);
        if count > MOST_PARTS {
            return Err(too_many());
        }
        Ok(())
    };
    match part {
        Value::Object(members) => {
            for (name, member) in members {
                match (name.as_str(), member) {
                    ("$dynamicRef" | "$recursiveRef", Value::String(_)) => {
                        return Err(format!("{name} is not supported"));
                    }
                    ("$ref", Value::String(to)) => {
                        add(referred(root, to, within)?)?;
                    }
                    // The names in these are the author's, not keywords.
                    (
                        "properties" | "patternProperties" | "dependentSchemas",
                        Value::Object(of),
                    ) => {
                        for schema in of.values() {
                            add(parts(root, schema, within)?)?;
                        }
                    }
                    ("$defs" | "definitions" | "default" | "examples" | "enum" | "const", _) => {}
                    (_, member) => add(parts(root, member, within)?)?,
                }
            }
        }
        Value::Array(elements) => {
            for element in elements {
                add(parts(root, element, within)?)?;
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    Ok(count)
}

fn referred<'a>(root: &'a Value, to: &'a str, within: &mut Vec<&'a str>) -> Result<usize, String> {
    if within.contains(&to) {
        return Err(format!("{to} refers to itself"));
    }
    if within.len() == DEEPEST {
        return Err(format!("more than {DEEPEST} references follow each other"));
    }
    let target = to
        .strip_prefix('#')
        .and_then(|pointer| root.pointer(pointer));
    let target = target.ok_or_else(|| format!("it refers to {to}, which is not in it"))?;
    within.push(to);
    let count = parts(root, target, within);
    within.pop();
    count
}

/// Holds a manifest to the schema of manifests.
///
/// # Errors
/// [`ManifestError::Schema`] with the place that is wrong.
pub(super) fn check_manifest(manifest: &Value) -> Result<(), ManifestError> {
    OF_MANIFESTS
        .validate(manifest)
        .map_err(|error| ManifestError::Schema {
            pointer: error.instance_path().to_string(),
            why: error.to_string(),
        })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(schema: &Value) -> String {
        parts(schema, schema, &mut Vec::new()).expect_err("it is refused")
    }

    #[test]
    fn references_are_counted_where_they_are_used() {
        let schema = json!({
            "$defs": { "text": { "type": "string" } },
            "properties": { "a": { "$ref": "#/$defs/text" }, "b": { "$ref": "#/$defs/text" } },
        });
        assert_eq!(parts(&schema, &schema, &mut Vec::new()), Ok(7));
    }

    #[test]
    fn schema_that_multiplies_or_refers_to_itself_is_refused() {
        let mut defs = serde_json::Map::new();
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
    }
}
