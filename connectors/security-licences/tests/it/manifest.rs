//! Checks the manifest against the code.

use lustra_sdk::testing::Manifest;
use lustra_security_licences::MANIFEST;
use lustra_security_licences::settings::Settings;
use serde_json::json;

pub fn manifest() -> Manifest {
    Manifest::of(MANIFEST)
}

#[test]
fn manifest_settings_are_those_of_the_code() {
    manifest().assert_settings_are(&[Settings::declared()]);
}

#[test]
fn settings_schema_accepts_only_valid_values() {
    manifest().assert_settings(
        &[
            json!({"columns": {"ico": ["Registrácia"]}}),
            json!({"status_words": {"suspended": ["dočasne nie"]}}),
        ],
        &[
            json!({"columns": {"ico": []}}),
            json!({"columns": {"ico": "IČO"}}),
            json!({"columns": {"colour": ["Farba"]}}),
            json!({"path": "/x"}),
        ],
    );
}
