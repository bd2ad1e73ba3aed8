//! Checks the manifest against the contract's schema and the code.

use lustra_itms21::settings::Settings;
use lustra_itms21::{APPLICATIONS, IRREGULARITIES, MANIFEST, PROCUREMENT, PROJECTS};
use lustra_sdk::serde_json::json;
use lustra_sdk::testing::Manifest;

pub fn manifest() -> Manifest {
    Manifest::of(MANIFEST)
}

#[test]
fn manifest_is_that_of_the_code() {
    let manifest = manifest();
    manifest.assert_valid();
    manifest.assert_labels();
    manifest.assert_settings_are(&[Settings::declared()]);
    let datasets = manifest.json()["datasets"].as_array().unwrap();
    let datasets = datasets.iter();
    let found: Vec<(&str, bool)> = datasets
        .map(|dataset| (dataset["id"].as_str().unwrap(), dataset["on"] != false))
        .collect();
    let expected = [
        (PROJECTS, true),
        (APPLICATIONS, true),
        (IRREGULARITIES, false),
        (PROCUREMENT, false),
    ];
    assert_eq!(found, expected);
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
