//! The parts of an answer: which member of `data` belongs to which connector, schema and origin.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::answer::{Meta, Origin, State};
use super::texts::texts;
use crate::changes::Guide;
use crate::connectors::catalogue::Catalogue;
use crate::connectors::manifest::{BASE_FIELDS, EventRule, ScopeManifest};
use crate::language::Language;
use crate::store::ConnectorId;

/// The group of events about risks, which warn of a company.
const RISK: &str = "risk";

/// A part of an answer.
pub(super) struct Part<'a> {
    /// Its anchor on the page.
    pub(super) id: String,
    pub(super) title: String,
    pub(super) guide: Guide<'a>,
    /// `None` if it was not read.
    pub(super) value: Option<Value>,
    pub(super) origin: Origin,
    pub(super) events: &'a [EventRule],
    /// Whether it is the section of a scope, and not base data or details.
    pub(super) is_section: bool,
}

impl Part<'_> {
    /// Whether the part can warn of the company.
    pub(super) fn warns(&self) -> bool {
        self.events.iter().any(|rule| rule.group == RISK)
    }

    /// The rules about risks.
    pub(super) fn risks(&self) -> impl Iterator<Item = &EventRule> {
        self.events.iter().filter(|rule| rule.group == RISK)
    }

    /// The words for a source of the section, from any list of the schema that enumerates its sources.
    pub(super) fn words_of_source(&self, source: &str, language: Language) -> Option<&str> {
        let members = self.value.as_ref()?.as_object()?.keys();
        members
            .map(|name| self.guide.member(name).items().member("source"))
            .find_map(|guide| guide.word(source, language))
    }
}

/// The schema of a nameless part.
static NO_SCHEMA: Value = Value::Null;

/// What base data or details belong to.
#[derive(Clone)]
struct Owner<'a> {
    id: String,
    title: String,
    schema: &'a Value,
    events: &'a [EventRule],
    origin: Origin,
}

/// The parts of an answer in the order of `data`; after them those that have nothing there.
pub(super) fn parts<'a>(
    data: &Map<String, Value>,
    meta: &Meta,
    catalogue: &'a Catalogue,
    language: Language,
) -> Vec<Part<'a>> {
    let sections = sections(catalogue);
    let owners = owners(meta, catalogue, language);
    let mut parts: Vec<Part<'a>> = Vec::new();
    for (name, value) in data {
        if BASE_FIELDS.contains(&name.as_str()) {
            continue;
        }
        if let Some((scope, register)) = sections.get(name.as_str()) {
            let origin = meta.scopes.get(scope.scope.as_str()).cloned();
            let origin = origin.unwrap_or_else(|| Origin {
                register: (*register).to_owned(),
                ..Origin::default()
            });
            parts.push(part_of(scope, origin, Some(value.clone()), language));
            continue;
        }
        let owner = owners.iter().find(|owner| declares(owner.schema, name));
        let owner = owner.cloned().unwrap_or_else(|| unknown(meta, language));
        match parts.iter_mut().find(|part| part.id == owner.id) {
            Some(part) => {
                if let Some(Value::Object(members)) = &mut part.value {
                    members.insert(name.clone(), value.clone());
                }
            }
            None => parts.push(Part {
                id: owner.id,
                title: owner.title,
                guide: Guide::of(owner.schema),
                value: Some(Value::Object(
                    [(name.clone(), value.clone())].into_iter().collect(),
                )),
                origin: owner.origin,
                events: owner.events,
                is_section: false,
            }),
        }
    }
    let known: Vec<String> = parts.iter().map(|part| part.id.clone()).collect();
    for (scope, origin) in &meta.scopes {
        let Some((_, manifest)) = catalogue.scope(scope) else {
            continue;
        };
        // Members of scopes that extend the details are shown with the details.
        if !manifest.extends_details && !known.contains(&manifest.key) {
            parts.push(part_of(manifest, origin.clone(), None, language));
        }
    }
    for owner in owners {
        let is_gap = matches!(owner.origin.state, State::Unread | State::NotApplicable);
        if is_gap && !known.contains(&owner.id) {
            parts.push(Part {
                id: owner.id,
                title: owner.title,
                guide: Guide::of(owner.schema),
                value: None,
                origin: owner.origin,
                events: owner.events,
                is_section: false,
            });
        }
    }
    parts
}

