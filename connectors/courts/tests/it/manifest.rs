//! Checks the manifest against the contract's schema and the code.

use lustra_courts::MANIFEST;
use lustra_courts::settings::Settings;
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
        &[
            json!({}),
            json!({"path": "/api/v2/rozhodnutie", "most_pages": 1, "recent": 100}),
            json!({"document_url": "https://mirror.example/{id}.pdf"}),
        ],
        &[
            json!({"another": 1}),
            json!({"path": "rozhodnutie"}),
            json!({"page_size": 0}),
            json!({"most_pages": 1_000}),
            json!({"recent": 0}),
            json!({"decision_url": "https://mirror.example/"}),
            json!({"document_url": "javascript:{id}"}),
        ],
    );
}
