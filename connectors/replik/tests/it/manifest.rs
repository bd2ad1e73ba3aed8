//! The manifest against the contract's schema and against what the code does.

use lustra_replik::settings::{self, Settings};
use lustra_replik::{MANIFEST, codes};
use lustra_sdk::serde_json::{Value, from_str, json};

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
    let default = |name: &str| manifest["settings"]["properties"][name]["default"].clone();
    let code = Settings::default();
    assert_eq!(default("active_states"), json!(code.active_states));
    assert_eq!(default("ended_states"), json!(code.ended_states));
    assert_eq!(default("proceeding_page"), json!(code.proceeding_page));
    assert_eq!(default("since"), json!(settings::SINCE));
    assert_eq!(default("changes_at_once"), json!(settings::CHANGES_AT_ONCE));
}

#[test]
fn the_schema_names_every_type() {
    let about = manifest()["scopes"][0]["schema"]["properties"]["proceedings"]["items"]["properties"]
        ["proceeding_type"]["description"]
        .to_string();
    for known in codes::ProceedingType::ALL {
        assert!(about.contains(known.code()), "{known:?}");
    }
}

#[test]
fn the_settings_take_an_example_and_refuse_others() {
    let validator = jsonschema::validator_for(&manifest()["settings"]).unwrap();
    assert!(
        validator.is_valid(&json!({"ended_states": ["ODROCENE_KONANIE"], "since": "2026-01-01"}))
    );
    for bad in [
        json!({"states": []}),
        json!({"since": "včera"}),
        json!({"changes_at_once": 0}),
        json!({"proceeding_page": "javascript:"}),
    ] {
        assert!(!validator.is_valid(&bad), "{bad}");
    }
}
