//! Words changes for people: label, old value and new value.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::forms::{lowered, readable};
use super::guide::Guide;
use super::wording::{Detail, Writer};
use super::{Change, Op};
use crate::language::Language;

/// Maximum number of lines per event.
const MAX_LINES: usize = 40;

/// What happened to a value. Ordered by importance for an e-mail's subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineChange {
    /// An item was added to a list.
    ItemAdded,
    /// A value was added.
    Added,
    /// The value was replaced.
    Changed,
    /// An item was removed from a list.
    ItemRemoved,
    /// The value was removed.
    Removed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// Path in `data`. The same change has the same path in every event.
    pub path: String,
    pub happened: LineChange,
    /// Name of the changed value: members by their titles, items by their identity.
    pub label: String,
    /// Old value; empty if there was none.
    pub before: String,
    /// New value; empty if there is none.
    pub after: String,
    /// The identity of a list item; otherwise empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub item: String,
    /// The role of a person in a list; otherwise empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub role: String,
}

impl Line {
    /// A line from a field's name and the two texts alone.
    #[must_use]
    pub fn plain(field: &str, before: String, after: String) -> Self {
        Self {
            path: String::new(),
            happened: LineChange::Changed,
            label: readable(field),
            before,
            after,
            item: String::new(),
            role: String::new(),
        }
    }
}

/// Formats an ISO 8601 day for a language. `None` if the text is not a day.
#[must_use]
pub fn day(text: &str, language: Language) -> Option<String> {
    Writer { language }.date(text)
}

/// A title in the form that it has within a sentence.
#[must_use]
pub fn in_sentence(title: &str) -> String {
    lowered(title)
}

/// The old and the new document.
#[derive(Clone, Copy)]
pub(super) struct Documents<'a> {
    pub old: &'a Value,
    pub new: &'a Value,
}

/// Describes changes in one language. `is_short` reduces items that have a name to that name.
pub(super) fn lines(
    changes: &[&Change],
    documents: Documents<'_>,
    guide: &Guide<'_>,
    language: Language,
    is_short: bool,
) -> Vec<Line> {
    let describer = Describer {
        documents,
        guide,
        writer: Writer { language },
        is_short,
    };
    let mut whole = BTreeSet::new();
    let mut described = Vec::new();
    for change in changes {
        if described.len() >= MAX_LINES {
            break;
        }
        let line = match describer.object_of(change) {
            Some(name) if whole.contains(&name) => continue,
            Some(name) => {
                let line = describer.object(&name);
                if line.is_some() {
                    whole.insert(name);
                }
                line.or_else(|| describer.line(change))
            }
            None => describer.line(change),
        };
        described.extend(line.map(|line| (line, *change)));
    }
    merge_identical_items(described, &describer)
}

/// Merges a removed and an added item that read the same into one change. Its texts are the members that differ
/// but are not shown.
fn merge_identical_items(described: Vec<(Line, &Change)>, describer: &Describer<'_>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut rest = described;
    while !rest.is_empty() {
        let (mut line, change) = rest.remove(0);
        let twin = rest.iter().position(|(other, _)| {
            line.label == other.label
                && line.happened != other.happened
                && (&line.before, &line.after) == (&other.after, &other.before)
        });
        if let Some(index) = twin {
            let (_, other) = rest.remove(index);
            let (old, new) = (
                change.old.as_ref().or(other.old.as_ref()),
                change.new.as_ref().or(other.new.as_ref()),
            );
            let name = if line.before.is_empty() {
                &line.after
            } else {
                &line.before
            };
            line.label = [line.label.as_str(), name].join(" – ");
            line.happened = LineChange::Changed;
            (line.before, line.after) = describer.differing(old, new);
        }
        lines.push(line);
    }
    lines
}

struct Describer<'a> {
    documents: Documents<'a>,
    guide: &'a Guide<'a>,
    writer: Writer,
    is_short: bool,
}

/// The value that a path leads to.
struct Location<'a> {
    labels: Vec<String>,
    guide: Guide<'a>,
    value: &'a Value,
    /// Name of the member, and the object that contains it.
    name: String,
    parent: Option<&'a Map<String, Value>>,
    /// For a list item: the members that identify it.
    identity: Option<Vec<&'a str>>,
}

impl<'a> Describer<'a> {
    /// The members in which two items differ, unformatted.
    fn differing(&self, old: Option<&Value>, new: Option<&Value>) -> (String, String) {
        let members =
            |item: Option<&Value>| item.and_then(Value::as_object).cloned().unwrap_or_default();
        let (old, new) = (members(old), members(new));
        let side = |of: &Map<String, Value>, other: &Map<String, Value>| {
            let differing = of
                .iter()
                .filter(|(name, value)| other.get(*name) != Some(*value));
            let texts = differing.map(|(name, value)| {
                let text = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                format!("{}: {text}", readable(name))
            });
            texts.collect::<Vec<_>>().join("; ")
        };
        (side(&old, &new), side(&new, &old))
    }

