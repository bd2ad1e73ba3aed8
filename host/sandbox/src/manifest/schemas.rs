//! The JSON Schemas of a manifest, compiled once and shared by everything that validates against them.

mod parts;

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
    /// Parts of the largest schema, with references followed: the most checks of one value.
    pub largest: usize,
}

/// Most bytes of a compiled pattern.
const MAX_PATTERN_BYTES: usize = 1 << 17;

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
            largest = largest.max(parts::count(schema).map_err(none)?);
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
