//! Checks the manifest against the contract's schema and the code.

use lustra_sdk::serde_json::json;
use lustra_sdk::testing::Manifest;
use lustra_ted::MANIFEST;
use lustra_ted::settings::Settings;

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
            json!({"query": "buyer-identifier IN ({ico})", "values": []}),
            json!({"pages": 3, "page_size": 250}),
        ],
        &[
            json!({"another": 1}),
            json!({"query": "buyer-country = SVK"}),
            json!({"values": [{"amount": "total-value"}]}),
            json!({"page_size": 251}),
            json!({"pages": 0}),
        ],
    );
}

#[test]
fn each_member_is_requested_once() {
    let mut settings = Settings::default();
    assert_eq!(settings.fields().len(), 15);
    settings.values.push(settings.estimate.clone());
    assert_eq!(settings.fields().len(), 15);
}
