//! Checks the manifest against the contract's schema and the code.

use lustra_gleif::MANIFEST;
use lustra_gleif::settings::Settings;
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
        &[json!({}), json!({"authorities": ["RA000526"]})],
        &[
            json!({"another": 1}),
            json!({"authorities": []}),
            json!({"authorities": ["SK"]}),
            json!({"record_page": "javascript:alert(1)"}),
        ],
    );
}
