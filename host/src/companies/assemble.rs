//! Assembles the response (`data` and `meta`) of one company from stored parts.
//!
//! Sections and details are inserted as stored JSON text. They were validated against their schemas when they
//! were stored.

mod data;
mod meta;

use std::collections::BTreeSet;

use bytes::Bytes;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;

use self::meta::Meta;
use crate::connectors::bindings::types::Field;
use crate::connectors::cache::hex;
use crate::connectors::call_failure::unread_kind;
use crate::connectors::subject;
use crate::store::{ConnectorId, ScopeName, SourceFailure, StoredCompany, text_enum};

/// Where a profile came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Assembled from the store.
    Database,
    /// Assembled earlier and kept in memory.
    Cache,
    /// A register was asked for this response.
    Live,
}

#[derive(Debug)]
pub struct Profile {
    /// The response body as JSON text.
    pub body: Bytes,
    /// Changes when a fact or its date changes, but not with the source.
    pub etag: String,
    /// Whether any part is stale.
    pub stale: bool,
    pub source: Source,
    /// Length of the part of the body that does not depend on the source.
    data_length: usize,
    /// What the rest of the body is made of. `None` if the source is the cache.
    meta: Option<Meta>,
}

impl Profile {
    /// The profile as it is answered from the cache.
    #[must_use]
    pub fn cached(&self) -> Self {
        let body = match &self.meta {
            Some(meta) => {
                let data = &self.body[..self.data_length];
                Bytes::from([data, meta.rest(Source::Cache).as_bytes()].concat())
            }
            None => self.body.clone(),
        };
        Self {
            body,
            data_length: self.data_length,
            meta: None,
            etag: self.etag.clone(),
            stale: self.stale,
            source: Source::Cache,
        }
    }

    /// A profile from the store with this `data`, and with `meta` that says only where it came from.
    #[cfg(test)]
    pub fn with_data(data: &str) -> Self {
        let data = format!("{BEFORE_DATA}{data}");
        let (meta, source) = (Meta::default(), Source::Database);
        Self {
            body: Bytes::from(data.clone() + &meta.rest(source)),
            etag: String::new(),
            stale: false,
            source,
            data_length: data.len(),
            meta: Some(meta),
        }
    }
}

/// Why a response is marked stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Staleness {
    /// Base record or details are stale, and the company is in the commercial register.
    pub details: bool,
    /// Any other part is stale.
    pub sections: bool,
}

impl Staleness {
    /// Classifies stale parts. The specification's code for the base record names the commercial register, so
    /// it is used only for companies in that register.
    #[must_use]
    pub fn of(base: bool, sections: bool, in_commercial_register: bool) -> Self {
        Self {
            details: base && in_commercial_register,
            sections: sections || (base && !in_commercial_register),
        }
    }

    /// The specification's reason code, if anything is stale.
    #[must_use]
    pub fn reason(self) -> Option<&'static str> {
        match (self.details, self.sections) {
            (false, false) => None,
            (true, false) => Some("orsr_data_outdated"),
            (false, true) => Some("enrichment_data_outdated"),
            (true, true) => Some("orsr_and_enrichment_data_stale"),
        }
    }
}

/// State of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartState {
    Fresh,
    Stale,
    /// It could not be read.
    Unread,
    /// The register does not cover such a company.
    NotApplicable,
}

text_enum!(PartState {
    Fresh: "fresh",
    Stale: "stale",
    Unread: "unread",
    NotApplicable: "not_applicable",
});

/// Origin of a part, shown in `meta`.
#[derive(Debug, Clone, Serialize)]
pub struct Origin {
    /// The register's usual name.
    pub register: String,
    /// The connector that read it.
    pub connector: ConnectorId,
    pub version: Option<String>,
    /// The time at which the part's facts were valid.
    pub as_of: Option<String>,
    pub state: PartState,
    /// Reason code of [`PartState::Unread`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// Sources that could not be read. Set only if the section is a list or null, which cannot name them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unread: Option<Vec<UnreadSource>>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UnreadSource {
    /// A dataset of the connector, or another name known to clients.
    pub source: String,
    /// The reason: its kind for decisions, its words for people.
    #[serde(
        serialize_with = "words_of_failure",
        deserialize_with = "failure_of_words"
    )]
    pub why: SourceFailure,
}

impl UnreadSource {
    /// Parses a field of a section's `unread` in the contract.
    pub fn parse(field: &Field) -> Self {
        Self {
            source: field.name.clone(),
            why: SourceFailure::new(unread_kind(&field.value), field.value.as_str()),
        }
    }
}

fn words_of_failure<S: Serializer>(why: &SourceFailure, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&why.detail)
}

