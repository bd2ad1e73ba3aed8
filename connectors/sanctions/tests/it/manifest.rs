//! Checks the manifest against the contract's schema and the code.

use lustra_sanctions::MANIFEST;
use lustra_sanctions::dataset::Dataset;
use lustra_sanctions::settings::Settings;
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
    let datasets = manifest["datasets"].as_array().unwrap();
    let ids: Vec<Value> = datasets
        .iter()
        .map(|dataset| dataset["id"].clone())
        .collect();
    assert_eq!(ids, Dataset::ALL.map(|dataset| json!(dataset.id())));
    assert_eq!(manifest["scopes"][0]["datasets"], json!(ids));
}

#[test]
fn settings_schema_accepts_only_valid_values() {
    manifest().assert_settings(
        &[json!({"threshold": 0.8, "most_hits": 3, "max_odd_share": 0.05, "eu_path": "/xmlFullSanctionsList_1_1/content?token=x"})],
        &[
            json!({"threshold": 1.5}),
            json!({"max_odd_share": 2}),
            json!({"threshold": 0.2}),
            json!({"most_hits": 0}),
            json!({"sdn_path": "SDN.XML"}),
            json!({"path": "/x"}),
        ],
    );
}
