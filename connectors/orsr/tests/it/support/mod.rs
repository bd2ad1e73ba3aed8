//! What the test files share: a record as JSON, and a check of details against the manifest's schema.

use lustra_sdk::Company;
use lustra_sdk::testing::{self, Manifest};
use serde_json::Value;

/// A company without its evidence, whose details were checked against the manifest. The register knows no NACE codes.
pub fn as_json(company: &Company) -> Value {
    let details: Value = serde_json::from_str(&company.details).expect("details are JSON");
    Manifest::of(lustra_orsr::MANIFEST).assert_details(&details);
    let mut shown = testing::company_json(company);
    shown["details"] = details;
    let members = shown.as_object_mut().expect("a company is an object");
    members.retain(|name, _| !name.starts_with("nace_"));
    shown
}
