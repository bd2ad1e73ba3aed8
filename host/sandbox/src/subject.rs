//! Converts a stored company to the subject of a connector's call.

use std::collections::BTreeMap;

use lustra_store::StoredCompany;
use serde::Serialize;

use crate::bindings::enrichment::exports::lustra::connector::enrichment::Subject;
use crate::bindings::types::Field;

#[must_use]
pub fn facts(company: &StoredCompany) -> BTreeMap<String, String> {
    serde_json::from_str(&company.base.facts).unwrap_or_default()
}

/// The subject of an enrichment, with the stored content of the section.
#[must_use]
pub fn subject_of(company: &StoredCompany, previous: Option<&str>) -> Subject {
    Subject {
        ico: company.base.ico.clone(),
        name: company.base.name.clone(),
        city: company.base.city.clone(),
        postal_code: company.base.postal_code.clone(),
        nace_code: company.base.nace_code.clone(),
        facts: facts(company)
            .into_iter()
            .map(|(name, value)| Field { name, value })
            .collect(),
        company: base_fields(company, company.base.source_register.as_str()),
        previous: previous.map(str::to_owned),
    }
}

/// Base fields of a company as a JSON object. For connectors, `source_register` is the connector that the record came
/// from.
#[must_use]
pub fn base_fields(company: &StoredCompany, source_register: &str) -> String {
    let base = &company.base;
    let fields = Base {
        id: company.id,
        ico: &base.ico,
        name: &base.name,
        legal_form: base.legal_form.as_deref(),
        legal_form_code: base.legal_form_code.as_deref(),
        address: Address {
            street: base.street.as_deref(),
            city: base.city.as_deref(),
            postal_code: base.postal_code.as_deref(),
            country: base.country.as_deref(),
            country_code: base.country_code.as_deref(),
        },
        established_date: base.established_date.as_deref(),
        terminated_date: base.terminated_date.as_deref(),
        source_register,
        status: base.status.word(),
        nace_code: base.nace_code.as_deref(),
        nace_description: base.nace_description.as_deref(),
    };
    serde_json::to_string(&fields).expect("texts and numbers always become JSON")
}

#[derive(Serialize)]
struct Address<'a> {
    street: Option<&'a str>,
    city: Option<&'a str>,
    postal_code: Option<&'a str>,
    country: Option<&'a str>,
    country_code: Option<&'a str>,
}

#[derive(Serialize)]
struct Base<'a> {
    id: i64,
    ico: &'a str,
    name: &'a str,
    legal_form: Option<&'a str>,
    legal_form_code: Option<&'a str>,
    address: Address<'a>,
    established_date: Option<&'a str>,
    terminated_date: Option<&'a str>,
    source_register: &'a str,
    status: &'a str,
    nace_code: Option<&'a str>,
    nace_description: Option<&'a str>,
}
