//! Checks the manifest against the contract's schema and the code.

use lustra_crz::MANIFEST;
use lustra_crz::settings::Settings;
use lustra_sdk::serde_json::json;
use lustra_sdk::testing::Manifest;

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
fn settings_schema_accepts_only_valid_values() {
    manifest().assert_settings(
        &[
            json!({}),
            json!({"since": "2020-01-01", "states": {"cancelled": [3, 4, 5], "published": [2]}}),
            json!({"since": "120 days", "skip_days": ["2015-03-02"]}),
        ],
        &[
            json!({"from": "2020-01-01"}),
            json!({"since": "1.1.2020"}),
            json!({"since": "0 days"}),
            json!({"export_path": "/export/today.zip"}),
            json!({"export_path": "export/{date}.zip"}),
            json!({"states": {"deleted": [6]}}),
            json!({"amendments": {"words": ["Dodatok"]}}),
            json!({"stale_after_days": 0}),
        ],
    );
}
