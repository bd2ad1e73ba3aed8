//! A base company as fixtures show it.

use serde_json::{Map, Value, json};

use crate::{Company, CompanyStatus};

/// A base company as JSON: facts as an object, details as the text of the contract, without the
/// evidence.
#[must_use]
pub fn company_json(company: &Company) -> Value {
    let status = match company.status {
        CompanyStatus::Active => "active",
        CompanyStatus::Terminated => "terminated",
        CompanyStatus::Deleted => "deleted",
    };
    let facts: Map<String, Value> = company
        .facts
        .iter()
        .map(|fact| (fact.name.clone(), json!(fact.value)))
        .collect();
    let address = &company.address;
    json!({
        "ico": company.ico,
        "name": company.name,
        "legal_form": company.legal_form,
        "legal_form_code": company.legal_form_code,
        "address": {
            "street": address.street,
            "city": address.city,
            "postal_code": address.postal_code,
            "country": address.country,
            "country_code": address.country_code,
        },
        "established_date": company.established_date,
        "terminated_date": company.terminated_date,
        "status": status,
        "nace_code": company.nace_code,
        "nace_description": company.nace_description,
        "register_id": company.register_id,
        "details": company.details,
        "facts": facts,
    })
}
