//! The manifest against the contract's schema and against what the code does.

use lustra_sdk::serde_json::{Value, from_str, json, to_value};
use lustra_tax_authority::MANIFEST;
use lustra_tax_authority::lists::Dataset;
use lustra_tax_authority::settings::ListSettings;

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
fn the_defaults_of_the_lists_are_those_of_the_code() {
    let manifest = manifest();
    let lists = &manifest["settings"]["properties"]["lists"];
    for dataset in Dataset::ALL {
        let list = to_value(ListSettings::default_of(dataset)).unwrap();
        assert_eq!(lists["default"][dataset.id()], list, "the default of lists");
        let properties = &lists["properties"][dataset.id()]["properties"];
        assert_eq!(properties["slug"]["default"], list["slug"]);
        for (fact, column) in list["columns"].as_object().unwrap() {
            assert_eq!(
                &properties["columns"]["properties"][fact]["default"],
                column,
                "{} {fact}",
                dataset.id()
            );
        }
    }
}

#[test]
fn the_datasets_are_those_of_the_code() {
    let ids: Vec<Value> = manifest()["datasets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| d["id"].clone())
        .collect();
    assert_eq!(ids, Dataset::ALL.map(|dataset| json!(dataset.id())));
    for scope in manifest()["scopes"].as_array().unwrap() {
        for dataset in scope["datasets"].as_array().unwrap() {
            assert!(ids.contains(dataset), "{dataset}");
        }
    }
}

#[test]
fn the_settings_take_an_example_and_refuse_others() {
    let validator = jsonschema::validator_for(&manifest()["settings"]).unwrap();
    let good = json!({"api_key": "x", "lists": {"vat-payers": {"slug": "ds_dphs2", "columns": {"ico": "ICO2"}}}});
    assert!(validator.is_valid(&good));
    for bad in [
        json!({"api": "x"}),
        json!({"lists": {"vat-payers": {"slug": "../x"}}}),
        json!({"lists": {"vat-payers": {"columns": {"name": "X"}}}}),
        json!({"vies_member_state": "Slovakia"}),
        json!({"vies_cache_days": -1}),
    ] {
        assert!(!validator.is_valid(&bad), "{bad}");
    }
    assert_eq!(
        manifest()["settings"]["properties"]["api_key"]["writeOnly"],
        json!(true)
    );
}
