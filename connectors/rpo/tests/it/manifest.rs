//! The manifest against the contract's schema and against the code.

use lustra_rpo::MANIFEST;
use lustra_rpo::settings::Settings;
use lustra_sdk::testing::Manifest;

#[test]
fn manifest_is_valid() {
    Manifest::of(MANIFEST).assert_valid();
}

#[test]
fn manifest_settings_are_those_of_the_code() {
    Manifest::of(MANIFEST).assert_settings_are(&[Settings::declared()]);
}

#[test]
fn members_of_the_scope_have_labels() {
    Manifest::of(MANIFEST).assert_labels();
}
