//! Derives events from changes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use sha2::{Digest, Sha256};
use time::OffsetDateTime;

use super::guide::Guide;
use super::hits::{Hit, sources};
use super::lines::{Documents, Line, LineChange, lines};
use super::quiet::{Quiet, member};
use super::rules::{BESIDE, Rule, UPDATED, covers, is_hit};
use super::webhook_event::{ByLanguage, EventContent, WebhookChange, WebhookFinding, Wording};
use super::{Change, Shape, diff};
use crate::clock::rfc3339;
use crate::connectors::cache::hex;
use crate::connectors::manifest::When;
use crate::language::Language;
use crate::store::{ChangeSet, ConnectorId, NewChange, NewEvent, ScopeName};

/// One part of a company and how it is compared.
pub(super) struct Part<'a> {
    pub ico: &'a str,
    pub connector: &'a ConnectorId,
    /// `None` for base and details, which are in every response.
    pub scope: Option<&'a ScopeName>,
    /// The section's member name in `data`.
    pub key: Option<&'a str>,
    pub shape: &'a Shape,
    /// Schema of the part; provides titles.
    pub schema: &'a Value,
    /// Title of the part if the schema has none.
    pub title: &'a str,
    pub rules: Vec<Rule>,
    /// Unique per stored version of the part. Event ids are derived from it.
    pub version: String,
    pub now: OffsetDateTime,
}

/// An event under construction.
struct EventDraft<'a> {
    kind: &'a str,
    group: &'a str,
    change_type: &'a str,
    /// Changes that the event announces.
    announced: Vec<&'a Change>,
    /// Changes that the event lists in addition.
    listed: Vec<&'a Change>,
}

