//! The manifest against the contract's schema and against what the code does.

use lustra_gleif::MANIFEST;
use lustra_gleif::settings::Settings;
use lustra_sdk::serde_json::{json, to_value};
use lustra_sdk::testing::Manifest;

pub fn manifest() -> Manifest {
    Manifest::of(MANIFEST)
}

#[test]
fn the_manifest_is_one() {
    manifest().assert_valid();
}

#[test]
fn the_defaults_of_the_settings_are_those_of_the_code() {
    manifest().assert_defaults(&to_value(Settings::default()).unwrap());
}

#[test]
fn the_settings_take_an_example_and_refuse_others() {
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
