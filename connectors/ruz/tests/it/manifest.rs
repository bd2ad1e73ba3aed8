//! Checks the manifest against the contract's schema and the code.

use lustra_ruz::MANIFEST;
use lustra_ruz::settings::Settings;
use lustra_sdk::serde_json::json;
use lustra_sdk::testing::Manifest;

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
fn settings_schema_accepts_only_valid_values() {
    manifest().assert_settings(
        &[json!({"labels": {"receipts": ["Príjmy úhrnom"]}, "site": "https://register.example/x"})],
        &[
            json!({"label": {}}),
            json!({"labels": {"loss": ["Strata"]}}),
            json!({"labels": {"receipts": [""]}}),
            json!({"site": "ftp://register.example"}),
            json!({"site": "https://register.example/"}),
        ],
    );
}
