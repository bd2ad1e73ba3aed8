//! The manifest against the contract's schema and against what the code does.

use lustra_ruz::MANIFEST;
use lustra_ruz::settings::{Labels, Settings};
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
        .map(|e| e.to_string())
        .collect();
    assert!(problems.is_empty(), "{problems:?}");
}

#[test]
fn the_defaults_are_those_of_the_code() {
    let manifest = manifest();
    let properties = &manifest["settings"]["properties"];
    let labels = to_value(Labels::default()).unwrap();
    assert_eq!(properties["labels"]["default"], labels);
    for (line, words) in labels.as_object().unwrap() {
        assert_eq!(&properties["labels"]["properties"][line]["default"], words);
    }
    assert_eq!(properties["site"]["default"], Settings::default().site);
}

#[test]
fn the_settings_take_an_example_and_refuse_others() {
    let validator = jsonschema::validator_for(&manifest()["settings"]).unwrap();
    let good =
        json!({"labels": {"receipts": ["Príjmy úhrnom"]}, "site": "https://register.example/x"});
    assert!(validator.is_valid(&good));
    for bad in [
        json!({"label": {}}),
        json!({"labels": {"loss": ["Strata"]}}),
        json!({"labels": {"receipts": [""]}}),
        json!({"site": "ftp://register.example"}),
        json!({"site": "https://register.example/"}),
    ] {
        assert!(!validator.is_valid(&bad), "{bad}");
    }
}
