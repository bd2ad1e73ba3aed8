//! Operations of collections, from the manifests that declare them.

use serde_json::{Map, Value, json};

use super::sections::hoisted;
use crate::api::collections::parameters::{documented, of_listing};
use crate::connectors::manifest::{CollectionManifest, FilterManifest, OfCompanyManifest};
use crate::store::ConnectorId;

/// Marks an operation of a collection; its value is the feature that a plan must include.
pub(super) const FEATURE: &str = "x-feature";

/// Whether an operation is of a collection.
pub(super) fn is_of_collection(operation: &Value) -> bool {
    operation.get(FEATURE).is_some()
}

/// A collection to describe.
pub(super) struct Described<'a> {
    pub(super) connector: &'a ConnectorId,
    pub(super) manifest: &'a CollectionManifest,
    /// Whether it is the sandbox's.
    pub(super) is_sandbox: bool,
}

impl Described<'_> {
    /// Adds its operations to `paths` and its schemas to `schemas`.
    pub(super) fn add_to(&self, paths: &mut Map<String, Value>, schemas: &mut Map<String, Value>) {
        let (connector, manifest) = (self.connector, self.manifest);
        let prefix = if self.is_sandbox {
            "/v1/sandbox"
        } else {
            "/v1"
        };
        let name = self.name();
        let mut item = hoisted(&manifest.schema, &name, schemas);
        if let Some(item) = item.as_object_mut() {
            item.remove("$schema");
            item.entry("title").or_insert_with(|| json!(manifest.title));
        }
        let summary = self.summary(&item);
        for listing in &manifest.of_company {
            let narrowed = Self::narrowed(listing, &item, &self.reference("_summary"));
            schemas.insert(format!("{name}_{}", listing.path), narrowed);
            let path = format!("{prefix}/company/ico/{{ico}}/{}", listing.path);
            paths.insert(path, json!({"get": self.of_company(listing)}));
        }
        schemas.insert(format!("{name}_summary"), summary);
        schemas.insert(name, item);
        let path = format!("{prefix}/{connector}/{}", manifest.collection);
        paths.insert(path.clone(), json!({"get": self.list()}));
        paths.insert(format!("{path}/{{id}}"), json!({"get": self.look_up()}));
    }

    /// Its name among the schemas.
    fn name(&self) -> String {
        let kind = if self.is_sandbox {
            "SandboxCollection"
        } else {
            "Collection"
        };
        format!("{kind}_{}_{}", self.connector, self.manifest.collection)
    }

    fn reference(&self, ending: &str) -> Value {
        json!({"$ref": format!("#/components/schemas/{}{ending}", self.name())})
    }

    fn summary(&self, item: &Value) -> Value {
        let members = &self.manifest.summary;
        let property = |name: &String| {
            let property = item.get("properties").and_then(|all| all.get(name));
            (name.clone(), property.cloned().unwrap_or_else(|| json!({})))
        };
        let properties: Map<String, Value> = members.iter().map(property).collect();
        json!({"type": "object", "required": members, "properties": properties})
    }

    /// A summary with the elements of one list.
    fn narrowed(listing: &OfCompanyManifest, item: &Value, summary: &Value) -> Value {
        let list = item
            .get("properties")
            .and_then(|all| all.get(&listing.narrows));
        let mut properties = Map::new();
        properties.insert(
            listing.narrows.clone(),
            list.cloned().unwrap_or_else(|| json!({"type": "array"})),
        );
        let own =
            json!({"type": "object", "required": [listing.narrows], "properties": properties});
        json!({"allOf": [summary, own]})
    }

    fn list(&self) -> Value {
        let (manifest, title) = (self.manifest, &self.manifest.title);
        let filters: Vec<&FilterManifest> = manifest.filters.iter().collect();
        let parameters = documented(&filters);
        let summary = format!("List: {title}");
        let page = page(&self.reference("_summary"), None);
        self.operation("list", &summary, &manifest.about, &parameters, &page)
    }

    fn look_up(&self) -> Value {
        let (manifest, title) = (self.manifest, &self.manifest.title);
        let id = json!({
            "name": "id", "in": "path", "required": true, "schema": {"type": "string", "minLength": 1},
            "description": format!("`{}` of the item.", manifest.id),
        });
        let body = json!({"type": "object", "required": ["data"], "properties": {"data": self.reference("")}});
        let summary = format!("Get one: {title}");
        let mut operation = self.operation("get", &summary, &manifest.about, &[id], &body);
        operation["responses"]["404"] = error("The list was read and has no item with this id.");
        operation
    }

    fn of_company(&self, listing: &OfCompanyManifest) -> Value {
        let ico = json!({
            "name": "ico", "in": "path", "required": true, "schema": {"type": "string", "pattern": "^[0-9]{8}$"},
            "description": "Registration number (IČO), 8 digits.",
        });
        let filters = of_listing(self.manifest, listing);
        let parameters: Vec<Value> = [ico].into_iter().chain(documented(&filters)).collect();
        let item = self.reference(&format!("_{}", listing.path));
        let subject = json!({"anyOf": [self.reference("_summary"), {"type": "null"}]});
        let page = page(&item, Some((&listing.subject, subject)));
        let title = if listing.title.is_empty() {
            format!("List of a company: {}", self.manifest.title)
        } else {
            listing.title.clone()
        };
        self.operation(&listing.path, &title, &listing.about, &parameters, &page)
    }

    fn operation(
        &self,
        verb: &str,
        summary: &str,
        about: &str,
        parameters: &[Value],
        body: &Value,
    ) -> Value {
        let manifest = self.manifest;
        let place = if self.is_sandbox { "sandbox_" } else { "" };
        let id = format!("{place}{verb}_{}_{}", self.connector, manifest.collection);
        let tag = if self.is_sandbox {
            "Sandbox"
        } else {
            "Collections"
        };
        let mut operation = json!({
            "tags": [tag],
            "summary": summary,
            "operationId": id.replace('-', "_"),
            "parameters": parameters,
            "responses": {
                "200": {"description": "The answer.", "content": {"application/json": {"schema": body}}},
                "304": {"description": "Nothing has changed since the response whose `ETag` was sent as `If-None-Match`."},
            },
            "security": [{"bearer": []}, {"api_key": []}],
            "x-implementation-defined": true,
        });
        if !about.is_empty() {
            operation["description"] = json!(about);
        }
        if self.is_sandbox {
            operation["responses"]["401"] =
                error("The key is not the published key of the sandbox.");
        }
        operation[FEATURE] = json!(manifest.feature);
        operation
    }
}

