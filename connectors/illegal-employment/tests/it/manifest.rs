//! Checks the manifest against the contract's schema and the code.

use lustra_illegal_employment::MANIFEST;
use lustra_illegal_employment::import::DATASET;
use lustra_illegal_employment::settings::{Pages, Settings};
use lustra_sdk::testing::Manifest;
use serde_json::json;

pub fn manifest() -> Manifest {
    Manifest::of(MANIFEST)
}

#[test]
fn manifest_is_valid() {
    manifest().assert_valid();
}

#[test]
fn manifest_settings_are_those_of_the_code() {
    manifest().assert_settings_are(&[Settings::declared(), Pages::declared()]);
}

#[test]
fn the_dataset_is_that_of_the_code_and_off() {
    let manifest = manifest();
    let datasets = manifest.json()["datasets"].as_array().unwrap();
    assert_eq!(datasets.len(), 1);
    assert_eq!(datasets[0]["id"], DATASET);
    assert_eq!(datasets[0]["on"], false);
    assert!(datasets[0]["needs"].is_string());
    assert_eq!(manifest.json()["scopes"][0]["datasets"], json!([DATASET]));
}

#[test]
fn settings_schema_accepts_only_valid_values() {
    manifest().assert_settings(
        &[
            json!({"source": "file", "columns": {"name": ["firma"]}}),
            json!({"page_path": "/zoznam?typ=1", "page_parameter": "p", "first_page": 0}),
        ],
        &[
            json!({"source": "off"}),
            json!({"page_path": "zoznam"}),
            json!({"first_page": 2}),
            json!({"total_label": ""}),
            json!({"columns": {"name": []}}),
            json!({"columns": {"court": ["súd"]}}),
        ],
    );
}
