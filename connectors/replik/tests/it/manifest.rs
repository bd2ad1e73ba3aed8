//! Checks the manifest against the contract's schema and the code.

use lustra_replik::settings::{Changes, Settings};
use lustra_replik::{MANIFEST, administrator_settings, codes};
use lustra_sdk::serde_json::json;
use lustra_sdk::testing::Manifest;

pub fn manifest() -> Manifest {
    Manifest::of(MANIFEST)
}

#[test]
fn manifest_is_valid() {
    manifest().assert_valid();
}

#[test]
fn manifest_settings_are_those_of_the_code() {
    manifest().assert_settings_are(&[
        Settings::declared(),
        Changes::declared(),
        administrator_settings::Settings::declared(),
        administrator_settings::List::declared(),
    ]);
}

#[test]
fn the_schema_names_every_type() {
    let about = manifest().schema("insolvency")["properties"]["proceedings"]["items"]["properties"]
        ["proceeding_type"]["description"]
        .to_string();
    for known in codes::ProceedingType::ALL {
        assert!(about.contains(known.code()), "{known:?}");
    }
}

#[test]
fn settings_schema_accepts_only_valid_values() {
    manifest().assert_settings(
        &[
            json!({"ended_states": ["ODROCENE_KONANIE"], "since": "2026-01-01"}),
            json!({"administrators_source": "service", "administrators_members": {"ico": "osoba/ico"}}),
        ],
        &[
            json!({"states": []}),
            json!({"since": "včera"}),
            json!({"changes_at_once": 0}),
            json!({"proceeding_page": "javascript:"}),
            json!({"administrators_source": "list"}),
            json!({"administrators_members": {"office": "adresa"}}),
            json!({"administrators_query": {"page": ""}}),
        ],
    );
}
