//! Serialisable forms of the contract's records. The generated types contain handles and cannot be serialised.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::CallOutcome;
use crate::CallFailure;
use crate::bindings::base::lustra::connector::companies::Candidate;
use crate::bindings::base::lustra::connector::records::{DatasetState, Similar, Stored};
use crate::bindings::company_source::exports::lustra::connector::company_source::CompanyKey;
use crate::bindings::enrichment::exports::lustra::connector::enrichment::{Section, Subject};
use crate::bindings::importer::exports::lustra::connector::importer::Item;
use crate::bindings::types::{Company, CompanyStatus, Drift, Failure, Field};

/// Serialisable form of the contract's `failure`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordedFailure {
    /// The upstream is unreachable or failing.
    Unavailable(String),
    /// Rate limited; seconds to wait, if known.
    Throttled(Option<u32>),
    /// The response has an unknown format.
    Malformed {
        /// The location of the problem.
        what: String,
        expected: String,
        found: String,
    },
    /// The operator must correct the configuration.
    Misconfigured(String),
    /// The host refused the request.
    Refused(String),
    /// A code and a sentence.
    Other(String, String),
}

impl From<Failure> for RecordedFailure {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Unavailable(why) => Self::Unavailable(why),
            Failure::Throttled(seconds) => Self::Throttled(seconds),
            Failure::Malformed(drift) => Self::Malformed {
                what: drift.what,
                expected: drift.expected,
                found: drift.found,
            },
            Failure::Misconfigured(why) => Self::Misconfigured(why),
            Failure::Refused(why) => Self::Refused(why),
            Failure::Other((code, why)) => Self::Other(code, why),
        }
    }
}

impl From<RecordedFailure> for Failure {
    fn from(failure: RecordedFailure) -> Self {
        match failure {
            RecordedFailure::Unavailable(why) => Self::Unavailable(why),
            RecordedFailure::Throttled(seconds) => Self::Throttled(seconds),
            RecordedFailure::Malformed {
                what,
                expected,
                found,
            } => Self::Malformed(Drift {
                what,
                expected,
                found,
                evidence: None,
            }),
            RecordedFailure::Misconfigured(why) => Self::Misconfigured(why),
            RecordedFailure::Refused(why) => Self::Refused(why),
            RecordedFailure::Other(code, why) => Self::Other((code, why)),
        }
    }
}

/// Named values in order.
type Fields = Vec<(String, String)>;

fn fields_of(fields: &[Field]) -> Fields {
    fields
        .iter()
        .map(|field| (field.name.clone(), field.value.clone()))
        .collect()
}

fn fields_from(fields: Fields) -> Vec<Field> {
    fields
        .into_iter()
        .map(|(name, value)| Field { name, value })
        .collect()
}

/// Serialisable form of the contract's `enrichment.subject`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedSubject {
    /// Registration number (IČO), 8 digits.
    pub ico: String,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub postal_code: Option<String>,
    /// Code of the main economic activity (NACE).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nace_code: Option<String>,
    /// Facts of the base record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<(String, String)>,
    /// The base fields as JSON text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub company: String,
    /// The stored section's JSON text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<String>,
}

impl From<&Subject> for RecordedSubject {
    fn from(subject: &Subject) -> Self {
        Self {
            ico: subject.ico.clone(),
            name: subject.name.clone(),
            city: subject.city.clone(),
            postal_code: subject.postal_code.clone(),
            nace_code: subject.nace_code.clone(),
            facts: fields_of(&subject.facts),
            company: subject.company.clone(),
            previous: subject.previous.clone(),
        }
    }
}

impl From<&RecordedSubject> for Subject {
    fn from(subject: &RecordedSubject) -> Self {
        let subject = subject.clone();
        Self {
            ico: subject.ico,
            name: subject.name,
            city: subject.city,
            postal_code: subject.postal_code,
            nace_code: subject.nace_code,
            facts: fields_from(subject.facts),
            company: subject.company,
            previous: subject.previous,
        }
    }
}

/// Serialisable form of the contract's `records.stored`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedRecord {
    key: String,
    ico: Option<String>,
    name: Option<String>,
    city: Option<String>,
    postal_code: Option<String>,
    content: String,
}

impl From<&Stored> for RecordedRecord {
    fn from(stored: &Stored) -> Self {
        Self {
            key: stored.key.clone(),
            ico: stored.ico.clone(),
            name: stored.name.clone(),
            city: stored.city.clone(),
            postal_code: stored.postal_code.clone(),
            content: stored.content.clone(),
        }
    }
}

impl From<RecordedRecord> for Stored {
    fn from(record: RecordedRecord) -> Self {
        Self {
            key: record.key,
            ico: record.ico,
            name: record.name,
            city: record.city,
            postal_code: record.postal_code,
            content: record.content,
        }
    }
}

/// Serialisable form of the contract's `records.similar`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedSimilar {
    found: RecordedRecord,
    similarity: f64,
}