impl Part<'_> {
    /// Events of a first reading: first hits only.
    pub fn baseline(&self, new: &Value) -> ChangeSet {
        ChangeSet {
            changes: Vec::new(),
            events: self.first_hits(None, new, &[]).0,
        }
    }

    /// Changes caused by another connector version: recorded, without events.
    pub fn rebaseline(&self, old: &Value, new: &Value) -> ChangeSet {
        let changes = diff(old, new, self.shape);
        let changes = changes.iter().map(|change| self.row(change, "rebaseline"));
        ChangeSet {
            changes: changes.collect(),
            events: Vec::new(),
        }
    }

    /// Changes caused by more or fewer readable sources: recorded; only first hits raise events.
    pub fn extend(&self, old: &Value, new: &Value) -> ChangeSet {
        let changes = diff(old, new, self.shape);
        let all: Vec<&Change> = changes.iter().collect();
        ChangeSet {
            events: self.first_hits(Some(old), new, &all).0,
            ..self.rebaseline(old, new)
        }
    }

    /// Changes and events of a later reading.
    pub fn compare(&self, old: &Value, new: &Value) -> ChangeSet {
        let changes = diff(old, new, self.shape);
        if changes.is_empty() {
            return ChangeSet::default();
        }
        let guide = Guide::of(self.schema);
        let quiet = Quiet::of(&changes, old, new, &guide);
        let announced = changes.iter().enumerate();
        let announced = announced.filter(|(place, _)| quiet.is_announced(*place));
        let announced: Vec<&Change> = announced.map(|(_, change)| change).collect();
        let (mut events, hits) = self.first_hits(Some(old), new, &announced);
        let mut by_kind: BTreeMap<(&str, &str), Vec<&Change>> = BTreeMap::new();
        let mut updated: BTreeMap<String, (&str, Vec<&Change>)> = BTreeMap::new();
        for change in announced {
            let mut is_covered = hits
                .iter()
                .any(|hit| !BESIDE.contains(&hit.kind) && hit.covers(change));
            for rule in self.rules.iter().filter(|rule| covers(&rule.when, change)) {
                // A kind with a first-hit event raises no other event in this reading.
                let is_hit = hits.iter().any(|hit| hit.kind == rule.kind);
                if rule.kind == UPDATED || is_hit {
                    continue;
                }
                // The specification raises these kinds in addition to `company.updated`; other kinds replace
                // it.
                let is_whole = rule.when == When::Changed;
                is_covered |= is_whole || !BESIDE.contains(&rule.kind.as_str());
                let of_kind = by_kind.entry((&rule.kind, &rule.group)).or_default();
                if of_kind
                    .last()
                    .is_none_or(|last| !std::ptr::eq(*last, change))
                {
                    of_kind.push(change);
                }
            }
            if !is_covered {
                let (field, group) = self.updated_as(change);
                let of_field = updated.entry(field);
                of_field
                    .or_insert_with(|| (group, Vec::new()))
                    .1
                    .push(change);
            }
        }
        let updated = updated.into_values();
        let updated = updated.map(|(group, announced)| (UPDATED, group, announced));
        let by_kind = by_kind.into_iter();
        let by_kind = by_kind.map(|((kind, group), announced)| (kind, group, announced));
        for (kind, group, announced) in updated.chain(by_kind) {
            let members: BTreeSet<String> = announced.iter().map(|change| member(change)).collect();
            let draft = EventDraft {
                kind,
                group,
                change_type: "updated",
                listed: quiet.beside(&changes, &members).collect(),
                announced,
            };
            events.push(self.event(&draft, Documents { old, new }, &guide));
        }
        ChangeSet {
            changes: changes
                .iter()
                .map(|change| self.row(change, change.op.word()))
                .collect(),
            events,
        }
    }

    /// Field and group under which `company.updated` announces a change. A part with a rule for its whole
    /// raises one event; otherwise each member raises its own.
    fn updated_as(&self, change: &Change) -> (String, &str) {
        let rules = || self.rules.iter().filter(|rule| rule.kind == UPDATED);
        if let Some(whole) = rules().find(|rule| rule.when == When::Changed) {
            return (String::new(), &whole.group);
        }
        let group = rules().find(|rule| covers(&rule.when, change));
        let group = group.map_or("company", |rule| rule.group.as_str());
        (self.field(&change.path), group)
    }

    /// The first-hit events and the changes that each covers.
    fn first_hits(
        &self,
        old: Option<&Value>,
        new: &Value,
        changes: &[&Change],
    ) -> (Vec<NewEvent>, Vec<Hit<'_>>) {
        let guide = Guide::of(self.schema);
        let (mut events, mut hits) = (Vec::new(), Vec::<Hit<'_>>::new());
        for rule in &self.rules {
            let When::FirstHit(pointer) = &rule.when else {
                continue;
            };
            let was_hit = old.is_some_and(|old| is_hit(old, pointer));
            // Between two readings, the field's update announces it.
            let is_update = old.is_some() && rule.kind == UPDATED;
            if was_hit
                || is_update
                || !is_hit(new, pointer)
                || hits.iter().any(|hit| hit.kind == rule.kind)
            {
                continue;
            }
            let hit = Hit {
                kind: &rule.kind,
                pointers: sources(pointer, new, &guide),
            };
            let covered = changes.iter().filter(|change| hit.covers(change));
            let covered: Vec<Change> = covered.map(|change| (*change).clone()).collect();
            let found = if covered.is_empty() {
                hit.found(new)
            } else {
                covered
            };
            let draft = EventDraft {
                kind: &rule.kind,
                group: &rule.group,
                change_type: "added",
                announced: found.iter().collect(),
                listed: Vec::new(),
            };
            let nothing = Value::Null;
            let old = old.unwrap_or(&nothing);
            events.push(self.event(&draft, Documents { old, new }, &guide));
            hits.push(hit);
        }
        (events, hits)
    }

    /// The changed field's name, as it appears in `data`.
    fn field(&self, path: &str) -> String {
        let step = path.split('/').nth(1).unwrap_or_default();
        let step = step.replace("~1", "/").replace("~0", "~");
        // A section that is a list has no member names, only indexes.
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
            connector: self.connector.clone(),
            scope: self.scope.cloned(),
            field: self.field(&change.path),
            path: self.path(change),
            op,
            old: text(&change.old),
            new: text(&change.new),
            detected_at: self.now,
        }
    }

    /// The change's path in `data`.
    fn path(&self, change: &Change) -> String {
        match self.key {
            Some(key) => format!("/{key}{}", change.path),
            None => change.path.clone(),
        }
    }

    fn event(
        &self,
        draft: &EventDraft<'_>,
        documents: Documents<'_>,
        guide: &Guide<'_>,
    ) -> NewEvent {
        let announced = &draft.announced;
        let mut fields: Vec<String> = announced
            .iter()
            .map(|change| self.field(&change.path))
            .collect();
        fields.sort();
        fields.dedup();
        let field = fields.join(", ");
        let listed = announced.iter().chain(&draft.listed);
        let differences = listed.map(|change| WebhookChange {
            path: self.path(change),
            op: change.op,
            old: change.old.clone().unwrap_or_default(),
            new: change.new.clone().unwrap_or_default(),
        });
        let short = lines(announced, documents, guide, Language::Slovak, true);
        let (before, after) = self.sides(announced, &short, fields.len() > 1);
        let worded = |language| {
            let mut worded = lines(announced, documents, guide, language, false);
            for line in &mut worded {
                line.path = self
                    .key
                    .map_or_else(|| line.path.clone(), |key| format!("/{key}{}", line.path));
            }
            worded
        };
        let part = |language| guide.title(language).unwrap_or(self.title).to_owned();
        let content = EventContent {
            finding: WebhookFinding {
                group: draft.group.to_owned(),
                change_type: draft.change_type.to_owned(),
                field: field.clone(),
                old_value: before,
                new_value: after,
                detected_at: rfc3339(self.now),
                source: self.connector.to_string(),
                scope: self.scope.cloned(),
                changes: differences.collect(),
            },
            wording: Wording {
                lines: ByLanguage::of(worded),
                part: ByLanguage::of(part),
            },
        };
        let scope = self.scope.map_or("", ScopeName::as_str);
        let id = |named: &[&str]| {
            let digest = hex(&Sha256::digest(named.join("\n")));
            digest[..32].to_owned()
        };
        let reading = [self.ico, self.connector.as_str(), scope, &self.version];
        NewEvent {
            id: format!(
                "evt_{}",
                id(&[&reading[..], &[draft.kind, &field]].concat())
            ),
            ico: self.ico.to_owned(),
            kind: draft.kind.to_owned(),
            scope: self.scope.cloned(),
            reading: id(&reading),
            content: content.to_json(),
            detected_at: self.now,
        }
    }

    /// The old and the new state as texts for people; empty if there was no value. In Slovak, except for
    /// company states, which the specification names.
    fn sides(&self, changes: &[&Change], lines: &[Line], is_labelled: bool) -> (String, String) {
        if let [change] = changes
            && self.key.is_none()
            && change.path == "/status"
        {
            let said = |value: &Option<Value>| {
                let said = value.as_ref().and_then(Value::as_str);
                said.unwrap_or_default().to_owned()
            };
            return (said(&change.old), said(&change.new));
        }
        let side = |of: fn(&Line) -> &str| {
            let said = lines.iter().filter(|line| !of(line).is_empty());
            let said = said.map(|line| {
                let is_item = matches!(
                    line.happened,
                    LineChange::ItemAdded | LineChange::ItemRemoved
                );
                // The field's own title repeats its name. Keep only the item that the value belongs to.
                let label = match line.label.split_once(" – ") {
                    Some((_, within)) if !is_labelled => Some(within),
                    Some(_) => Some(line.label.as_str()),
                    None => (is_labelled && !is_item).then_some(line.label.as_str()),
                };
                label.map_or_else(
                    || of(line).to_owned(),
                    |label| format!("{label}: {}", of(line)),
                )
            });
            said.collect::<Vec<_>>().join("; ")
        };
        let sides = (side(|line| &line.before), side(|line| &line.after));
        if sides.0 != sides.1 || sides.0.is_empty() {
            return sides;
        }
        // The shown texts are equal because the difference is in members that are not shown. Use the raw
        // values, which differ.
        let exact = |of: fn(&Change) -> Option<&Value>| {
            let values = changes.iter().filter_map(|change| of(change));
            values.map(Value::to_string).collect::<Vec<_>>().join("; ")
        };
        (
            exact(|change| change.old.as_ref()),
            exact(|change| change.new.as_ref()),
        )
    }
}
