//! Checks the manifest against the contract's schema and the code.

use lustra_executions::MANIFEST;
use lustra_executions::settings::{Service, Settings, States};
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
    manifest().assert_settings_are(&[
        Settings::declared(),
        Service::declared(),
        States::declared(),
    ]);
}

#[test]
fn settings_schema_accepts_only_valid_values() {
    manifest().assert_settings(
        &[json!({"source": "service", "service_members": {"rows": "zoznam"}, "ended_states": []})],
        &[
            json!({"source": "paid"}),
            json!({"service_path": "https://elsewhere.example/x"}),
            json!({"service_path": "/x?y=z"}),
            json!({"service_members": {"birth_date": "x"}}),
            json!({"service_page_size": 0}),
            json!({"active_states": []}),
            json!({"other": 1}),
        ],
    );
}
