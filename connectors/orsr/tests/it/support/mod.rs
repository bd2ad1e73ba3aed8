//! What the test files share: a record as JSON, and a check of details against the manifest's schema.

use lustra_sdk::testing::Manifest;
use lustra_sdk::{Company, CompanyStatus};
use serde_json::{Map, Value, json};

/// A company without its evidence, whose details were checked against the manifest.
pub fn as_json(company: &Company) -> Value {
    let status = match company.status {
        CompanyStatus::Active => "active",
        CompanyStatus::Terminated => "terminated",
        CompanyStatus::Deleted => "deleted",
    };
    let details: Value = serde_json::from_str(&company.details).expect("details are JSON");
    Manifest::of(lustra_orsr::MANIFEST).assert_details(&details);
    let facts: Map<String, Value> = company
        .facts
        .iter()
        .map(|fact| (fact.name.clone(), json!(fact.value)))
        .collect();
    json!({
        "ico": company.ico,
        "name": company.name,
        "legal_form": company.legal_form,
        "legal_form_code": company.legal_form_code,
        "address": {
            "street": company.address.street,
            "city": company.address.city,
            "postal_code": company.address.postal_code,
            "country": company.address.country,
            "country_code": company.address.country_code,
        },
        "established_date": company.established_date,
        "terminated_date": company.terminated_date,
        "status": status,
        "register_id": company.register_id,
        "facts": facts,
        "details": details,
    })
}
