//! The manifest against the contract's schema and against what the code does.

use lustra_nbs::MANIFEST;
use lustra_nbs::dataset::Dataset;
use lustra_nbs::settings::{MOST_VANISHED_PERCENT, Psd2Members};
use serde_json::{Value, from_str, json, to_value};

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
    let settings = manifest()["settings"]["properties"].clone();
    assert_eq!(
        settings["most_vanished_percent"]["default"],
        json!(MOST_VANISHED_PERCENT)
    );
    let members = to_value(Psd2Members::default()).unwrap();
    assert_eq!(settings["psd2_members"]["default"], members);
    for (fact, name) in members.as_object().unwrap() {
        let property = &settings["psd2_members"]["properties"][fact];
        assert_eq!(&property["default"], name, "{fact}");
    }
}

#[test]
fn the_datasets_are_those_of_the_code() {
    let manifest = manifest();
    let ids: Vec<Value> = manifest["datasets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|dataset| dataset["id"].clone())
        .collect();
    assert_eq!(ids, Dataset::ALL.map(|dataset| json!(dataset.id())));
    assert_eq!(manifest["scopes"][0]["datasets"], json!(ids));
}

#[test]
fn the_settings_take_an_example_and_refuse_others() {
    let validator = jsonschema::validator_for(&manifest()["settings"]).unwrap();
    assert!(
        validator.is_valid(&json!({"most_vanished_percent": 50, "psd2_members": {"id": "ico"}}))
    );
    for bad in [
        json!({"most_vanished_percent": 101}),
        json!({"most_vanished_percent": "20"}),
        json!({"psd2_members": {"name": "x"}}),
        json!({"psd2_members": {"id": ""}}),
        json!({"path": "/x"}),
    ] {
        assert!(!validator.is_valid(&bad), "{bad}");
    }
}
