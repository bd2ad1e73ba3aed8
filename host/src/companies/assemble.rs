//! The answer: `data` and `meta` of one company, written once from stored parts.
//!
//! Sections and details are spliced in as the JSON text that they are stored as; they were checked against their
//! schemas when they were stored.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;

use crate::clock::rfc3339;
use crate::connectors::cache::hex;
use crate::connectors::subject;
use crate::store::StoredCompany;

/// Which of cache, database or live answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Put together from the store.
    Database,
    /// Put together earlier and kept in memory.
    Cache,
    /// A register was asked for this answer.
    Live,
}

/// An assembled profile.
#[derive(Debug)]
pub struct Profile {
    /// The answer as put together.
    pub body: Bytes,
    /// The same, saying that it came from memory.
    pub cached_body: Bytes,
    /// Changes when a fact or its date changes; the same for both bodies.
    pub etag: String,
    /// Whether a part was out of date.
    pub stale: bool,
    /// Where it came from.
    pub source: Source,
}

/// Why an answer is marked stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Staleness {
    /// Base record or details are out of date, of a company of the commercial register.
    pub details: bool,
    /// Something else is out of date.
    pub sections: bool,
}

impl Staleness {
    /// Of parts that are out of date. The specification's words for the base record name the commercial register, so
    /// that they are only used for companies that are entered in it.
    #[must_use]
    pub fn of(base: bool, sections: bool, in_commercial_register: bool) -> Self {
        Self {
            details: base && in_commercial_register,
            sections: sections || (base && !in_commercial_register),
        }
    }

    /// The specification's word, if anything is stale.
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

/// What is known of a part's origin, shown in `meta`.
#[derive(Debug, Clone, Serialize)]
pub struct Origin {
    /// The register, as people call it.
    pub register: String,
    /// The connector that read it.
    pub connector: String,
    /// The connector's version.
    pub version: Option<String>,
    /// The time that the part's facts are as of.
    pub as_of: Option<String>,
    /// `fresh`, `stale`, `unread` (it could not be read) or `not_applicable` (the register is not asked about such a
    /// company).
    pub state: &'static str,
    /// Why it is unread, as a code for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// The sources that could not be read for a section that has no room to name them, because it is a list or null.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unread: Option<Vec<UnreadSource>>,
}

/// A source that could not be read.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UnreadSource {
    /// Its name: a dataset of the connector, or another one that clients know it by.
    pub source: String,
    /// Why, in a few words.
    pub why: String,
}

/// The details of one register, with its origin.
pub struct DetailsPart {
    /// The connector.
    pub connector: String,
    /// Its facts as a JSON object, where the register knows the company.
    pub content: Option<String>,
    /// When they were fetched.
    pub fetched_at: Option<OffsetDateTime>,
    /// For `meta`.
    pub origin: Origin,
}

/// The section of one scope, with its origin.
pub struct SectionPart {
    /// The scope.
    pub scope: String,
    /// Where it stands in `data`.
    pub key: String,
    /// Its JSON text, where there is one.
    pub content: Option<String>,
    /// The time its facts are as of.
    pub as_of: Option<OffsetDateTime>,
    /// For `meta`.
    pub origin: Origin,
}

/// All parts of a profile.
pub struct Parts<'a> {
    /// The base record.
    pub base: &'a StoredCompany,
    /// When the base register was last seen to say so.
    pub base_seen_at: OffsetDateTime,
    /// For `meta`.
    pub base_origin: Origin,
    /// Details, by connector.
    pub details: Vec<DetailsPart>,
    /// Sections, by scope.
    pub sections: Vec<SectionPart>,
    /// What is out of date.
    pub staleness: Staleness,
    /// When the client should come back, if anything is, by the clocks of clients.
    pub retry_at: OffsetDateTime,
    /// Whether a register was asked.
    pub live: bool,
    /// Now.
    pub built_at: OffsetDateTime,
}

/// The `source_register` of companies that are entered in the commercial register.
const COMMERCIAL_REGISTER: &str = "orsr";

