//! The manifest against the contract's schema and against what the code does.

use lustra_ruz::MANIFEST;
use lustra_ruz::settings::{Labels, Settings};
use lustra_sdk::serde_json::json;
use lustra_sdk::testing::Manifest;

pub fn manifest() -> Manifest {
    Manifest::of(MANIFEST)
}

#[test]
fn the_manifest_is_one() {
    manifest().assert_valid();
    manifest().assert_labels();
}

#[test]
fn the_defaults_are_those_of_the_code() {
    manifest().assert_defaults(&json!({
        "labels": Labels::default(),
        "site": Settings::default().site,
    }));
}

#[test]
fn the_settings_take_an_example_and_refuse_others() {
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
