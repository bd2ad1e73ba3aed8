//! The manifest against the contract's schema and against what the code does.

use lustra_procurement_journal::{DATASET, MANIFEST, UPSTREAM, settings};
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
        .map(|e| e.to_string())
        .collect();
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(manifest()["datasets"][0]["id"], DATASET);
    assert!(manifest()["upstreams"].get(UPSTREAM).is_some());
}

#[test]
fn the_defaults_are_those_of_the_code() {
    let manifest = manifest();
    let properties = manifest["settings"]["properties"].as_object().unwrap();
    for (name, default) in [
        ("publisher", json!(settings::PUBLISHER)),
        ("query", json!(settings::QUERY)),
        ("page_size", json!(settings::PAGE_SIZE)),
        ("hosts", json!(settings::HOSTS)),
        ("since", json!(settings::SINCE)),
        ("stale_after_days", json!(settings::STALE_AFTER_DAYS)),
        ("role_addresses", json!(settings::ROLE_ADDRESSES.to_vec())),
    ] {
        assert_eq!(properties[name]["default"], default, "{name}");
    }
    assert_eq!(properties.len(), 7);
}

#[test]
fn the_settings_take_an_example_and_refuse_others() {
    let validator = jsonschema::validator_for(&manifest()["settings"]).unwrap();
    for good in [
        json!({"since": "2024"}),
        json!({"since": "2024-05-01", "role_addresses": []}),
        json!({"since": "90 days", "hosts": ["portal.example"]}),
    ] {
        assert!(validator.is_valid(&good), "{good}");
    }
    for bad in [
        json!({"since": "soon"}),
        json!({"page_size": 0}),
        json!({"hosts": []}),
        json!({"role_addresses": ["info@vzor.sk"]}),
        json!({"token": "x"}),
    ] {
        assert!(!validator.is_valid(&bad), "{bad}");
    }
}
