//! Checks the manifest against the code.

use lustra_sdk::listed::StatusWords;
use lustra_sdk::testing::Manifest;
use lustra_security_licences::MANIFEST;
use lustra_security_licences::columns::Columns;
use lustra_security_licences::kinds::KindWords;
use serde_json::json;

pub fn manifest() -> Manifest {
    Manifest::of(MANIFEST)
}

#[test]
fn manifest_defaults_match_the_code() {
    manifest().assert_defaults(&json!({
        "columns": Columns::default(),
        "status_words": StatusWords::default(),
        "kind_words": KindWords::default(),
    }));
}

#[test]
fn settings_schema_accepts_only_valid_values() {
    manifest().assert_settings(
        &[
            json!({"columns": {"ico": ["Registrácia"]}}),
            json!({"status_words": {"suspended": ["dočasne nie"]}}),
        ],
        &[
            json!({"columns": {"ico": []}}),
            json!({"columns": {"ico": "IČO"}}),
            json!({"columns": {"colour": ["Farba"]}}),
            json!({"path": "/x"}),
        ],
    );
}