fn failure_of_words<'de, D: Deserializer<'de>>(from: D) -> Result<SourceFailure, D::Error> {
    let words = String::deserialize(from)?;
    Ok(SourceFailure::new(unread_kind(&words), words))
}

/// One register's details and their origin.
pub struct DetailsPart<'a> {
    pub connector: ConnectorId,
    /// The facts as a JSON object, if the register knows the company.
    pub content: Option<&'a str>,
    pub fetched_at: Option<OffsetDateTime>,
    pub origin: Origin,
}

/// Where a section stands in `data`.
#[derive(Debug, Clone)]
pub enum Placement {
    /// Under a member of its own.
    Member(String),
    /// Its members stand in `data` itself and replace details with the same name.
    Replacing,
    /// Its members stand in `data` itself, except those with the names of details.
    Beside(BTreeSet<String>),
}

/// One scope's section and its origin.
pub struct SectionPart<'a> {
    pub scope: ScopeName,
    pub placement: Placement,
    /// Its JSON text, if it was read.
    pub content: Option<&'a str>,
    /// The time at which its facts were valid.
    pub as_of: Option<OffsetDateTime>,
    pub origin: Origin,
}

pub struct Parts<'a> {
    pub base: &'a StoredCompany,
    /// When the base register last confirmed the record.
    pub base_seen_at: OffsetDateTime,
    pub base_origin: Origin,
    /// One entry per details register.
    pub details: Vec<DetailsPart<'a>>,
    /// One entry per requested scope.
    pub sections: Vec<SectionPart<'a>>,
    pub staleness: Staleness,
    /// When the client should retry if anything is stale, in the clock of clients.
    pub retry_at: OffsetDateTime,
    /// Whether a register was asked.
    pub live: bool,
    pub built_at: OffsetDateTime,
}

/// The `source_register` of companies in the commercial register.
const COMMERCIAL_REGISTER: &str = "orsr";

/// Whether the base record says that the company is in the commercial register. `None` if it does not say.
#[must_use]
pub fn in_commercial_register(company: &StoredCompany) -> Option<bool> {
    match subject::facts(company).get("commercial_register")?.as_str() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// The base fields of a company as a JSON object, as in responses.
#[must_use]
pub fn base_json(company: &StoredCompany) -> String {
    let source_register = match in_commercial_register(company) {
        Some(true) => COMMERCIAL_REGISTER,
        Some(false) | None => company.base.source_register.as_str(),
    };
    subject::base_fields(company, source_register)
}

const BEFORE_DATA: &str = "{\"data\":";

#[must_use]
pub fn assemble(parts: &Parts<'_>) -> Profile {
    let source = if parts.live {
        Source::Live
    } else {
        Source::Database
    };
    let meta = Meta::of(parts);
    let rest = meta.rest(source);
    let mut body = String::with_capacity(data::length(parts) + rest.len());
    body.push_str(BEFORE_DATA);
    data::append(parts, &mut body);
    let data_length = body.len();
    let etag = etag(&body[BEFORE_DATA.len()..], parts);
    body.push_str(&rest);
    Profile {
        body: Bytes::from(body),
        etag,
        stale: parts.staleness.reason().is_some(),
        source,
        data_length,
        meta: Some(meta),
    }
}

fn etag(data: &str, parts: &Parts<'_>) -> String {
    let mut digest = Sha256::new();
    digest.update(data);
    digest.update(parts.base_origin.as_of.as_deref().unwrap_or_default());
    for section in &parts.sections {
        digest.update(section.scope.as_str());
        digest.update(section.origin.state.word());
        digest.update(section.origin.as_of.as_deref().unwrap_or_default());
        // Sections that are lists name their unread sources only here.
        for unread in section.origin.unread.iter().flatten() {
            digest.update(&unread.source);
            digest.update(unread.why.kind.word());
        }
    }
    for details in &parts.details {
        digest.update(details.origin.state.word());
        digest.update(details.origin.as_of.as_deref().unwrap_or_default());
    }
    digest.update(parts.staleness.reason().unwrap_or_default());
    format!("W/\"{}\"", &hex(&digest.finalize())[..32])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::FailureKind;

    #[test]
    fn unread_source_is_stored_by_its_words() {
        let field = Field {
            name: "list".to_owned(),
            value: "never imported: the newest attempt failed".to_owned(),
        };
        let stored = serde_json::to_string(&UnreadSource::parse(&field)).expect("it is JSON");
        let words = r#"{"source":"list","why":"never imported: the newest attempt failed"}"#;
        assert_eq!(stored, words);
        let read: UnreadSource = serde_json::from_str(&stored).expect("it was written so");
        assert_eq!(read.why.kind, FailureKind::NeverImported);
        assert_eq!(read.why.detail, field.value);
    }
}
