//! Checks the manifest against the contract's schema and the code.

use lustra_replik::administrator_settings::{List, Source};
use lustra_replik::settings::{self, Settings};
use lustra_replik::{MANIFEST, codes};
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
fn manifest_defaults_match_the_code() {
    let code = Settings::default();
    let list = List::default();
    manifest().assert_defaults(&json!({
        "active_states": code.active_states,
        "ended_states": code.ended_states,
        "proceeding_page": code.proceeding_page,
        "since": settings::SINCE,
        "changes_at_once": settings::CHANGES_AT_ONCE,
        "administrators_source": Source::Proceedings,
        "administrators_path": list.path,
        "administrators_query": list.query,
        "administrators_first_page": list.first_page,
        "administrators_page_size": list.page_size,
        "administrators_members": list.members,
    }));
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