impl From<&Similar> for RecordedSimilar {
    fn from(similar: &Similar) -> Self {
        Self {
            found: (&similar.found).into(),
            similarity: similar.similarity,
        }
    }
}

impl From<RecordedSimilar> for Similar {
    fn from(similar: RecordedSimilar) -> Self {
        Self {
            found: similar.found.into(),
            similarity: similar.similarity,
        }
    }
}

/// Serialisable form of the contract's `records.dataset-state`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedState {
    imported_at: Option<String>,
    list_date: Option<String>,
    records: u64,
    failure: Option<String>,
    off: bool,
    details: Fields,
}

impl From<&DatasetState> for RecordedState {
    fn from(state: &DatasetState) -> Self {
        Self {
            imported_at: state.imported_at.clone(),
            list_date: state.list_date.clone(),
            records: state.records,
            failure: state.failure.clone(),
            off: state.off,
            details: fields_of(&state.details),
        }
    }
}

impl From<RecordedState> for DatasetState {
    fn from(state: RecordedState) -> Self {
        Self {
            imported_at: state.imported_at,
            list_date: state.list_date,
            records: state.records,
            failure: state.failure,
            off: state.off,
            details: fields_from(state.details),
        }
    }
}

/// Serialisable form of the contract's `companies.candidate`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordedCandidate {
    ico: String,
    name: String,
    city: Option<String>,
    postal_code: Option<String>,
    similarity: f64,
}

impl From<&Candidate> for RecordedCandidate {
    fn from(candidate: &Candidate) -> Self {
        Self {
            ico: candidate.ico.clone(),
            name: candidate.name.clone(),
            city: candidate.city.clone(),
            postal_code: candidate.postal_code.clone(),
            similarity: candidate.similarity,
        }
    }
}

impl From<RecordedCandidate> for Candidate {
    fn from(candidate: RecordedCandidate) -> Self {
        Self {
            ico: candidate.ico,
            name: candidate.name,
            city: candidate.city,
            postal_code: candidate.postal_code,
            similarity: candidate.similarity,
        }
    }
}

/// The outcome of a section call, without the evidence, whose ids are new in each call.
#[must_use]
pub fn section_outcome(result: &Result<Section, CallFailure>) -> CallOutcome {
    match result {
        Ok(section) => {
            let content: Value = serde_json::from_str(&section.content)
                .unwrap_or_else(|_| Value::from(section.content.clone()));
            let unread: Value = section
                .unread
                .iter()
                .map(|field| (field.name.clone(), Value::from(field.value.clone())))
                .collect();
            CallOutcome::Gave(json!({ "section": content, "unread": unread }))
        }
        Err(failure) => CallOutcome::Failed(failure.to_string()),
    }
}

/// The outcome of a company call, without the evidence.
#[must_use]
pub fn company_outcome(result: &Result<Option<Company>, CallFailure>) -> CallOutcome {
    match result {
        Ok(company) => CallOutcome::Gave(company.as_ref().map_or(Value::Null, company_json)),
        Err(failure) => CallOutcome::Failed(failure.to_string()),
    }
}

/// A company's record as JSON, without the evidence.
#[must_use]
pub fn company_json(company: &Company) -> Value {
    let status = match company.status {
        CompanyStatus::Active => "active",
        CompanyStatus::Terminated => "terminated",
        CompanyStatus::Deleted => "deleted",
    };
    let details: Value = serde_json::from_str(&company.details)
        .unwrap_or_else(|_| Value::from(company.details.clone()));
    let facts: Value = company
        .facts
        .iter()
        .map(|field| (field.name.clone(), Value::from(field.value.clone())))
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
        "nace_code": company.nace_code,
        "nace_description": company.nace_description,
        "register_id": company.register_id,
        "details": details,
        "facts": facts,
    })
}

/// A record of an import as JSON.
#[must_use]
pub fn item_json(item: &Item) -> Value {
    let content: Value =
        serde_json::from_str(&item.content).unwrap_or_else(|_| Value::from(item.content.clone()));
    json!({
        "key": item.key,
        "ico": item.ico,
        "name": item.name,
        "city": item.city,
        "postal_code": item.postal_code,
        "content": content,
        "removed": item.removed,
    })
}

/// The kind and the value of a key.
#[must_use]
pub fn key_of(key: &CompanyKey) -> (String, String) {
    match key {
        CompanyKey::Ico(ico) => ("ico".to_owned(), ico.clone()),
        CompanyKey::RegisterId(id) => ("register-id".to_owned(), id.clone()),
        CompanyKey::Other((kind, value)) => (kind.clone(), value.clone()),
    }
}

/// The key with this kind and value.
#[must_use]
pub fn key_from(kind: &str, value: &str) -> CompanyKey {
    match kind {
        "ico" => CompanyKey::Ico(value.to_owned()),
        "register-id" => CompanyKey::RegisterId(value.to_owned()),
        _ => CompanyKey::Other((kind.to_owned(), value.to_owned())),
    }
}
