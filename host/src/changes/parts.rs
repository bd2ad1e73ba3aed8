//! Compares the parts of a company: its base record, a register's details, the section of a scope.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde_json::{Map, Value, json};
use time::OffsetDateTime;

use super::Shape;
use super::events::Part;
use super::rules::{of_base, of_manifest};
use crate::clock::rfc3339;
use crate::connectors::manifest::{CompanySourceManifest, ScopeManifest};
use crate::store::{BaseCompany, ChangeSet, Details, FormerSection, Section, StoredDetails};

/// Schema of the base record, for its members' titles. The host writes this record itself, so no manifest
/// describes it.
static BASE: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("base.json")).unwrap_or_default());

/// The schema of the base record.
#[must_use]
pub fn base_schema() -> &'static Value {
    &BASE
}

/// Compares two base records of a company. The later one becomes this revision.
#[must_use]
pub fn company(
    old: &BaseCompany,
    new: &BaseCompany,
    revision: i64,
    now: OffsetDateTime,
) -> ChangeSet {
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
    // Two registers word the same facts differently, so they are not compared. A new connector version may reword an
    // unchanged answer, so records of two versions are compared only if the digests of the register's answers differ.
    let (answered, answers) = (answers(&old.evidence), answers(&new.evidence));
    let other_answer = !answered.is_empty() && !answers.is_empty() && answered != answers;
    if old.source_register != new.source_register
        || (old.connector_version != new.connector_version && !other_answer)
    {
        return part.rebaseline(&before, &after);
    }
    part.compare(&before, &after)
}

/// Compares two answers of a details register.
#[must_use]
pub fn details(
    old: Option<&StoredDetails>,
    new: &Details,
    source: &CompanySourceManifest,
    now: OffsetDateTime,
) -> ChangeSet {
    let old = old.filter(|old| old.fetched_at.is_some());
    if old.is_some_and(|old| old.content_hash.as_deref() == Some(&new.content_hash)) {
        return ChangeSet::default();
    }
    let shape = source.schema.as_ref().map(Shape::of_schema);
    let part = Part {
        ico: &new.ico,
        connector: &new.connector,
        scope: None,
        key: None,
        shape: &shape.unwrap_or_default(),
        schema: source.schema.as_ref().unwrap_or(&Value::Null),
        title: new.connector.as_str(),
        rules: of_manifest(&source.events),
        version: version(old.and_then(|old| old.fetched_at), &new.content_hash),
        now,
    };
    let after = read(new.content.as_deref());
    let Some(old) = old else {
        return part.baseline(&after);
    };
    let before = read(old.content.as_deref());
    if old.connector_version.as_deref() == Some(&new.connector_version) {
        part.compare(&before, &after)
    } else {
        part.rebaseline(&before, &after)
    }
}

/// Compares two sections of a scope. A section with sources that could not be read is not compared. If two
/// sections lack different sources because those are off or were never imported, only a first hit raises an
/// event.
#[must_use]
pub fn section(
    old: Option<&FormerSection>,
    new: &Section,
    scope: &ScopeManifest,
    now: OffsetDateTime,
) -> ChangeSet {
    if new.unread {
        return ChangeSet::default();
    }
    let part = Part {
        ico: &new.ico,
        connector: &new.connector,
        scope: Some(&scope.scope),
        // Members that extend the details stand in `data` itself.
        key: (!scope.extends_details).then_some(scope.key.as_str()),
        shape: &Shape::of_schema(&scope.schema),
        schema: &scope.schema,
        title: &scope.title,
        rules: of_manifest(&scope.events),
        version: version(old.and_then(|old| old.fetched_at), &new.content_hash),
        now,
    };
    let after = read(new.content.as_deref());
    let Some(baseline) = old.and_then(FormerSection::complete) else {
        return part.baseline(&after);
    };
    let before = read(Some(baseline.content));
    if new.reader() != baseline.reader {
        part.rebaseline(&before, &after)
    } else if unread(&before, baseline.unread_sources)
        == unread(&after, new.unread_sources.as_deref())
    {
        part.compare(&before, &after)
    } else {
        part.extend(&before, &after)
    }
}

/// The sources that a section names as unread. A source that is switched on, or a list imported for the first
/// time, may add facts that are years old. `beside` names them for sections that are a list or null.
fn unread(section: &Value, beside: Option<&str>) -> BTreeSet<String> {
    let beside = read(beside);
    let named = [section.get("unread"), Some(&beside)].into_iter().flatten();
    let sources = named.filter_map(Value::as_array).flatten();
    let names = sources.filter_map(|source| source.get("source")?.as_str());
    names.map(str::to_owned).collect()
}

/// Digests of the register answers that a record was read from. Ids and times are left out, because each
/// reading has its own.
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

/// Parses a stored document, which is always JSON.
fn read(content: Option<&str>) -> Value {
    content
        .and_then(|content| serde_json::from_str(content).ok())
        .unwrap_or_else(|| Value::Object(Map::new()))
}

/// A base record as `data` shows it, without the codes that repeat a text.
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
