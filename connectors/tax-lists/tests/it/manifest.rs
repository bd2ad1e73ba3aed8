//! Checks the manifest against the contract's schema and the code.

use lustra_sdk::serde_json::{Map, Value, json, to_value};
use lustra_sdk::tax_lists::{ListKind, ListSettings};
use lustra_sdk::testing::Manifest;
use lustra_tax_lists::MANIFEST;
use lustra_tax_lists::dataset::Dataset;
use lustra_tax_lists::settings;

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
    manifest().assert_defaults(&json!({
        "lists": Map::from_iter(lists),
        "names": settings::default_names(),
    }));
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
    for (dataset, told) in Dataset::ALL.iter().zip(datasets) {
        let needs_something = told["needs"].is_string() && told["on"] == false;
        assert_eq!(needs_something, dataset.is_found_by_name(), "{told}");
    }
}

#[test]
fn settings_schema_accepts_only_valid_values() {
    manifest().assert_settings(
        &[json!({
            "api_key": "x",
            "lists": {
                "vat-regimes": {"slug": "ds_dpho2", "columns": {"ico": "ICO2"}},
                "patent-box": {"slug": "ds_x"},
                "research-deductions": {"slug": ""},
            },
            "names": {"patent-box": ["oslobodenie prijmov"]},
        })],
        &[
            json!({"api": "x"}),
            json!({"lists": {"vat-regimes": {"slug": ""}}}),
            json!({"lists": {"vat-regimes": {"slug": "../x"}}}),
            json!({"lists": {"patent-box": {"slug": "../x"}}}),
            json!({"lists": {"vat-regimes": {"columns": {"loss": "X"}}}}),
            json!({"names": {"vat-regimes": ["x y z"]}}),
            json!({"names": {"patent-box": []}}),
        ],
    );
    assert_eq!(
        manifest().json()["settings"]["properties"]["api_key"]["writeOnly"],
        json!(true)
    );
}
