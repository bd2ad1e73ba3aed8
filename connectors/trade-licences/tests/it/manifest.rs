//! Checks the manifest against the contract's schema and the code.

use lustra_sdk::testing::Manifest;
use lustra_trade_licences::MANIFEST;
use serde_json::json;

pub fn manifest() -> Manifest {
    Manifest::of(MANIFEST)
}

#[test]
fn manifest_is_valid() {
    manifest().assert_valid();
}

#[test]
fn the_section_is_a_list_of_closed_objects() {
    let manifest = manifest();
    let schema = manifest.schema("trade_license_activities");
    assert_eq!(schema["type"], "array");
    let item = &schema["items"];
    assert_eq!(item["additionalProperties"], false);
    for (name, member) in item["properties"].as_object().unwrap() {
        assert!(member["description"].is_string(), "{name}");
    }
    assert_eq!(
        item["properties"]["source"]["enum"],
        json!(["trade_register", "commercial_register"])
    );
}
