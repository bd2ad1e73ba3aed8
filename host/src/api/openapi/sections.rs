//! Details and sections of companies in the document, from the schemas in the manifests.

use serde_json::{Map, Value, json};

use crate::connectors::catalogue::Catalogue;
use crate::connectors::manifest::ScopeManifest;

/// Adds the members of the registers' details to those of a company.
pub(super) fn add_details(
    catalogue: &Catalogue,
    properties: &mut Map<String, Value>,
    schemas: &mut Map<String, Value>,
) {
    for loaded in catalogue.details_registers() {
        let source = loaded.manifest.company_source.as_ref();
        let Some(schema) = source.and_then(|source| source.schema.as_ref()) else {
            continue;
        };
        let schema = hoisted(schema, &format!("Details_{}", loaded.manifest.id), schemas);
        let own = schema.get("properties").and_then(Value::as_object);
        for (name, property) in own.into_iter().flatten() {
            properties.insert(name.clone(), property.clone());
        }
    }
}

/// Adds the section of each scope to the members of a company. Returns the scopes.
pub(super) fn add_sections(
    catalogue: &Catalogue,
    properties: &mut Map<String, Value>,
    schemas: &mut Map<String, Value>,
) -> Vec<Value> {
    let mut names = Vec::new();
    for scope in catalogue.scopes() {
        let Some((loaded, manifest)) = catalogue.scope(scope.as_str()) else {
            continue;
        };
        names.push(json!(scope));
        let schema_name = format!("Section_{scope}");
        let mut schema = hoisted(&manifest.schema, &schema_name, schemas);
        if let Some(object) = schema.as_object_mut() {
            object.remove("$schema");
            object
                .entry("title")
                .or_insert_with(|| json!(manifest.title));
            object.insert("x-register".to_owned(), json!(loaded.manifest.register));
            object.insert("x-implementation-defined".to_owned(), json!(true));
        }
        schemas.insert(schema_name.clone(), schema);
        if manifest.extends_details {
            extend_details(properties, manifest, &schema_name, schemas);
            continue;
        }
        properties.insert(
            manifest.key.clone(),
            json!({ "$ref": format!("#/components/schemas/{schema_name}"), "description": format!("With the scope `{scope}`: {}", manifest.title) }),
        );
    }
    names
}

/// Adds the members of a section that stand in `data` itself. A member that details have too has their form without
/// the scope.
fn extend_details(
    properties: &mut Map<String, Value>,
    manifest: &ScopeManifest,
    schema_name: &str,
    schemas: &Map<String, Value>,
) {
    let scope = &manifest.scope;
    for name in manifest.members() {
        let schema = schemas.get(schema_name);
        let Some(own) = schema.and_then(|schema| schema.get("properties")?.get(name)) else {
            continue;
        };
        let member = match properties.get(name) {
            Some(details) => json!({
                "description": format!("The second form with the scope `{scope}`."),
                "anyOf": [details, own],
            }),
            None => own.clone(),
        };
        properties.insert(name.clone(), member);
    }
}

/// Prepares a manifest's schema for the document. Its definitions become components, because references resolve
/// from the document's root.
pub(super) fn hoisted(schema: &Value, name: &str, components: &mut Map<String, Value>) -> Value {
    let mut schema = schema.clone();
    let prefix = format!("#/components/schemas/{name}_");
    repoint(&mut schema, &prefix);
    let definitions = schema
        .as_object_mut()
        .and_then(|object| object.remove("$defs"));
    if let Some(Value::Object(definitions)) = definitions {
        for (key, definition) in definitions {
            components.insert(format!("{name}_{key}"), definition);
        }
    }
    schema
}

fn repoint(value: &mut Value, prefix: &str) {
    match value {
        Value::Object(object) => {
            if let Some(Value::String(reference)) = object.get_mut("$ref")
                && let Some(key) = reference.strip_prefix("#/$defs/")
            {
                *reference = format!("{prefix}{key}");
            }
            for inner in object.values_mut() {
                repoint(inner, prefix);
            }
        }
        Value::Array(items) => {
            for inner in items {
                repoint(inner, prefix);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
