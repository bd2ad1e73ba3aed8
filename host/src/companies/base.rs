//! Converts a connector's company to the stored base record.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::connectors::Loaded;
use crate::connectors::bindings::types::{self, Company, Evidence};
use crate::connectors::cache::hex;
use crate::names;
use crate::store::{BaseCompany, CompanyStatus};

/// Converts a connector's base record to its stored form.
#[must_use]
pub fn base_company(company: Company, loaded: &Loaded) -> BaseCompany {
    let facts: BTreeMap<&str, &str> = company
        .facts
        .iter()
        .map(|field| (field.name.as_str(), field.value.as_str()))
        .collect();
    let preference = facts
        .get("preference")
        .copied()
        .unwrap_or_default()
        .to_owned();
    let facts = serde_json::to_string(&facts).expect("texts always become JSON");
    let company = without_nul(company);
    let mut base = BaseCompany {
        name_key: names::name_key(&company.name),
        city_key: company.address.city.as_deref().map(names::fold),
        ico: company.ico,
        name: company.name,
        legal_form: company.legal_form,
        legal_form_code: company.legal_form_code,
        street: company.address.street,
        city: company.address.city,
        postal_code: company.address.postal_code,
        country: company.address.country,
        country_code: company.address.country_code,
        established_date: company.established_date,
        terminated_date: company.terminated_date,
        status: status(company.status),
        nace_code: company.nace_code,
        nace_description: company.nace_description,
        source_register: loaded.manifest.id.clone(),
        register_id: company.register_id,
        details: company.details,
        facts,
        preference,
        content_hash: String::new(),
        connector_version: loaded.manifest.version.clone(),
        evidence: evidence(&company.evidence),
    };
    base.content_hash = base_hash(&base);
    base
}

/// Removes NUL, which `PostgreSQL` cannot store and no register needs.
fn without_nul(mut company: Company) -> Company {
    company.name.retain(|c| c != '\0');
    let address = &mut company.address;
    let texts = [
        &mut company.legal_form,
        &mut company.legal_form_code,
        &mut address.street,
        &mut address.city,
        &mut address.postal_code,
        &mut address.country,
        &mut company.nace_code,
        &mut company.nace_description,
        &mut company.register_id,
    ];
    for text in texts.into_iter().flatten() {
        text.retain(|c| c != '\0');
    }
    company
}

fn status(status: types::CompanyStatus) -> CompanyStatus {
    match status {
        types::CompanyStatus::Active => CompanyStatus::Active,
        types::CompanyStatus::Terminated => CompanyStatus::Terminated,
        types::CompanyStatus::Deleted => CompanyStatus::Deleted,
    }
}

/// Digest of the register's facts, without the connector's version and the evidence.
pub(super) fn base_hash(base: &BaseCompany) -> String {
    let mut digest = Sha256::new();
    let status = base.status.word().to_owned();
    let texts = [
        Some(&base.ico),
        Some(&base.name),
        base.legal_form.as_ref(),
        base.legal_form_code.as_ref(),
        base.street.as_ref(),
        base.city.as_ref(),
        base.postal_code.as_ref(),
        base.country.as_ref(),
        base.country_code.as_ref(),
        base.established_date.as_ref(),
        base.terminated_date.as_ref(),
        Some(&status),
        base.nace_code.as_ref(),
        base.nace_description.as_ref(),
        base.register_id.as_ref(),
        Some(&base.details),
        Some(&base.facts),
    ];
    for text in texts {
        // Absent and empty text hash differently, and lengths separate adjacent texts.
        match text {
            Some(text) => {
                digest.update((text.len() as u64 + 1).to_le_bytes());
                digest.update(text);
            }
            None => digest.update(0_u64.to_le_bytes()),
        }
    }
    hex(&digest.finalize()[..16])
}

pub(super) fn hash(text: &str) -> String {
    hex(&Sha256::digest(text)[..16])
}

pub(super) fn evidence(evidence: &[Evidence]) -> String {
    let list: Vec<_> = evidence
        .iter()
        .map(|one| serde_json::json!({"id": one.id, "sha256": one.digest, "fetched_at": one.fetched_at}))
        .collect();
    serde_json::Value::from(list).to_string()
}
