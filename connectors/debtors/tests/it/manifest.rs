//! Checks the manifest against the contract's schema and the code.

use lustra_debtors::MANIFEST;
use lustra_debtors::settings::Settings;
use lustra_sdk::testing::Manifest;
use serde_json::json;

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
        &[json!({}), json!({"vszp_live": false, "vszp_docid": 9})],
        &[json!({"another": 1}), json!({"vszp_live": "no"})],
    );
}
