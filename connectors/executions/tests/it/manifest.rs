//! The manifest against the contract's schema and against what the code does.

use lustra_executions::MANIFEST;
use lustra_executions::settings::{Service, States};
use lustra_sdk::testing::TestHost;
use serde_json::{Value, from_str, json, to_value};

pub fn manifest() -> Value {
    from_str(MANIFEST).expect("it is JSON")
}

#[test]
fn the_manifest_is_one() {
    let schema: Value =
        from_str(include_str!("../../../../wit/manifest.schema.json")).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    let problems: Vec<String> = validator
        .iter_errors(&manifest())
        .map(|error| error.to_string())
        .collect();
    assert!(problems.is_empty(), "{problems:?}");
}

#[test]
fn the_defaults_of_the_settings_are_those_of_the_code() {
    TestHost::new().install();
    let settings = manifest()["settings"]["properties"].clone();
    let service = Service::read().expect("the defaults are right");
    let states = States::default();
    for (name, default) in [
        ("source", json!("off")),
        ("service_path", json!(service.path)),
        ("service_query", to_value(&service.query).expect("JSON")),
        ("service_first_page", json!(service.first_page)),
        ("service_page_size", json!(service.page_size)),
        ("service_members", to_value(&service.members).expect("JSON")),
        ("active_states", json!(states.active)),
        ("ended_states", json!(states.ended)),
        ("list_charset", json!("utf-8")),
    ] {
        assert_eq!(settings[name]["default"], default, "{name}");
    }
    for object in ["service_query", "service_members"] {
        let default = settings[object]["default"].as_object().expect("an object");
        for (name, value) in default {
            assert_eq!(&settings[object]["properties"][name]["default"], value);
        }
    }
}

#[test]
fn the_settings_take_an_example_and_refuse_others() {
    let settings = manifest()["settings"].clone();
    let validator = jsonschema::validator_for(&settings).expect("the schema is one");
    let good =
        json!({"source": "service", "service_members": {"rows": "zoznam"}, "ended_states": []});
    assert!(validator.is_valid(&good));
    for bad in [
        json!({"source": "paid"}),
        json!({"service_path": "https://elsewhere.example/x"}),
        json!({"service_path": "/x?y=z"}),
        json!({"service_members": {"birth_date": "x"}}),
        json!({"service_page_size": 0}),
        json!({"active_states": []}),
        json!({"other": 1}),
    ] {
        assert!(!validator.is_valid(&bad), "{bad}");
    }
}