/// Whether a company is entered in the commercial register, as its base record says; `None` where it does not say.
#[must_use]
pub fn in_commercial_register(company: &StoredCompany) -> Option<bool> {
    match subject::facts(company).get("commercial_register")?.as_str() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// The base fields of a company as a JSON object, as they stand in answers.
#[must_use]
pub fn base_json(company: &StoredCompany) -> String {
    let source_register = match in_commercial_register(company) {
        Some(true) => COMMERCIAL_REGISTER,
        Some(false) | None => &company.base.source_register,
    };
    subject::base_fields(company, source_register)
}

/// Puts the parts together.
#[must_use]
pub fn assemble(parts: &Parts<'_>) -> Profile {
    let data = data(parts);
    let meta = |source: Source| meta(parts, source);
    let source = if parts.live {
        Source::Live
    } else {
        Source::Database
    };
    let body =
        |source: Source| Bytes::from(format!("{{\"data\":{data},\"meta\":{}}}", meta(source)));
    let etag = etag(&data, parts);
    Profile {
        body: body(source),
        cached_body: body(Source::Cache),
        etag,
        stale: parts.staleness.reason().is_some(),
        source,
    }
}

fn data(parts: &Parts<'_>) -> String {
    let mut data = base_json(parts.base);
    // The closing brace comes last again.
    data.pop();
    let splice = |data: &mut String, object: &str| {
        let inner = object
            .trim()
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'))
            .map_or("", str::trim);
        if !inner.is_empty() {
            data.push(',');
            data.push_str(inner);
        }
    };
    splice(&mut data, &parts.base.base.details);
    for details in &parts.details {
        if let Some(content) = &details.content {
            splice(&mut data, content);
        }
    }
    for section in &parts.sections {
        if let Some(content) = &section.content {
            data.push_str(",\"");
            data.push_str(&section.key);
            data.push_str("\":");
            data.push_str(content);
        }
    }
    data.push('}');
    data
}

#[derive(Serialize)]
struct Meta<'a> {
    rpo_updated_at: Option<String>,
    orsr_synced_at: Option<String>,
    enriched_at: Option<String>,
    synced_at: String,
    profile_built_at: String,
    source: Source,
    cached: bool,
    stale: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stale_reason: Option<&'static str>,
    registers: Vec<&'a Origin>,
    scopes: Scopes<'a>,
}

struct Scopes<'a>(&'a [SectionPart]);

impl Serialize for Scopes<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(
            self.0
                .iter()
                .map(|section| (&section.scope, &section.origin)),
        )
    }
}

fn meta(parts: &Parts<'_>, source: Source) -> String {
    let seen_by = |connector: &str| {
        let of_base = (parts.base.base.source_register == connector).then_some(parts.base_seen_at);
        let of_details = parts
            .details
            .iter()
            .find(|part| part.connector == connector && part.content.is_some());
        of_details
            .and_then(|part| part.fetched_at)
            .or(of_base)
            .map(rfc3339)
    };
    let reason = parts.staleness.reason();
    let meta = Meta {
        rpo_updated_at: seen_by("rpo"),
        orsr_synced_at: seen_by("orsr"),
        // The whole enrichment is as old as its oldest section.
        enriched_at: parts
            .sections
            .iter()
            .filter_map(|section| section.as_of)
            .min()
            .map(rfc3339),
        synced_at: rfc3339(synced_at(parts)),
        profile_built_at: rfc3339(parts.built_at),
        source,
        cached: source == Source::Cache,
        stale: reason.is_some(),
        retry_at: reason.map(|_| rfc3339(parts.retry_at)),
        stale_reason: reason,
        registers: std::iter::once(&parts.base_origin)
            .chain(parts.details.iter().map(|part| &part.origin))
            .collect(),
        scopes: Scopes(&parts.sections),
    };
    serde_json::to_string(&meta).expect("texts and booleans always become JSON")
}

/// When anything in the answer was last read from its register or list.
fn synced_at(parts: &Parts<'_>) -> OffsetDateTime {
    let details = parts.details.iter().filter_map(|part| part.fetched_at);
    let sections = parts.sections.iter().filter_map(|section| section.as_of);
    details
        .chain(sections)
        .fold(parts.base_seen_at, OffsetDateTime::max)
}

fn etag(data: &str, parts: &Parts<'_>) -> String {
    let mut digest = Sha256::new();
    digest.update(data);
    digest.update(parts.base_origin.as_of.as_deref().unwrap_or_default());
    for section in &parts.sections {
        digest.update(&section.scope);
        digest.update(section.origin.state);
        digest.update(section.origin.as_of.as_deref().unwrap_or_default());
    }
    for details in &parts.details {
        digest.update(details.origin.state);
        digest.update(details.origin.as_of.as_deref().unwrap_or_default());
    }
    digest.update(parts.staleness.reason().unwrap_or_default());
    format!("W/\"{}\"", &hex(&digest.finalize())[..32])
}
