//! Compares two JSON documents.
//!
//! Both are normalised first: texts in NFC and trimmed, empty equal to absent, whole numbers equal however
//! written, numeric texts equal to numbers where the schema has numbers. List items are matched by the members
//! that identify them in the shape, otherwise by their whole content. Their order makes no difference.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};
use unicode_normalization::UnicodeNormalization;
use utoipa::ToSchema;

use super::Shape;

/// What happened to a value, as in JSON Patch (RFC 6902).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    /// The value was added.
    Add,
    /// The value was removed.
    Remove,
    /// The value was replaced.
    Replace,
}

impl Op {
    /// The operation's name in JSON Patch (RFC 6902).
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Remove => "remove",
            Self::Replace => "replace",
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// JSON pointer (RFC 6901) into the newer document; for a removed value, into the older one.
    pub path: String,
    pub op: Op,
    /// Old value, if there was one.
    pub old: Option<Value>,
    /// New value, if there is one.
    pub new: Option<Value>,
}

/// Differences between an older and a newer document, ordered by member names.
#[must_use]
pub fn diff(old: &Value, new: &Value, shape: &Shape) -> Vec<Change> {
    let mut changes = Vec::new();
    compare(old, new, shape, &mut PathPair::default(), &mut changes);
    changes
}

/// Path of a value in each document. They differ if a list item moved.
#[derive(Default)]
struct PathPair {
    old: String,
    new: String,
}

fn compare(
    old: &Value,
    new: &Value,
    shape: &Shape,
    path: &mut PathPair,
    changes: &mut Vec<Change>,
) {
    if shape.volatile {
        return;
    }
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => compare_members(old, new, shape, path, changes),
        (Value::Array(old), Value::Array(new)) => compare_items(old, new, shape, path, changes),
        (old, new) => note(canonical(old, shape), canonical(new, shape), path, changes),
    }
}

/// Records a change if two canonical values differ.
fn note(old: Option<Value>, new: Option<Value>, path: &PathPair, changes: &mut Vec<Change>) {
    let op = match (&old, &new) {
        (None, None) => return,
        (None, Some(_)) => Op::Add,
        (Some(_), None) => Op::Remove,
        (Some(before), Some(after)) if before == after => return,
        (Some(_), Some(_)) => Op::Replace,
    };
    let path = match op {
        Op::Remove => &path.old,
        Op::Add | Op::Replace => &path.new,
    };
    changes.push(Change {
        path: path.clone(),
        op,
        old,
        new,
    });
}

fn compare_members(
    old: &Map<String, Value>,
    new: &Map<String, Value>,
    shape: &Shape,
    path: &mut PathPair,
    changes: &mut Vec<Change>,
) {
    let names: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for name in names {
        let absent = Value::Null;
        let (old, new) = (
            old.get(name).unwrap_or(&absent),
            new.get(name).unwrap_or(&absent),
        );
        let step = name.replace('~', "~0").replace('/', "~1");
        below(path, &step, &step, |path| {
            compare(old, new, shape.member(name), path, changes);
        });
    }
}

/// A list item with its index and canonical form.
struct Item<'a> {
    place: usize,
    value: &'a Value,
    canonical: Value,
}

fn compare_items(
    old: &[Value],
    new: &[Value],
    shape: &Shape,
    path: &mut PathPair,
    changes: &mut Vec<Change>,
) {
    let (mut old, mut new) = (by_identity(old, shape), by_identity(new, shape));
    let identities: std::collections::BTreeSet<String> =
        old.keys().chain(new.keys()).cloned().collect();
    let (mut gone, mut come) = (Vec::new(), Vec::new());
    for identity in identities {
        let mut before = old.remove(&identity).unwrap_or_default();
        let mut after = new.remove(&identity).unwrap_or_default();
        // Match identical items first.
        before.retain(|item| {
            let same = after
                .iter()
                .position(|other| other.canonical == item.canonical);
            same.map(|place| after.remove(place)).is_none()
        });
        let paired = before.len().min(after.len());
        gone.extend(before.drain(paired..));
        come.extend(after.drain(paired..));
        for (before, after) in before.into_iter().zip(after) {
            let places = (before.place.to_string(), after.place.to_string());
            below(path, &places.0, &places.1, |path| {
                compare(before.value, after.value, shape.items(), path, changes);
            });
        }
    }
    gone.sort_by_key(|item| item.place);
    come.sort_by_key(|item| item.place);
    for item in gone {
        let place = item.place.to_string();
        below(path, &place, &place, |path| {
            note(Some(item.canonical), None, path, changes);
        });
    }
    for item in come {
        let place = item.place.to_string();
        below(path, &place, &place, |path| {
            note(None, Some(item.canonical), path, changes);
        });
    }
}

/// The non-empty items, grouped by identity.
fn by_identity<'a>(items: &'a [Value], shape: &Shape) -> BTreeMap<String, Vec<Item<'a>>> {
    let mut found: BTreeMap<String, Vec<Item<'a>>> = BTreeMap::new();
    for (place, value) in items.iter().enumerate() {
        let Some(canonical) = canonical(value, shape.items()) else {
            continue;
        };
        let named = canonical.as_object().filter(|_| !shape.identity.is_empty());
        let identity = named.map_or_else(
            || canonical.to_string(),
            |members| {
                let names = shape.identity.iter();
                Value::from_iter(names.map(|name| members.get(name).cloned())).to_string()
            },
        );
        found.entry(identity).or_default().push(Item {
            place,
            value,
            canonical,
        });
    }
    found
}

/// A value in canonical form; `None` if it is empty.
pub(super) fn canonical(value: &Value, shape: &Shape) -> Option<Value> {
    if shape.volatile {
        return None;
    }
    match value {
        Value::Null => None,
        Value::Bool(_) => Some(value.clone()),
        Value::Number(number) => Some(Value::Number(whole(number))),
        Value::String(text) => {
            let text: String = text.trim().nfc().collect();
            if shape.numeric
                && let Ok(number) = text.parse::<Number>()
            {
                return Some(Value::Number(whole(&number)));
            }
            (!text.is_empty()).then_some(Value::String(text))
        }
        Value::Array(items) => {
            let mut items: Vec<Value> = items
                .iter()
                .filter_map(|item| canonical(item, shape.items()))
                .collect();
            items.sort_by_cached_key(Value::to_string);
            (!items.is_empty()).then_some(Value::Array(items))
        }
        Value::Object(members) => {
            let mut kept: Vec<(String, Value)> = members
                .iter()
                .filter_map(|(name, member)| {
                    Some((name.clone(), canonical(member, shape.member(name))?))
                })
                .collect();
            kept.sort_by(|one, other| one.0.cmp(&other.0));
            (!kept.is_empty()).then(|| Value::Object(kept.into_iter().collect()))
        }
    }
}

/// `5.0` as `5`: registers vary in how they write numbers.
fn whole(number: &Number) -> Number {
    /// Larger whole numbers have no exact floating-point form.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match number.as_f64() {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "it is whole and within 2^53"
        )]
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < EXACT => {
            Number::from(float as i64)
        }
        _ => number.clone(),
    }
}

/// Runs a closure with both paths one step deeper.
fn below(path: &mut PathPair, old: &str, new: &str, what: impl FnOnce(&mut PathPair)) {
    let lengths = (path.old.len(), path.new.len());
    for (path, step) in [(&mut path.old, old), (&mut path.new, new)] {
        path.push('/');
        path.push_str(step);
    }
    what(path);
    path.old.truncate(lengths.0);
    path.new.truncate(lengths.1);
}
