//! The member `meta` of a response.

use serde::{Serialize, Serializer};
use time::OffsetDateTime;

use super::{Origin, Parts, SectionPart, Source};
use crate::clock::rfc3339;

/// `meta` as JSON text, but for the members that depend on the source. An answer and its copy for the cache share it.
#[derive(Debug, Default)]
pub(super) struct Meta {
    /// The members before the source, each followed by a comma.
    before: String,
    /// The members after it, each after a comma.
    after: String,
}

#[derive(Serialize)]
struct Dates {
    rpo_updated_at: Option<String>,
    orsr_synced_at: Option<String>,
    enriched_at: Option<String>,
    synced_at: String,
    profile_built_at: String,
}

#[derive(Serialize)]
struct Sourced {
    source: Source,
    cached: bool,
}

#[derive(Serialize)]
struct Origins<'a> {
    stale: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stale_reason: Option<&'static str>,
    registers: Vec<&'a Origin>,
    scopes: Scopes<'a>,
}

struct Scopes<'a>(&'a [SectionPart<'a>]);

impl Serialize for Scopes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(
            self.0
                .iter()
                .map(|section| (&section.scope, &section.origin)),
        )
    }
}

impl Meta {
    pub(super) fn of(parts: &Parts<'_>) -> Self {
        let seen_by = |connector: &str| {
            let of_base =
                (parts.base.base.source_register == *connector).then_some(parts.base_seen_at);
            let of_details = parts
                .details
                .iter()
                .find(|part| part.connector == *connector && part.content.is_some());
            of_details
                .and_then(|part| part.fetched_at)
                .or(of_base)
                .map(rfc3339)
        };
        let reason = parts.staleness.reason();
        let dates = Dates {
            rpo_updated_at: seen_by("rpo"),
            orsr_synced_at: seen_by("orsr"),
            // The enrichment as a whole is as old as its oldest section.
            enriched_at: parts
                .sections
                .iter()
                .filter_map(|section| section.as_of)
                .min()
                .map(rfc3339),
            synced_at: rfc3339(synced_at(parts)),
            profile_built_at: rfc3339(parts.built_at),
        };
        let origins = Origins {
            stale: reason.is_some(),
            retry_at: reason.map(|_| rfc3339(parts.retry_at)),
            stale_reason: reason,
            registers: std::iter::once(&parts.base_origin)
                .chain(parts.details.iter().map(|part| &part.origin))
                .collect(),
            scopes: Scopes(&parts.sections),
        };
        Self {
            before: members(&dates) + ",",
            after: format!(",{}", members(&origins)),
        }
    }

    /// What follows the member `data` in the body of a response from this source.
    pub(super) fn rest(&self, source: Source) -> String {
        let sourced = members(&Sourced {
            source,
            cached: source == Source::Cache,
        });
        let Self { before, after } = self;
        format!(",\"meta\":{{{before}{sourced}{after}}}}}")
    }
}

/// The members of a value that is a JSON object, without its braces.
fn members(value: &impl Serialize) -> String {
    let mut object = serde_json::to_string(value).expect("texts and booleans always become JSON");
    object.pop();
    object.remove(0);
    object
}

/// When any part of the response was last read from its register or list.
fn synced_at(parts: &Parts<'_>) -> OffsetDateTime {
    let details = parts.details.iter().filter_map(|part| part.fetched_at);
    let sections = parts.sections.iter().filter_map(|section| section.as_of);
    details
        .chain(sections)
        .fold(parts.base_seen_at, OffsetDateTime::max)
}
