#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod diff;
mod events;
mod parts;
mod properties;
mod sections;
mod wording;

use serde_json::{Value, json};
use time::OffsetDateTime;
use time::macros::datetime;

use super::{Change, Shape};
use crate::connectors::manifest::ScopeManifest;
use crate::store::testing::{connector_id, scope_name};
use crate::store::{ChangeSet, FormerSection, Section};

const NOW: OffsetDateTime = datetime!(2026-07-01 06:00 UTC);
const LATER: OffsetDateTime = datetime!(2026-07-02 06:00 UTC);

/// Path, operation, old value and new value of each change.
fn listed(changes: &[Change]) -> Value {
    changes
        .iter()
        .map(|change| json!([change.path, change.op.word(), change.old, change.new]))
        .collect()
}

/// A scope with this schema and these rules: kind, group and condition.
#[expect(clippy::needless_pass_by_value, reason = "callers write it in place")]
fn scope(schema: Value, rules: &[(&str, &str, &str)]) -> ScopeManifest {
    let rules: Vec<Value> = rules
        .iter()
        .map(|(kind, group, when)| json!({ "kind": kind, "group": group, "when": when }))
        .collect();
    let manifest = json!({
        "scope": "licences",
        "key": "licences",
        "title": "Licences",
        "schema": schema,
        "events": rules,
    });
    serde_json::from_value(manifest).unwrap()
}

/// A reading with this content.
fn reading(content: &Value) -> Section {
    let content = content.to_string();
    Section {
        ico: "10000001".to_owned(),
        scope: scope_name("licences"),
        content_hash: format!("hash of {content}"),
        content: Some(content),
        unread: false,
        unread_sources: None,
        connector: connector_id("tests"),
        connector_version: "1.0.0".to_owned(),
        generation: 1,
        evidence: "[]".to_owned(),
    }
}

/// The stored form of a reading.
fn stored(section: &Section, at: OffsetDateTime) -> FormerSection {
    FormerSection {
        content: section.content.clone(),
        content_hash: Some(section.content_hash.clone()),
        unread: section.unread,
        unread_sources: section.unread_sources.clone(),
        connector: section.connector.clone(),
        connector_version: Some(section.connector_version.clone()),
        fetched_at: Some(at),
        baseline: None,
        baseline_by: None,
        baseline_unread: None,
    }
}

/// Kinds and fields of the raised events, in order.
fn raised(found: &ChangeSet) -> Vec<(String, String)> {
    let raised = found.events.iter().map(|event| {
        let content: Value = serde_json::from_str(&event.content).unwrap();
        let field = content["field"].as_str().unwrap().to_owned();
        (event.kind.clone(), field)
    });
    raised.collect()
}

/// Expected value for [`raised`].
fn kinds<const N: usize>(kinds: [(&str, &str); N]) -> Vec<(String, String)> {
    kinds
        .into_iter()
        .map(|(kind, field)| (kind.to_owned(), field.to_owned()))
        .collect()
}

/// The recorded changes: field, path and operation.
fn rows(found: &ChangeSet) -> Vec<(String, String, &'static str)> {
    let rows = found.changes.iter();
    rows.map(|row| (row.field.clone(), row.path.clone(), row.op))
        .collect()
}
