//! The JSON Schemas of a manifest, compiled once for everybody who holds values to them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jsonschema::Validator;
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
}

impl Schemas {
    /// Compiles those of a manifest.
    ///
    /// # Errors
    /// [`ManifestError::Inconsistent`] names the one that is no JSON Schema.
    pub(super) fn of(manifest: &Manifest) -> Result<Self, ManifestError> {
        let compiled = |of: &str, schema: &Value| {
            jsonschema::validator_for(schema).map_err(|error| {
                ManifestError::Inconsistent(format!("the schema of {of} is none: {error}"))
            })
        };
        let mut sections = BTreeMap::new();
        for scope in &manifest.scopes {
            let of = format!("the scope {}", scope.scope);
            sections.insert(scope.scope.clone(), compiled(&of, &scope.schema)?);
        }
        let details = manifest.company_source.as_ref();
        let details = details.and_then(|source| source.schema.as_ref());
        Ok(Self {
            sections,
            details: details
                .map(|schema| compiled("the details", schema))
                .transpose()?,
            settings: manifest
                .settings
                .as_ref()
                .map(|schema| compiled("the settings", schema))
                .transpose()?,
        })
    }
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
