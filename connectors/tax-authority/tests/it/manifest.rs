//! Checks the manifest against the contract's schema and the code.

use lustra_sdk::serde_json::{Map, Value, json, to_value};
use lustra_sdk::testing::{Manifest, TestHost};
use lustra_tax_authority::MANIFEST;
use lustra_tax_authority::lists::Dataset;
use lustra_tax_authority::settings::{ListSettings, Vies};

pub fn manifest() -> Manifest {
    Manifest::of(MANIFEST)
}

#[test]
fn manifest_is_valid() {
    manifest().assert_valid();
}

#[test]
fn manifest_defaults_match_the_code() {
    let lists = Dataset::ALL.map(|dataset| {
        let list = to_value(ListSettings::default_of(dataset)).unwrap();
        (dataset.id().to_owned(), list)
    });
    TestHost::new().install();
    let vies = Vies::read().unwrap();
    manifest().assert_defaults(&json!({
        "lists": Map::from_iter(lists),
        "vies_cache_days": vies.cache_days,
        "vies_member_state": vies.member_state,
    }));
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
    assert_eq!(
        manifest().json()["settings"]["properties"]["api_key"]["writeOnly"],
        json!(true)
    );
}
