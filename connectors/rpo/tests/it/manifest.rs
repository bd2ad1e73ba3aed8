//! The manifest against the contract's schema.

use lustra_sdk::testing::Manifest;

#[test]
fn the_manifest_is_one() {
    Manifest::of(lustra_rpo::MANIFEST).assert_valid();
}
