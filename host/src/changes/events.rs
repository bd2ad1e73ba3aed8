//! Events out of changes.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;

use super::diff::canonical;
use super::rules::{Rule, UPDATED, When, is_hit};
use super::{Change, Op, Shape, diff};
use crate::clock::rfc3339;
use crate::connectors::cache::hex;
use crate::store::{Found, NewChange, NewEvent};

/// One part of a company, and how it is compared.
pub(super) struct Part<'a> {
    pub ico: &'a str,
    pub connector: &'a str,
    /// None: base or details, which are part of every answer.
    pub scope: Option<&'a str>,
    /// Where a section stands in `data`.
    pub key: Option<&'a str>,
    pub shape: &'a Shape,
    pub rules: Vec<Rule>,
    /// What tells this writing of the part from every other: ids of events are made of it.
    pub version: String,
    pub now: OffsetDateTime,
}

impl Part<'_> {
    /// What a first reading raises: first hits only.
    pub fn baseline(&self, new: &Value) -> Found {
        let events = self.first_hits(None, new);
        Found {
            changes: Vec::new(),
            events,
        }
    }

    /// What another version of the connector reads differently: kept, and nobody is told.
    pub fn rebaseline(&self, old: &Value, new: &Value) -> Found {
        let changes = diff(old, new, self.shape);
        let changes = changes.iter().map(|change| self.row(change, "rebaseline"));
        Found {
            changes: changes.collect(),
            events: Vec::new(),
        }
    }

    /// What a reading of more or fewer sources says otherwise: kept, and first hits only are told.
    pub fn extend(&self, old: &Value, new: &Value) -> Found {
        Found {
            events: self.first_hits(Some(old), new),
            ..self.rebaseline(old, new)
        }
    }

    /// What a later reading changes, and raises.
    pub fn compare(&self, old: &Value, new: &Value) -> Found {
        let changes = diff(old, new, self.shape);
        let mut events = self.first_hits(Some(old), new);
        let hits: Vec<String> = events.iter().map(|event| event.kind.clone()).collect();
        let mut by_kind: BTreeMap<(&str, &str), Vec<&Change>> = BTreeMap::new();
        let mut updated: BTreeMap<String, (&str, Vec<&Change>)> = BTreeMap::new();
        for change in &changes {
            let mut is_covered = false;
            for rule in self.rules.iter().filter(|rule| rule.when.covers(change)) {
                if rule.kind == UPDATED {
                    continue;
                }
                // A kind that stands for the whole part tells of it in place of `company.updated`; while it tells of
                // its first hit, it tells of nothing else.
                let tells_of_hit = hits.contains(&rule.kind);
                is_covered |= rule.when == When::Changed && !tells_of_hit;
                let of_kind = by_kind.entry((&rule.kind, &rule.group)).or_default();
                if of_kind
                    .last()
                    .is_none_or(|last| !std::ptr::eq(*last, change))
                {
                    of_kind.push(change);
                }
            }
            if !is_covered {
                let group = self
                    .rules
                    .iter()
                    .find(|rule| rule.kind == UPDATED && rule.when.covers(change));
                let group = group.map_or("company", |rule| rule.group.as_str());
                let field = updated.entry(self.field(&change.path));
                field.or_insert_with(|| (group, Vec::new())).1.push(change);
            }
        }
        for (field, (group, of_field)) in &updated {
            let sides = sides(Some((old, new)), of_field);
            events.push(self.event(UPDATED, group, "updated", Some(field), of_field, sides));
        }
        for ((kind, group), of_kind) in &by_kind {
            if events.iter().all(|event| event.kind != *kind) {
                let sides = sides(Some((old, new)), of_kind);
                events.push(self.event(kind, group, "updated", None, of_kind, sides));
            }
        }
        Found {
            changes: changes
                .iter()
                .map(|change| self.row(change, change.op.word()))
                .collect(),
            events,
        }
    }

    fn first_hits(&self, old: Option<&Value>, new: &Value) -> Vec<NewEvent> {
        let mut events: Vec<NewEvent> = Vec::new();
        for rule in &self.rules {
            let When::FirstHit(pointer) = &rule.when else {
                continue;
            };
            let was_hit = old.is_some_and(|old| is_hit(old, pointer));
            // Of two readings the update of its field tells it.
            let is_update = old.is_some() && rule.kind == UPDATED;
            if was_hit
                || is_update
                || !is_hit(new, pointer)
                || events.iter().any(|event| event.kind == rule.kind)
            {
                continue;
            }
            let absent = Value::Null;
            let before = old.and_then(|old| old.pointer(pointer)).unwrap_or(&absent);
            let hit = Change {
                path: pointer.clone(),
                op: Op::Add,
                old: canonical(before, self.shape),
                new: new.pointer(pointer).cloned(),
            };
            let changes = [&hit];
            let sides = sides(None, &changes);
            events.push(self.event(&rule.kind, &rule.group, "added", None, &changes, sides));
        }
        events
    }

    /// The name of what changed, as a client finds it in `data`.
    fn field(&self, path: &str) -> String {
        let step = path.split('/').nth(1).unwrap_or_default();
        let step = step.replace("~1", "/").replace("~0", "~");
        // A section that is a list has no members, only places.
        let is_place = step.bytes().all(|byte| byte.is_ascii_digit());
        match self.key {
            Some(key) if is_place => key.to_owned(),
            Some(key) => format!("{key}.{step}"),
            None => step,
        }
    }

    fn row(&self, change: &Change, op: &'static str) -> NewChange {
        let text = |value: &Option<Value>| value.as_ref().map(Value::to_string);
        NewChange {
            ico: self.ico.to_owned(),
            connector: self.connector.to_owned(),
            scope: self.scope.map(str::to_owned),
            field: self.field(&change.path),
            path: self.path(change),
            op,
            old: text(&change.old),
            new: text(&change.new),
            detected_at: self.now,
        }
    }

    /// A change's place in `data`.
    fn path(&self, change: &Change) -> String {
        match self.key {
            Some(key) => format!("/{key}{}", change.path),
            None => change.path.clone(),
        }
    }

    fn event(
        &self,
        kind: &str,
        group: &str,
        change_type: &str,
        field: Option<&str>,
        changes: &[&Change],
        (before, after): Sides,
    ) -> NewEvent {
        let mut fields: Vec<String> = changes
            .iter()
            .map(|change| self.field(&change.path))
            .collect();
        fields.sort();
        fields.dedup();
        let field = field.map_or_else(|| fields.join(", "), str::to_owned);
        let listed: Vec<Value> = changes
            .iter()
            .map(|change| {
                json!({
                    "path": self.path(change),
                    "op": change.op.word(),
                    "old": change.old,
                    "new": change.new,
                })
            })
            .collect();
        let content = json!({
            "group": group,
            "change_type": change_type,
            "field": field,
            "old_value": before,
            "new_value": after,
            "detected_at": rfc3339(self.now),
            "source": self.connector,
            "scope": self.scope,
            "changes": listed,
        });
        let scope = self.scope.unwrap_or_default();
        let named = [self.ico, self.connector, scope, &self.version, kind, &field];
        let digest = hex(&Sha256::digest(named.join("\n")));
        NewEvent {
            id: format!("evt_{}", &digest[..32]),
            ico: self.ico.to_owned(),
            kind: kind.to_owned(),
            scope: self.scope.map(str::to_owned),
            content: content.to_string(),
            detected_at: self.now,
        }
    }
}