    /// The top-level member that contains a change, if it is an object such as an address. Such an object is
    /// described as a whole.
    fn object_of(&self, change: &Change) -> Option<String> {
        let name = super::quiet::member(change);
        let is_object = |document: &Value| document.get(&name).is_some_and(Value::is_object);
        (is_object(self.documents.old) || is_object(self.documents.new)).then_some(name)
    }

    /// The change of an object as a whole. `None` if both versions read the same.
    fn object(&self, name: &str) -> Option<Line> {
        let worded = |document: &Value| {
            let value = document.get(name).unwrap_or(&Value::Null);
            let guide = self.guide.member(name);
            self.writer.value(value, name, None, &guide, Detail::Full)
        };
        let (before, after) = (worded(self.documents.old), worded(self.documents.new));
        let happened = match (before.is_empty(), after.is_empty()) {
            (true, _) => LineChange::Added,
            (_, true) => LineChange::Removed,
            _ => LineChange::Changed,
        };
        (before != after).then(|| Line {
            path: format!("/{}", name.replace('~', "~0").replace('/', "~1")),
            happened,
            label: self.writer.title(self.guide, name),
            before,
            after,
            item: String::new(),
            role: String::new(),
        })
    }

    /// The line of one change. `None` if it has no readable text.
    fn line(&self, change: &Change) -> Option<Line> {
        let document = match change.op {
            Op::Remove => self.documents.old,
            Op::Add | Op::Replace => self.documents.new,
        };
        let location = self.locate(document, &change.path)?;
        let worded = |value: Option<&Value>| {
            value.map_or_else(String::new, |value| self.worded(value, &location))
        };
        let is_item = location.identity.is_some();
        let (happened, mut before, mut after) = match (change.op, is_item) {
            // Look up the item in the document, where its members keep their order.
            (Op::Add, true) => (
                LineChange::ItemAdded,
                String::new(),
                worded(Some(location.value)),
            ),
            (Op::Remove, true) => (
                LineChange::ItemRemoved,
                worded(Some(location.value)),
                String::new(),
            ),
            (Op::Add, false) => (
                LineChange::Added,
                String::new(),
                worded(change.new.as_ref()),
            ),
            (Op::Remove, false) => (
                LineChange::Removed,
                worded(change.old.as_ref()),
                String::new(),
            ),
            (Op::Replace, _) => {
                let sides = (worded(change.old.as_ref()), worded(change.new.as_ref()));
                (LineChange::Changed, sides.0, sides.1)
            }
        };
        if before == after {
            let exact = |value: &Option<Value>| {
                let value = value.as_ref().map(Value::to_string);
                value
                    .unwrap_or_default()
                    .chars()
                    .take(200)
                    .collect::<String>()
            };
            (before, after) = (exact(&change.old), exact(&change.new));
        }
        let (item, role) = match (location.value, &location.identity) {
            (Value::Object(members), Some(identity)) => {
                let of_item = Detail::Brief;
                let item = self
                    .writer
                    .item(members, identity, &location.guide, of_item);
                let role = members.get("role").and_then(Value::as_str);
                (item, role.unwrap_or_default().to_owned())
            }
            _ => (String::new(), String::new()),
        };
        (before != after).then(|| Line {
            path: change.path.clone(),
            happened,
            label: location.labels.join(" – "),
            before,
            after,
            item,
            role,
        })
    }

    fn worded(&self, value: &Value, location: &Location<'a>) -> String {
        let parent = location.parent;
        match (value, &location.identity) {
            (Value::Object(members), Some(identity)) => {
                let is_brief = self.is_short && members.get("name").is_some_and(Value::is_string);
                let detail = if is_brief {
                    Detail::Brief
                } else {
                    Detail::Full
                };
                self.writer.item(members, identity, &location.guide, detail)
            }
            _ => {
                let detail = Detail::Brief;
                self.writer
                    .value(value, &location.name, parent, &location.guide, detail)
            }
        }
    }

    fn locate(&self, document: &'a Value, path: &str) -> Option<Location<'a>> {
        let mut location = Location {
            labels: Vec::new(),
            guide: self.guide.clone(),
            value: document,
            name: String::new(),
            parent: None,
            identity: None,
        };
        for step in path.split('/').skip(1) {
            match location.value {
                Value::Array(items) => {
                    let identity = location.guide.identity();
                    location.value = items.get(step.parse::<usize>().ok()?)?;
                    location.guide = location.guide.items();
                    location.identity = Some(identity);
                }
                Value::Object(members) => {
                    // The path leads into an item: name the item.
                    if let Some(identity) = location.identity.take() {
                        let of_item = Detail::Brief;
                        let item = self
                            .writer
                            .item(members, &identity, &location.guide, of_item);
                        location
                            .labels
                            .extend(Some(item).filter(|item| !item.is_empty()));
                    }
                    let name = step.replace("~1", "/").replace("~0", "~");
                    location
                        .labels
                        .push(self.writer.title(&location.guide, &name));
                    location.value = members.get(&name)?;
                    location.guide = location.guide.member(&name);
                    location.parent = Some(members);
                    location.name = name;
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
            }
        }
        Some(location)
    }
}
