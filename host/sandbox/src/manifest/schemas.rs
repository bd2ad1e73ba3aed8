//! The JSON Schemas of a manifest, compiled once and shared by everything that validates against them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

use super::{Manifest, ManifestError};
use lustra_store::ScopeName;

/// The schema of manifests, which every manifest must fit.
static MANIFEST_SCHEMA: LazyLock<Validator> = LazyLock::new(|| {
    let schema: Value = serde_json::from_str(include_str!("../../../../wit/manifest.schema.json"))
        .expect("the contract's schema is JSON");
    jsonschema::validator_for(&schema).expect("the contract's schema is one")
});

/// The compiled schemas of one manifest.
#[derive(Debug, Default)]
pub struct Schemas {
    /// Schemas of the sections, by scope.
    pub sections: BTreeMap<ScopeName, Validator>,
    /// Schemas of items, by collection.
    pub collections: BTreeMap<String, Validator>,
    /// Schema of the details, if the manifest has one.
    pub details: Option<Validator>,
    /// Schema of the settings, if the manifest has one.
    pub settings: Option<Validator>,
    /// Parts of the largest schema, with references followed.
    pub largest: usize,
}

/// Most parts of a schema, with references followed. Each part and value takes time to check. The largest schema of the
/// bundled connectors has 800.
const MAX_PARTS: usize = 20_000;

/// Longest chain of references in a schema.
const MAX_REFERENCE_DEPTH: usize = 64;

/// Most bytes of a compiled pattern.
const MAX_PATTERN_BYTES: usize = 1 << 20;

impl Schemas {
    /// Compiles the schemas of a manifest.
    ///
    /// # Errors
    /// [`ManifestError::Inconsistent`] names the invalid schema.
    pub(super) fn of(manifest: &Manifest) -> Result<Self, ManifestError> {
        let mut largest = 1;
        let mut compiled = |of: &str, schema: &Value| {
            let none = |why: String| {
                ManifestError::Inconsistent(format!("the schema of {of} is invalid: {why}"))
            };
            largest = largest.max(parts(schema, schema, &mut Vec::new()).map_err(none)?);
            // Authors supply the patterns and registers the texts, so use an engine without backtracking.
            let patterns = PatternOptions::regex().size_limit(MAX_PATTERN_BYTES);
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
        let mut collections = BTreeMap::new();
        for collection in &manifest.collections {
            let of = format!("the collection {}", collection.collection);
            let schema = compiled(&of, &collection.schema)?;
            collections.insert(collection.collection.clone(), schema);
        }
        let details = manifest.company_source.as_ref();
        let details = details.and_then(|source| source.schema.as_ref());
        let details = details.map(|schema| compiled("the details", schema));
        let settings = manifest.settings.as_ref();
        let settings = settings.map(|schema| compiled("the settings", schema));
        Ok(Self {
            sections,
            collections,
            details: details.transpose()?,
            settings: settings.transpose()?,
            largest,
        })
    }
}

/// Counts the parts of a schema with references followed, because a part is checked at each reference.
fn parts<'a>(root: &'a Value, part: &'a Value, within: &mut Vec<&'a str>) -> Result<usize, String> {
    let too_many = || format!("it has more than {MAX_PARTS} parts, references followed");
    let mut count = 1_usize;
    let mut add = |parts: usize| {
        count = count.saturating_add(parts);
        if count > MAX_PARTS {
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
                    // Names in these keywords are chosen by the author and are not keywords.
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
    if within.len() == MAX_REFERENCE_DEPTH {
        return Err(format!(
            "more than {MAX_REFERENCE_DEPTH} references follow each other"
        ));
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

/// Checks a manifest against the schema of manifests.
///
/// # Errors
/// [`ManifestError::Schema`] with the location.
pub(super) fn check_manifest(manifest: &Value) -> Result<(), ManifestError> {
    MANIFEST_SCHEMA
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
    fn references_are_counted_at_each_use() {
        let schema = json!({
            "$defs": { "text": { "type": "string" } },
            "properties": { "a": { "$ref": "#/$defs/text" }, "b": { "$ref": "#/$defs/text" } },
        });
        assert_eq!(parts(&schema, &schema, &mut Vec::new()), Ok(7));
    }

    #[test]
    fn multiplying_or_recursive_schema_is_refused() {
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