/// What stood there and what stands there, as texts for people.
type Sides = (Option<String>, Option<String>);

/// Changes within one object, such as an address, are told by the whole of it; others by what differs.
fn sides(documents: Option<(&Value, &Value)>, changes: &[&Change]) -> Sides {
    let top = |change: &&Change| {
        let step = change.path.split('/').nth(1)?;
        Some(format!("/{step}"))
    };
    let first = changes.first().and_then(top);
    let shared = first.filter(|first| {
        changes
            .iter()
            .all(|change| top(change).as_ref() == Some(first))
    });
    if let (Some((old, new)), Some(shared)) = (documents, shared) {
        let (old, new) = (old.pointer(&shared), new.pointer(&shared));
        if [old, new].into_iter().flatten().any(Value::is_object) {
            let said = |value: Option<&Value>| value.map(text).filter(|text| !text.is_empty());
            return (said(old), said(new));
        }
    }
    let side = |of: fn(&Change) -> Option<&Value>| {
        let texts: Vec<String> = changes
            .iter()
            .filter_map(|change| of(change))
            .map(text)
            .collect();
        (!texts.is_empty()).then(|| texts.join("; "))
    };
    (
        side(|change| change.old.as_ref()),
        side(|change| change.new.as_ref()),
    )
}

/// A value as one line for people: an item of a list by its name, where it has one.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(text).collect::<Vec<_>>().join("; "),
        Value::Object(members) => {
            let said = members
                .values()
                .filter(|member| !member.is_object() && !member.is_array());
            match members.get("name") {
                Some(Value::String(name)) => name.clone(),
                Some(_) | None => {
                    let said = said.map(text).filter(|said| !said.is_empty());
                    said.collect::<Vec<_>>().join(", ")
                }
            }
        }
    }
}
