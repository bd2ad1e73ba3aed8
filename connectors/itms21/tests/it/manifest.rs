//! Checks the manifest against the contract's schema and the code.

use lustra_itms21::settings::Settings;
use lustra_itms21::{APPLICATIONS, IRREGULARITIES, MANIFEST, PROCUREMENT, PROJECTS};
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::Manifest;

pub fn manifest() -> Manifest {
    Manifest::of(MANIFEST)
}

#[test]
fn manifest_is_valid() {
    manifest().assert_valid();
    manifest().assert_labels();
    let manifest = manifest();
    let datasets = manifest.json()["datasets"].as_array().unwrap();
    let ids: Vec<&str> = datasets
        .iter()
        .map(|dataset| dataset["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, [PROJECTS, APPLICATIONS, IRREGULARITIES, PROCUREMENT]);
    let is_off = |dataset: &&Value| dataset["on"] == false;
    assert_eq!(datasets.iter().filter(is_off).count(), 2);
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
            json!({"page_size": 200, "project_url": "https://portal.itms21.sk/projekt/?id={id}"}),
            json!({"run_minutes": 0, "reread_days": 7}),
        ],
        &[
            json!({"another": 1}),
            json!({"page_size": 0}),
            json!({"page_size": -1}),
            json!({"project_url": "https://portal.itms21.sk/"}),
            json!({"application_url": "portal?id={id}"}),
            json!({"reread_days": 0}),
            json!({"receivable_list": "pohladavky?limit=1"}),
            json!({"settled_states": []}),
        ],
    );
}
