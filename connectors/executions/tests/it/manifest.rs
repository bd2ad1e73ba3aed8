//! Checks the manifest against the contract's schema and the code.

use lustra_executions::MANIFEST;
use lustra_executions::settings::{Service, States};
use lustra_sdk::testing::{Manifest, TestHost};
use serde_json::json;

pub fn manifest() -> Manifest {
    Manifest::of(MANIFEST)
}

#[test]
fn manifest_is_valid() {
    manifest().assert_valid();
}

#[test]
fn manifest_defaults_match_the_code() {
    TestHost::new().install();
    let service = Service::read().expect("the defaults are right");
    let states = States::default();
    manifest().assert_defaults(&json!({
        "source": "off",
        "service_path": service.path,
        "service_query": service.query,
        "service_first_page": service.first_page,
        "service_page_size": service.page_size,
        "service_members": service.members,
        "active_states": states.active,
        "ended_states": states.ended,
        "list_charset": "utf-8",
    }));
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
