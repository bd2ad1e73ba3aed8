//! Checks the manifest against the contract's schema and the code.

use lustra_commercial_bulletin::settings::{Import, Shown};
use lustra_commercial_bulletin::{MANIFEST, layouts};
use lustra_sdk::Failure;
use lustra_sdk::serde_json::json;
use lustra_sdk::testing::{Manifest, TestHost};

pub fn manifest() -> Manifest {
    Manifest::of(MANIFEST)
}

#[test]
fn manifest_is_valid() {
    manifest().assert_valid();
    manifest().assert_labels();
}

#[test]
fn manifest_settings_are_those_of_the_code() {
    manifest().assert_settings_are(&[Import::declared(), Shown::declared()]);
}

#[test]
fn every_role_is_in_the_schema() {
    let manifest = manifest();
    let entry = &manifest.schema("commercial_bulletin")["properties"]["latest_entries"]["items"];
    let known = entry["properties"]["role"]["enum"].as_array().unwrap();
    let roles = layouts::LAYOUTS.iter().flat_map(|layout| layout.subjects);
    for (path, role) in roles {
        assert!(known.contains(&json!(role.word())), "{path:?} {role:?}");
    }
    assert!(known.contains(&json!(layouts::Role::Named.word())));
}

#[test]
fn the_beginning_is_a_date_or_a_number_of_days() {
    let first_day = || Import::read().and_then(|settings| settings.first_day("2026-01-15"));
    let since = |given: &str| {
        TestHost::new().setting("since", &json!(given)).install();
        first_day().ok()
    };
    assert_eq!(since("2020-02-29").as_deref(), Some("2020-02-29"));
    assert_eq!(since("120 days").as_deref(), Some("2025-09-17"));
    assert_eq!(since("0 days").as_deref(), Some("2026-01-15"));
    for wrong in [
        "",
        "yesterday",
        "-1 days",
        "120",
        "2020-13-01",
        "99999 days",
    ] {
        TestHost::new().setting("since", &json!(wrong)).install();
        let failure = first_day();
        assert!(matches!(failure, Err(Failure::Misconfigured(_))), "{wrong}");
    }
    TestHost::new().install();
    assert_eq!(first_day().ok().as_deref(), Some("2016-01-01"));
}
