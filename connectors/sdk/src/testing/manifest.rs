//! A manifest against the contract's schema, and what the connector does against its manifest.
#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a manifest or a section that is none is a test that fails, and says why"
)]

use crate::notes::{DEFAULT_MAX_ODD_PERCENT, MAX_ODD_PERCENT};
use serde_json::Value;

use crate::Section;

/// A connector's manifest: what `export!` calls `MANIFEST`.
#[derive(Debug, Clone)]
pub struct Manifest(Value);

impl Manifest {
    /// Reads it.
    ///
    /// # Panics
    /// The text is no JSON.
    #[must_use]
    #[track_caller]
    pub fn of(text: &str) -> Self {
        Self(serde_json::from_str(text).expect("a manifest is JSON"))
    }

    /// The manifest as JSON, for what is special to a connector.
    #[must_use]
    pub fn json(&self) -> &Value {
        &self.0
    }

    /// Fails unless it is a manifest, by `wit/manifest.schema.json`.
    ///
    /// # Panics
    /// It is none; every problem is named.
    #[track_caller]
    pub fn assert_valid(&self) {
        let schema = include_str!("../../../../wit/manifest.schema.json");
        let schema = serde_json::from_str(schema).expect("the contract's schema is JSON");
        fits(&schema, &self.0);
    }

    /// Fails unless every member of every scope's sections has a label in English (`title`) and in Slovak
    /// (`x-lustra-title-sk`), which letters are written with.
    ///
    /// # Panics
    /// One has none; its path is named.
    #[track_caller]
    pub fn assert_labels(&self) {
        let scopes = self.0["scopes"].as_array().into_iter().flatten();
        for scope in scopes {
            let place = scope["scope"].as_str().unwrap_or_default();
            labelled(&scope["schema"], place);
        }
    }

    /// Fails unless the settings' defaults in the manifest are those of the code: an object with every setting that has
    /// one, such as `to_value(Settings::default())`. Defaults of nested settings must repeat the part of the whole.
    ///
    /// The SDK's own setting `max_odd_percent` is the SDK's to compare.
    ///
    /// # Panics
    /// A default is another one, or is on one side alone.
    #[track_caller]
    pub fn assert_defaults(&self, of_code: &Value) {
        let mut of_code = of_code.clone();
        if self.0["settings"]["properties"]
            .get(MAX_ODD_PERCENT)
            .is_some()
        {
            of_code[MAX_ODD_PERCENT] = DEFAULT_MAX_ODD_PERCENT.into();
        }
        same_defaults(&self.0["settings"], Some(&of_code), "settings");
    }

    /// Fails unless the settings' schema takes each of the first and none of the second.
    ///
    /// # Panics
    /// A good one does not fit, or a bad one does.
    #[track_caller]
    pub fn assert_settings(&self, good: &[Value], bad: &[Value]) {
        let validator = jsonschema::validator_for(&self.0["settings"]).expect("a schema");
        for good in good {
            assert!(validator.is_valid(good), "refused: {good}");
        }
        for bad in bad {
            assert!(!validator.is_valid(bad), "taken: {bad}");
        }
    }

    /// The schema of a scope's sections.
    ///
    /// # Panics
    /// The manifest does not offer the scope.
    #[must_use]
    #[track_caller]
    pub fn schema(&self, scope: &str) -> &Value {
        let scopes = self.0["scopes"].as_array().into_iter().flatten();
        let mut of_scope = scopes.filter(|offered| offered["scope"] == scope);
        let offered = of_scope.next();
        &offered.unwrap_or_else(|| panic!("there is no scope {scope}"))["schema"]
    }

    /// Fails unless a section's content fits the schema of its scope.
    ///
    /// # Panics
    /// It does not fit; every problem is named.
    #[track_caller]
    pub fn assert_content(&self, scope: &str, content: &Value) {
        fits(self.schema(scope), content);
    }

    /// Fails unless details of a company fit the schema that the manifest has of them.
    ///
    /// # Panics
    /// They do not fit; every problem is named.
    #[track_caller]
    pub fn assert_details(&self, details: &Value) {
        fits(&self.0["company_source"]["schema"], details);
    }

    /// A section's content, which fits the schema of its scope and names the same sources as unread, and for the same
    /// reasons, as the section does beside it.
    ///
    /// # Panics
    /// It does not.
    #[must_use]
    #[track_caller]
    pub fn content(&self, scope: &str, section: &Section) -> Value {
        let content: Value = serde_json::from_str(&section.content).expect("a section is JSON");
        self.assert_content(scope, &content);
        if content.is_object() {
            let unread = content["unread"].as_array().into_iter().flatten();
            let named: Vec<_> = unread
                .map(|one| (one["source"].as_str(), one["why"].as_str()))
                .collect();
            let fields = section.unread.iter();
            let fields: Vec<_> = fields
                .map(|field| (Some(field.name.as_str()), Some(field.value.as_str())))
                .collect();
            assert_eq!(named, fields, "the section and its content name the same");
        }
        content
    }
}