/// The scopes with a section of their own and their registers, by the section's member in `data`.
fn sections(catalogue: &Catalogue) -> BTreeMap<&str, (&ScopeManifest, &str)> {
    let served = catalogue
        .scopes()
        .filter_map(|scope| catalogue.scope(scope.as_str()));
    served
        .filter(|(_, scope)| !scope.extends_details)
        .map(|(loaded, scope)| {
            (
                scope.key.as_str(),
                (scope, loaded.manifest.register.as_str()),
            )
        })
        .collect()
}

fn part_of(
    scope: &ScopeManifest,
    origin: Origin,
    value: Option<Value>,
    language: Language,
) -> Part<'_> {
    let guide = Guide::of(&scope.schema);
    let title = guide.title(language).unwrap_or(&scope.title).to_owned();
    Part {
        id: scope.key.clone(),
        title,
        guide,
        value,
        origin,
        events: &scope.events,
        is_section: true,
    }
}

/// The parts that members of `data` without a section may belong to: details that were read, scopes that extend the
/// details, then the other registers.
fn owners<'a>(meta: &Meta, catalogue: &'a Catalogue, language: Language) -> Vec<Owner<'a>> {
    let origin = |connector: &ConnectorId| {
        let known = meta
            .registers
            .iter()
            .find(|origin| *connector == *origin.connector);
        known.cloned()
    };
    let title = |schema: &'a Value, register: &str| {
        let title = Guide::of(schema).title(language);
        title.unwrap_or(register).to_owned()
    };
    let registers = catalogue
        .details_registers()
        .chain(catalogue.base_registers());
    let registers = registers.filter_map(|loaded| {
        let manifest = &loaded.manifest;
        let source = manifest.company_source.as_ref()?;
        let schema = source.schema.as_ref()?;
        let origin = origin(&manifest.id);
        Some(Owner {
            id: format!("register-{}", manifest.id),
            title: title(schema, &manifest.register),
            schema,
            events: &source.events,
            origin: origin.unwrap_or_else(|| Origin {
                register: manifest.register.clone(),
                ..Origin::default()
            }),
        })
    });
    let served = catalogue
        .scopes()
        .filter_map(|scope| catalogue.scope(scope.as_str()));
    let extending = served.filter(|(_, scope)| scope.extends_details);
    let extending = extending.map(|(loaded, scope)| {
        let origin = meta.scopes.get(scope.scope.as_str()).cloned();
        Owner {
            id: format!("scope-{}", scope.scope),
            title: title(&scope.schema, &scope.title),
            schema: &scope.schema,
            events: &scope.events,
            origin: origin.unwrap_or_else(|| Origin {
                register: loaded.manifest.register.clone(),
                ..Origin::default()
            }),
        }
    });
    let mut owners: Vec<Owner<'a>> = registers.collect();
    // An extending scope comes after details that were read, and before registers that were not.
    let is_gap =
        |owner: &Owner<'_>| matches!(owner.origin.state, State::Unread | State::NotApplicable);
    let mut gaps: Vec<Owner<'a>> = owners.extract_if(.., |owner| is_gap(owner)).collect();
    owners.extend(extending);
    owners.append(&mut gaps);
    owners
}

/// The owner of members that no schema declares: the base register.
fn unknown(meta: &Meta, language: Language) -> Owner<'static> {
    Owner {
        id: "base-data".to_owned(),
        title: texts(language).base_data.to_owned(),
        schema: &NO_SCHEMA,
        events: &[],
        origin: meta.registers.first().cloned().unwrap_or_default(),
    }
}

fn declares(schema: &Value, name: &str) -> bool {
    let members = schema.get("properties").and_then(Value::as_object);
    members.is_some_and(|members| members.contains_key(name))
}
