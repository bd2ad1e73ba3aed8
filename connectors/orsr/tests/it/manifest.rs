//! The manifest against the contract's schema.

use lustra_sdk::testing::Manifest;

#[test]
fn manifest_is_valid() {
    Manifest::of(lustra_orsr::MANIFEST).assert_valid();
}
