//! The parts of a company as they are compared: its base record, a register's details, the section of a scope.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde_json::{Map, Value, json};
use time::OffsetDateTime;

use super::Shape;
use super::events::Part;
use super::rules::{of_base, of_manifest};
use crate::clock::rfc3339;
use crate::connectors::manifest::{CompanySourceManifest, ScopeManifest};
use crate::store::{BaseCompany, Details, Found, Section, StoredDetails, StoredSection};

/// The base record as people call its members: the host writes it itself, so no manifest describes it.
static BASE: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("base.json")).unwrap_or_default());

/// Two base records of a company, the later one written as this revision.
#[must_use]
pub fn company(old: &BaseCompany, new: &BaseCompany, revision: i64, now: OffsetDateTime) -> Found {
    let part = Part {
        ico: &new.ico,
        connector: &new.source_register,
        scope: None,
        key: None,
        shape: &Shape::default(),
        schema: &BASE,
        title: "Company",
        rules: of_base(),
        version: revision.to_string(),
        now,
    };
    let (before, after) = (base(old), base(new));
    // Two registers say the same in different words. A list that is read again by another version says it anew; a
    // record of which the register's answer is another one has changed there too.
    let (answered, answers) = (answers(&old.evidence), answers(&new.evidence));
    let other_answer = !answered.is_empty() && !answers.is_empty() && answered != answers;
    if old.source_register != new.source_register
        || (old.connector_version != new.connector_version && !other_answer)
    {
        return part.rebaseline(&before, &after);
    }
    part.compare(&before, &after)
}

/// Two answers of a register of details.
#[must_use]
pub fn details(
    old: Option<&StoredDetails>,
    new: &Details,
    source: &CompanySourceManifest,
    now: OffsetDateTime,
) -> Found {
    let shape = source.schema.as_ref().map(Shape::of_schema);
    let part = Part {
        ico: &new.ico,
        connector: &new.connector,
        scope: None,
        key: None,
        shape: &shape.unwrap_or_default(),
        schema: source.schema.as_ref().unwrap_or(&Value::Null),
        title: &new.connector,
        rules: of_manifest(&source.events),
        version: version(old.and_then(|old| old.fetched_at), &new.content_hash),
        now,
    };
    let after = read(new.content.as_deref());
    let Some(old) = old.filter(|old| old.fetched_at.is_some()) else {
        return part.baseline(&after);
    };
    if old.content_hash.as_deref() == Some(&new.content_hash) {
        return Found::default();
    }
    let before = read(old.content.as_deref());
    if old.connector_version.as_deref() == Some(&new.connector_version) {
        part.compare(&before, &after)
    } else {
        part.rebaseline(&before, &after)
    }
}

/// Two sections of a scope. Of one with sources that could not be read nothing is known that could be compared; between
/// two that lack different sources, because those are off or were never imported, only a first hit is told.
#[must_use]
pub fn section(
    old: Option<&StoredSection>,
    new: &Section,
    scope: &ScopeManifest,
    now: OffsetDateTime,
) -> Found {
    if new.unread {
        return Found::default();
    }
    let part = Part {
        ico: &new.ico,
        connector: &new.connector,
        scope: Some(&scope.scope),
        key: Some(&scope.key),
        shape: &Shape::of_schema(&scope.schema),
        schema: &scope.schema,
        title: &scope.title,
        rules: of_manifest(&scope.events),
        version: version(old.and_then(|old| old.fetched_at), &new.content_hash),
        now,
    };
    let after = read(new.content.as_deref());
    let complete = old.and_then(|old| {
        let whole = old.content.as_deref().filter(|_| !old.unread);
        old.baseline.as_deref().or(whole)
    });
    let (Some(old), Some(before)) = (old, complete) else {
        return part.baseline(&after);
    };
    let before = read(Some(before));
    let same_version = old.connector == new.connector
        && old.connector_version.as_deref() == Some(&new.connector_version);
    if !same_version {
        part.rebaseline(&before, &after)
    } else if unread(
        &before,
        old.unread_sources.as_deref().filter(|_| !old.unread),
    ) == unread(&after, new.unread_sources.as_deref())
    {
        part.compare(&before, &after)
    } else {
        part.extend(&before, &after)
    }
}

/// The sources that a section names as unread. One that the operator switched on, or a list that was imported for the
/// first time, brings what may have been so for years. `beside` are those of a section that has no room for them.
fn unread(section: &Value, beside: Option<&str>) -> BTreeSet<String> {
    let beside = read(beside);
    let named = [section.get("unread"), Some(&beside)].into_iter().flatten();
    let sources = named.filter_map(Value::as_array).flatten();
    let names = sources.filter_map(|source| source.get("source")?.as_str());
    names.map(str::to_owned).collect()
}

/// The digests of the register's answers that a record was read from. Each reading has ids and times of its own.
fn answers(evidence: &str) -> Vec<String> {
    let read: Value = serde_json::from_str(evidence).unwrap_or_default();
    let digests = read.as_array().into_iter().flatten();
    let digests = digests.filter_map(|answer| answer.get("sha256")?.as_str());
    digests.map(str::to_owned).collect()
}

fn version(fetched_at: Option<OffsetDateTime>, hash: &str) -> String {
    let before = fetched_at.map(rfc3339).unwrap_or_default();
    format!("{before} {hash}")
}

/// A stored document. It was JSON when it was stored.
fn read(content: Option<&str>) -> Value {
    content
        .and_then(|content| serde_json::from_str(content).ok())
        .unwrap_or_else(|| Value::Object(Map::new()))
}

/// A base record as `data` shows it, without what says the same again in a code.
fn base(company: &BaseCompany) -> Value {
    let mut shown = json!({
        "name": company.name,
        "legal_form": company.legal_form.as_ref().or(company.legal_form_code.as_ref()),
        "address": {
            "street": company.street,
            "postal_code": company.postal_code,
            "city": company.city,
            "country": company.country.as_ref().or(company.country_code.as_ref()),
        },
        "established_date": company.established_date,
        "terminated_date": company.terminated_date,
        "status": company.status,
        "nace_code": company.nace_code,
    });
    if let (Some(shown), Value::Object(details)) =
        (shown.as_object_mut(), read(Some(&company.details)))
    {
        shown.extend(details);
    }
    shown
}
