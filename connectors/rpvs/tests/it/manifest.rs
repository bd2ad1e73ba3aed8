//! The manifest against the contract's schema and against what the code does.

use lustra_rpvs::MANIFEST;
use lustra_rpvs::settings::{DetailPage, Erasure, Fines, SpacedIco, Verifications};
use lustra_sdk::serde_json::{Value, from_str, json, to_value};

pub fn manifest() -> Value {
    from_str(MANIFEST).unwrap()
}

/// Fails where a section does not fit the manifest's schema.
pub fn fits(content: &Value) {
    let schema = &manifest()["scopes"][0]["schema"];
    let problems: Vec<String> = jsonschema::validator_for(schema)
        .unwrap()
        .iter_errors(content)
        .map(|error| error.to_string())
        .collect();
    assert!(problems.is_empty(), "{content}: {problems:?}");
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
fn the_defaults_of_the_settings_are_those_of_the_code() {
    let properties = &manifest()["settings"]["properties"];
    for (name, code) in [
        ("detail_page", to_value(DetailPage::default()).unwrap()),
        ("spaced_ico", to_value(SpacedIco::default()).unwrap()),
        ("verifications", to_value(Verifications::default()).unwrap()),
        ("erasure", to_value(Erasure::default()).unwrap()),
        ("fines", to_value(Fines::default()).unwrap()),
    ] {
        assert_eq!(properties[name]["default"], code, "{name}");
        for (column, default) in code.as_object().into_iter().flatten() {
            let shown = &properties[name]["properties"][column]["default"];
            assert_eq!(shown, default, "{name} {column}");
        }
    }
}

#[test]
fn the_settings_take_an_example_and_refuse_others() {
    let validator = jsonschema::validator_for(&manifest()["settings"]).unwrap();
    for good in [
        json!({}),
        json!({"spaced_ico": false, "verifications": {"expand": ""}}),
        json!({"erasure": {"erased_on": "DatumVymazu"}, "fines": {"expand": "Pokuty"}}),
    ] {
        assert!(validator.is_valid(&good), "{good}");
    }
    for bad in [
        json!({"another": 1}),
        json!({"spaced_ico": "no"}),
        json!({"verifications": {"expand": "A,B"}}),
        json!({"erasure": {"day": "Datum"}}),
        json!({"detail_page": "javascript:alert(1)"}),
    ] {
        assert!(!validator.is_valid(&bad), "{bad}");
    }
}

#[test]
fn every_object_of_the_section_is_closed() {
    fn closed(schema: &Value, place: &str) {
        if schema["type"] == "object" {
            assert_eq!(schema["additionalProperties"], false, "{place}");
        }
        for (name, below) in schema.as_object().into_iter().flatten() {
            closed(below, &format!("{place}/{name}"));
        }
    }
    closed(&manifest()["scopes"][0]["schema"], "");
}
