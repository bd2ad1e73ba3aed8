//! Checks the manifest against the contract's schema and the code.

use lustra_nbs::MANIFEST;
use lustra_nbs::dataset::Dataset;
use lustra_nbs::settings::Settings;
use lustra_sdk::testing::Manifest;
use serde_json::{Value, json};

pub fn manifest() -> Manifest {
    Manifest::of(MANIFEST)
}

#[test]
fn manifest_is_valid() {
    manifest().assert_valid();
}

#[test]
fn manifest_settings_are_those_of_the_code() {
    manifest().assert_settings_are(&[Settings::declared()]);
}

#[test]
fn the_datasets_are_those_of_the_code() {
    let manifest = manifest();
    let manifest = manifest.json();
    let ids: Vec<Value> = manifest["datasets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|dataset| dataset["id"].clone())
        .collect();
    assert_eq!(ids, Dataset::ALL.map(|dataset| json!(dataset.id())));
    let of_section = Dataset::OF_SECTION.map(|dataset| json!(dataset.id()));
    assert_eq!(manifest["scopes"][0]["datasets"], json!(of_section));
}

#[test]
fn settings_schema_accepts_only_valid_values() {
    manifest().assert_settings(
        &[json!({"most_vanished_percent": 50, "psd2_members": {"id": "ico"}, "agents_columns": {"sector": ["Oblasť"]}})],
        &[
            json!({"most_vanished_percent": 101}),
            json!({"most_vanished_percent": "20"}),
            json!({"psd2_members": {"name": "x"}}),
            json!({"psd2_members": {"id": ""}}),
            json!({"agents_columns": {"sector": []}}),
            json!({"path": "/x"}),
        ],
    );
}
