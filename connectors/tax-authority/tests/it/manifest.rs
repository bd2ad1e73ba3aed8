//! Checks the manifest against the contract's schema and the code.

use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::tax_lists::declared;
use lustra_sdk::testing::Manifest;
use lustra_tax_authority::MANIFEST;
use lustra_tax_authority::lists::Dataset;
use lustra_tax_authority::settings::Vies;

pub fn manifest() -> Manifest {
    Manifest::of(MANIFEST)
}

#[test]
fn manifest_is_valid() {
    manifest().assert_valid();
}

#[test]
fn manifest_settings_are_those_of_the_code() {
    manifest().assert_settings_are(&[declared(&Dataset::ALL), Vies::declared()]);
}

#[test]
fn the_datasets_are_those_of_the_code() {
    let ids: Vec<Value> = manifest().json()["datasets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| d["id"].clone())
        .collect();
    assert_eq!(ids, Dataset::ALL.map(|dataset| json!(dataset.id())));
    for scope in manifest().json()["scopes"].as_array().unwrap() {
        for dataset in scope["datasets"].as_array().unwrap() {
            assert!(ids.contains(dataset), "{dataset}");
        }
    }
}

#[test]
fn settings_schema_accepts_only_valid_values() {
    manifest().assert_settings(
        &[json!({"api_key": "x", "lists": {"vat-payers": {"slug": "ds_dphs2", "columns": {"ico": "ICO2"}}}})],
        &[
        json!({"api": "x"}),
        json!({"lists": {"vat-payers": {"slug": "../x"}}}),
        json!({"lists": {"vat-payers": {"columns": {"name": "X"}}}}),
        json!({"vies_member_state": "Slovakia"}),
        json!({"vies_cache_days": -1}),],
    );
}