/// A response in the form of all errors.
fn error(description: &str) -> Value {
    json!({
        "description": description,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
    })
}

/// The schema of a page of these items. `subject` is a further member of `meta`.
fn page(item: &Value, subject: Option<(&String, Value)>) -> Value {
    let mut properties = Map::new();
    let count = |least: u8| json!({"type": "integer", "minimum": least});
    properties.insert("limit".to_owned(), count(1));
    properties.insert("offset".to_owned(), count(0));
    let has_more =
        json!({"type": "boolean", "description": "Whether there are items after this page."});
    properties.insert("has_more".to_owned(), has_more);
    let unread = json!({
        "type": "array",
        "description": "Sources that could not be read. Items missing from the list may exist in these sources.",
        "items": {"type": "object", "required": ["source", "why"], "properties": {
            "source": {"type": "string"}, "since": {"type": ["string", "null"]}, "why": {"type": "string"},
        }},
    });
    let mut required = vec!["limit", "offset", "has_more"];
    if let Some((name, schema)) = subject {
        required.push(name);
        properties.insert(name.clone(), schema);
    }
    properties.insert("unread".to_owned(), unread);
    json!({
        "type": "object",
        "required": ["data", "meta"],
        "properties": {
            "data": {"type": "array", "items": item},
            "meta": {"type": "object", "required": required, "properties": properties},
        },
    })
}

#[cfg(test)]
mod tests {
    use crate::connectors::manifest::OWN_PATHS;

    #[test]
    fn own_paths_cannot_be_collections() {
        let (_, document) = crate::api::documented_routes().split_for_parts();
        let document = serde_json::to_value(document).expect("it is JSON");
        for path in document["paths"].as_object().expect("an object").keys() {
            let first = path.trim_start_matches("/v1/").split('/').next();
            assert!(OWN_PATHS.contains(&first.unwrap_or_default()), "{path}");
            assert!(!path.starts_with("/v1/company/ico/{ico}/"), "{path}");
        }
    }
}
