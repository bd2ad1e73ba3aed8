//! The manifest against the contract's schema and against what the code does.

use lustra_crz::MANIFEST;
use lustra_crz::settings::Settings;
use lustra_sdk::serde_json::{Value, from_str, json, to_value};

pub fn manifest() -> Value {
    from_str(MANIFEST).unwrap()
}

#[test]
fn the_manifest_is_one() {
    let schema: Value = from_str(include_str!("../../../../wit/manifest.schema.json")).unwrap();
    let problems: Vec<String> = jsonschema::validator_for(&schema)
        .unwrap()
        .iter_errors(&manifest())
        .map(|error| error.to_string())
        .collect();
    assert!(problems.is_empty(), "{problems:?}");
}

#[test]
fn the_defaults_are_those_of_the_code() {
    let manifest = manifest();
    let properties = manifest["settings"]["properties"].as_object().unwrap();
    let defaults: Value = properties
        .iter()
        .map(|(name, property)| (name.clone(), property["default"].clone()))
        .collect();
    assert_eq!(defaults, to_value(Settings::default()).unwrap());
    for nested in ["states", "amendments"] {
        let parts: Value = properties[nested]["properties"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, property)| (name.clone(), property["default"].clone()))
            .collect();
        assert_eq!(parts, properties[nested]["default"]);
    }
}

#[test]
fn the_settings_take_an_example_and_refuse_others() {
    let validator = jsonschema::validator_for(&manifest()["settings"]).unwrap();
    for good in [
        json!({}),
        json!({"since": "2020-01-01", "states": {"cancelled": [3, 4, 5], "published": [2]}}),
        json!({"since": "120 days", "skip_days": ["2015-03-02"]}),
    ] {
        assert!(validator.is_valid(&good), "{good}");
    }
    for bad in [
        json!({"from": "2020-01-01"}),
        json!({"since": "1.1.2020"}),
        json!({"since": "0 days"}),
        json!({"export_path": "/export/today.zip"}),
        json!({"export_path": "export/{date}.zip"}),
        json!({"states": {"deleted": [6]}}),
        json!({"amendments": {"words": ["Dodatok"]}}),
        json!({"stale_after_days": 0}),
    ] {
        assert!(!validator.is_valid(&bad), "{bad}");
    }
}
