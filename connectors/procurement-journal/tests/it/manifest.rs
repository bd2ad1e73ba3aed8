//! Checks the manifest against the contract's schema and the code.

use lustra_procurement_journal::settings::Settings;
use lustra_procurement_journal::{DATASET, MANIFEST, UPSTREAM};
use lustra_sdk::serde_json::json;
use lustra_sdk::testing::Manifest;

pub fn manifest() -> Manifest {
    Manifest::of(MANIFEST)
}

#[test]
fn manifest_is_valid() {
    manifest().assert_valid();
    manifest().assert_labels();
    assert_eq!(manifest().json()["datasets"][0]["id"], DATASET);
    assert!(manifest().json()["upstreams"].get(UPSTREAM).is_some());
}

#[test]
fn manifest_settings_are_those_of_the_code() {
    manifest().assert_settings_are(&[Settings::declared()]);
}

#[test]
fn settings_schema_accepts_only_valid_values() {
    manifest().assert_settings(
        &[
            json!({"since": "2024"}),
            json!({"since": "2024-05-01", "role_addresses": []}),
            json!({"since": "90 days", "hosts": ["portal.example"]}),
        ],
        &[
            json!({"since": "soon"}),
            json!({"page_size": 0}),
            json!({"hosts": []}),
            json!({"role_addresses": ["info@vzor.sk"]}),
            json!({"token": "x"}),
        ],
    );
}
