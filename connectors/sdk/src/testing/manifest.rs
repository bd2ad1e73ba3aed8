//! Checks a manifest against the contract's schema, and a connector against its manifest.
#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a manifest or a section that is none is a test that fails, and says why"
)]

use serde_json::Value;

use crate::Section;
use crate::settings::Declared;

mod settings;

/// A connector's manifest: the `MANIFEST` constant of `export!`.
#[derive(Debug, Clone)]
pub struct Manifest(Value);

impl Manifest {
    /// Parses the manifest.
    ///
    /// # Panics
    /// The text is not JSON.
    #[must_use]
    #[track_caller]
    pub fn of(text: &str) -> Self {
        Self(serde_json::from_str(text).expect("a manifest is JSON"))
    }

    /// The manifest as JSON, for checks that are specific to a connector.
    #[must_use]
    pub fn json(&self) -> &Value {
        &self.0
    }

    /// Validates the manifest against `wit/manifest.schema.json`, and checks that every setting
    /// and every member of one has a description.
    ///
    /// # Panics
    /// The manifest is invalid; the message lists every problem. A description is missing; the
    /// message names its path.
    #[track_caller]
    pub fn assert_valid(&self) {
        let schema = include_str!("../../../../wit/manifest.schema.json");
        let schema = serde_json::from_str(schema).expect("the contract's schema is JSON");
        fits(&schema, &self.0);
        settings::assert_described(&self.0["settings"], "settings");
    }

    /// Checks that every member of every scope's schema has an English label (`title`) and a
    /// Slovak one (`x-lustra-title-sk`). Notification e-mails use these labels.
    ///
    /// # Panics
    /// A label is missing; the message names its path.
    #[track_caller]
    pub fn assert_labels(&self) {
        let scopes = self.0["scopes"].as_array().into_iter().flatten();
        for scope in scopes {
            let place = scope["scope"].as_str().unwrap_or_default();
            labelled(&scope["schema"], place);
        }
    }

    /// Compares the settings' schema with the settings that the code declares: names, types,
    /// ranges, defaults and descriptions. Descriptions may differ in backticks and line breaks.
    /// Patterns and lengths of texts stand in the manifest alone.
    ///
    /// The SDK's own setting `max_odd_percent` is left out.
    ///
    /// # Panics
    /// A setting differs, or exists on one side only; the message names its path.
    #[track_caller]
    pub fn assert_settings_are(&self, declared: &[Declared]) {
        settings::assert_same(&self.0["settings"], declared);
    }

    /// Checks that the settings' schema accepts each of `good` and rejects each of `bad`.
    ///
    /// # Panics
    /// A good value is rejected or a bad one accepted.
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
    /// The manifest does not declare the scope.
    #[must_use]
    #[track_caller]
    pub fn schema(&self, scope: &str) -> &Value {
        let scopes = self.0["scopes"].as_array().into_iter().flatten();
        let mut of_scope = scopes.filter(|offered| offered["scope"] == scope);
        let offered = of_scope.next();
        &offered.unwrap_or_else(|| panic!("there is no scope {scope}"))["schema"]
    }

    /// Validates a section's content against the schema of its scope.
    ///
    /// # Panics
    /// The content is invalid; the message lists every problem.
    #[track_caller]
    pub fn assert_content(&self, scope: &str, content: &Value) {
        fits(self.schema(scope), content);
    }

    /// Validates details of a company against the manifest's schema for them.
    ///
    /// # Panics
    /// The details are invalid; the message lists every problem.
    #[track_caller]
    pub fn assert_details(&self, details: &Value) {
        fits(&self.0["company_source"]["schema"], details);
    }

    /// Returns a section's content after two checks: it matches the schema of its scope, and it
    /// lists the same unread sources with the same reasons as the section itself.
    ///
    /// # Panics
    /// A check fails.
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
            assert_eq!(
                named, fields,
                "the content's member `unread` (left) lists the same sources, in the same order, as the section (right): \
                 add to the content what was passed to `unread::section`"
            );
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

/// Checks that the members of a schema have labels, including those inside its lists and choices.
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
    fn section_matches_schema_and_unread_list() {
        let unread = [Unread {
            source: "list".to_owned(),
            since: None,
            why: unread::Gap::Off(String::new()),
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
