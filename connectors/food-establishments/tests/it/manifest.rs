//! Checks the manifest against the contract's schema and the code.

use lustra_food_establishments::MANIFEST;
use lustra_food_establishments::matching::Method;
use lustra_food_establishments::settings::{Register, Settings};
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
fn the_datasets_are_those_of_the_code_and_off() {
    let manifest = manifest();
    let datasets = manifest.json()["datasets"].as_array().unwrap();
    let ids: Vec<&Value> = datasets.iter().map(|dataset| &dataset["id"]).collect();
    assert_eq!(
        ids,
        Register::ALL
            .map(|register| json!(register.id()))
            .iter()
            .collect::<Vec<_>>()
    );
    for dataset in datasets {
        assert_eq!(dataset["on"], false);
        assert!(dataset["needs"].is_string());
    }
}

#[test]
fn the_methods_are_those_of_the_code() {
    let methods = [
        Method::NameCityPostalCode,
        Method::NameCity,
        Method::NamePostalCode,
        Method::NameEstablishmentCity,
        Method::Name,
        Method::SimilarName,
    ];
    let schema = manifest().schema("svps_establishments").clone();
    assert_eq!(
        schema["items"]["properties"]["match_method"]["enum"],
        json!(methods.map(Method::word))
    );
    assert_eq!(json!(methods), json!(methods.map(Method::word)));
}

#[test]
fn settings_schema_accepts_only_valid_values() {
    manifest().assert_settings(
        &[
            json!({"shown_from": 0.9, "columns": {"city": ["mesto"]}}),
            json!({"lists": [{"register": "vet", "path": "/a.xlsx", "section": "IX"}]}),
        ],
        &[
            json!({"shown_from": 2}),
            json!({"columns": {"city": []}}),
            json!({"columns": {"ico": ["ičo"]}}),
            json!({"lists": [{"register": "vet"}]}),
            json!({"lists": [{"register": "fish", "path": "/a"}]}),
            json!({"lists": [{"register": "vet", "path": "a.xlsx"}]}),
        ],
    );
}
