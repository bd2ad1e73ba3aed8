//! First hits: a value appears where there was none.

use serde_json::Value;

use super::guide::Guide;
use super::rules::{is_below, is_hit};
use super::{Change, Op};

/// A first hit and its place.
pub(super) struct Hit<'a> {
    pub kind: &'a str,
    pub pointers: Vec<String>,
}

impl Hit<'_> {
    pub fn covers(&self, change: &Change) -> bool {
        let mut pointers = self.pointers.iter();
        pointers.any(|hit| is_below(&change.path, hit) || is_below(hit, &change.path))
    }

    /// The hit as changes from nothing. Each item of a list is a change.
    pub fn found(&self, new: &Value) -> Vec<Change> {
        let added = |path: String, value: &Value| Change {
            path,
            op: Op::Add,
            old: None,
            new: Some(value.clone()),
        };
        let found = self.pointers.iter().filter_map(|pointer| {
            let value = new.pointer(pointer)?;
            let Some(items) = value.as_array() else {
                return Some(vec![added(pointer.clone(), value)]);
            };
            let items = items.iter().enumerate();
            let items = items.map(|(place, item)| added(format!("{pointer}/{place}"), item));
            Some(items.collect())
        });
        found.flatten().collect()
    }
}

/// The places of a hit. For a member that is calculated from others, these are the others that have a value.
pub(super) fn sources(pointer: &str, new: &Value, guide: &Guide<'_>) -> Vec<String> {
    let name = pointer.split('/').nth(1).unwrap_or_default();
    let sources = guide.member(name).derived_from().into_iter();
    let sources = sources.map(|source| format!("/{source}"));
    let sources: Vec<String> = sources.filter(|source| is_hit(new, source)).collect();
    if sources.is_empty() {
        vec![pointer.to_owned()]
    } else {
        sources
    }
}
