//! Checks the manifest against the contract's schema and the code.

use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::tax_lists::{self, ListKind};
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
fn manifest_settings_are_those_of_the_code() {
    manifest().assert_settings_are(&[tax_lists::declared(&Dataset::ALL), settings::declared()]);
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
}
