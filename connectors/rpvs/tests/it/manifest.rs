//! Checks the manifest against the contract's schema and the code.

use lustra_rpvs::MANIFEST;
use lustra_rpvs::settings::Settings;
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::Manifest;

pub fn manifest() -> Manifest {
    Manifest::of(MANIFEST)
}

#[test]
fn manifest_is_valid() {
    manifest().assert_valid();
    manifest().assert_labels();
}

#[test]
fn manifest_settings_are_those_of_the_code() {
    manifest().assert_settings_are(&[Settings::declared()]);
}

#[test]
fn settings_schema_accepts_only_valid_values() {
    manifest().assert_settings(
        &[
            json!({}),
            json!({"spaced_ico": false, "verifications": {"expand": ""}}),
            json!({"erasure": {"erased_on": "DatumVymazu"}, "fines": {"expand": "Pokuty"}}),
        ],
        &[
            json!({"another": 1}),
            json!({"spaced_ico": "no"}),
            json!({"verifications": {"expand": "A,B"}}),
            json!({"erasure": {"day": "Datum"}}),
            json!({"detail_page": "javascript:alert(1)"}),
        ],
    );
}

#[test]
fn every_object_of_the_section_is_closed() {
    fn closed(schema: &Value, place: &str) {
        if schema["type"] == "object" {
            assert_eq!(schema["additionalProperties"], false, "{place}");
        }
        for (name, below) in schema.as_object().into_iter().flatten() {
            closed(below, &format!("{place}/{name}"));
        }
    }
    closed(manifest().schema("rpvs"), "");
}