#[track_caller]
fn fits(schema: &Value, value: &Value) {
    let validator = jsonschema::validator_for(schema).expect("a schema");
    let problems: Vec<String> = validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(problems.is_empty(), "{}\n{value:#}", problems.join("\n"));
}

#[track_caller]
fn same_defaults(schema: &Value, of_code: Option<&Value>, place: &str) {
    let of_code = of_code.filter(|value| !value.is_null());
    let properties = schema["properties"].as_object();
    let default = schema.get("default");
    match (default.filter(|value| !value.is_null()), properties) {
        (Some(default), _) => assert_eq!(Some(default), of_code, "the default of {place}"),
        (None, None) => assert_eq!(of_code, None, "{place} has no default"),
        (None, Some(_)) => {}
    }
    let Some(properties) = properties else { return };
    for (name, property) in properties {
        let part = of_code.and_then(|value| value.get(name));
        same_defaults(property, part, &format!("{place}/{name}"));
    }
    for name in of_code
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(|of_code| of_code.keys())
    {
        assert!(properties.contains_key(name), "{place} has no {name}");
    }
}

/// Fails unless the members of a schema have labels, those of its lists and choices too.
#[track_caller]
fn labelled(schema: &Value, place: &str) {
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        let place = format!("{place}/{name}");
        for label in ["title", "x-lustra-title-sk"] {
            let has = member[label].as_str().is_some_and(|text| !text.is_empty());
            assert!(has, "{place} has no {label}");
        }
        labelled(member, &place);
    }
    labelled_below(schema, place);
}

#[track_caller]
fn labelled_below(schema: &Value, place: &str) {
    for choices in ["anyOf", "oneOf", "allOf"] {
        for choice in schema[choices].as_array().into_iter().flatten() {
            labelled(choice, place);
        }
    }
    if schema["items"].is_object() {
        labelled(&schema["items"], place);
    }
}

#[cfg(test)]
#[expect(
    clippy::unwrap_used,
    reason = "a test that panics has failed, as it should"
)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use serde_json::json;

    use super::*;
    use crate::unread::{self, Unread};

    fn manifest() -> Manifest {
        Manifest(json!({
            "settings": { "properties": {
                "days": { "type": "integer", "default": 7 },
                "key": { "type": "string" },
                "names": {
                    "default": { "id": "id", "rows": "zoznam" },
                    "properties": { "id": { "default": "id" }, "rows": { "default": "zoznam" } },
                },
            }},
            "scopes": [{ "scope": "tax", "schema": {
                "required": ["is_payer"],
                "properties": { "is_payer": { "type": "boolean" } },
            }}],
        }))
    }

    fn fails(test: impl FnOnce()) -> bool {
        catch_unwind(AssertUnwindSafe(test)).is_err()
    }

    #[test]
    fn defaults_are_compared_to_the_last_part() {
        let code = json!({"days": 7, "key": null, "names": {"id": "id", "rows": "zoznam"}});
        manifest().assert_defaults(&code);
        for (name, value) in [
            ("days", json!(8)),
            ("days", Value::Null),
            ("key", json!("x")),
            ("names", json!({"id": "id", "rows": "rows"})),
            ("another", json!(1)),
        ] {
            let mut other = code.clone();
            other[name] = value;
            assert!(fails(|| manifest().assert_defaults(&other)), "{other}");
        }
        let mut nested = manifest();
        nested.0["settings"]["properties"]["names"]["properties"]["id"]["default"] = json!("ico");
        assert!(fails(|| nested.assert_defaults(&code)));
    }

    #[test]
    fn a_section_fits_its_schema_and_names_the_same_beside_it() {
        let unread = [Unread {
            source: "list".to_owned(),
            since: None,
            why: "off".to_owned(),
        }];
        let content = json!({ "is_payer": true, "unread": unread });
        let section = unread::section(&content, &unread, Vec::new()).unwrap();
        assert_eq!(manifest().content("tax", &section), content);
        let silent = unread::section(&content, &[], Vec::new()).unwrap();
        assert!(fails(|| drop(manifest().content("tax", &silent))));
        assert!(fails(|| drop(manifest().content("another", &section))));
        let other = unread::section(&json!({ "is_payer": 1 }), &[], Vec::new()).unwrap();
        assert!(fails(|| drop(manifest().content("tax", &other))));
    }

    #[test]
    fn good_settings_fit_and_bad_ones_do_not() {
        let (good, bad) = ([json!({"days": 1})], [json!({"days": "1"})]);
        manifest().assert_settings(&good, &bad);
        assert!(fails(|| manifest().assert_settings(&bad, &[])));
        assert!(fails(|| manifest().assert_settings(&[], &good)));
        assert!(fails(|| manifest().assert_valid()), "it is not a whole one");
    }
}
