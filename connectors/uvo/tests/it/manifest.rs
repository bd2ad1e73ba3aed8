//! Checks the manifest against the contract's schema and the code.

use lustra_sdk::testing::Manifest;
use lustra_uvo::MANIFEST;
use lustra_uvo::import::DATASET;
use lustra_uvo::settings::Settings;
use serde_json::json;

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
fn the_dataset_is_that_of_the_code() {
    let manifest = manifest();
    assert_eq!(manifest.json()["datasets"][0]["id"], DATASET);
    assert_eq!(manifest.json()["scopes"][0]["datasets"], json!([DATASET]));
}

#[test]
fn settings_schema_accepts_only_valid_values() {
    manifest().assert_settings(
        &[
            json!({"suppliers": {"search_type": "ZHS"}}),
            json!({"lists": {"page_parameter": "p", "first_page": 0}}),
            json!({"references": {"search": "/referencie?ico={ico}", "price": ["Cena"]}}),
            json!({"most_requests": 20}),
        ],
        &[
            json!({"suppliers": {"search": "/hladaj"}}),
            json!({"references": {"price": []}}),
            json!({"references": {"cena": ["Cena"]}}),
            json!({"debarred": {"block_class": ".a b"}}),
            json!({"most_requests": 21}),
            json!({"site": "https://www.uvo.gov.sk/"}),
            json!({"path": "/x"}),
        ],
    );
}

/// The service's documentation promises a refresh after ten days.
#[test]
fn profiles_are_fresh_for_ten_days() {
    let manifest = manifest();
    let scopes = manifest.json()["scopes"].as_array().unwrap();
    let authority = scopes
        .iter()
        .find(|scope| scope["scope"] == "contracting_authority");
    assert_eq!(authority.unwrap()["max_age_days"], 10);
}

/// The site's robots.txt forbids all paths, so the import that reads all pages stays off until the operator
/// enables it.
#[test]
fn crawling_import_is_off_with_a_reason() {
    let manifest = manifest();
    let dataset = &manifest.json()["datasets"][0];
    assert_eq!(dataset["on"], false);
    assert!(
        dataset["needs"]
            .as_str()
            .is_some_and(|needs| needs.contains("robots.txt")),
        "{dataset}"
    );
}
