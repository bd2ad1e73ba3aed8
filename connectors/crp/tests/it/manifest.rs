//! Checks the manifest against the contract's schema and the code.

use lustra_crp::settings::Settings;
use lustra_crp::{DATASET, MANIFEST};
use lustra_sdk::testing::Manifest;
use serde_json::json;

pub fn manifest() -> Manifest {
    Manifest::of(MANIFEST)
}

#[test]
fn manifest_is_valid() {
    manifest().assert_valid();
    assert_eq!(manifest().json()["datasets"][0]["id"], DATASET);
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
            json!({"since": "365 days", "cookie": "", "skip": ["/17-sk/vzor/"]}),
            json!({"list_path": "/projekty?razenie=1&strana={page}", "labels": {"id": ["Číslo"]}}),
        ],
        &[
            json!({"another": 1}),
            json!({"since": "last year"}),
            json!({"site": "https://www.crp.gov.sk/"}),
            json!({"list_path": "/projekty/{page}/"}),
            json!({"labels": {"id": []}}),
            json!({"labels": {"number": ["ID"]}}),
            json!({"cookie": "a\nb"}),
            json!({"reread_every_days": 0}),
            json!({"skip": ["https://www.crp.gov.sk/17/"]}),
        ],
    );
}
