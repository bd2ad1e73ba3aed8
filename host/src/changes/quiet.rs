//! Changes without an event of their own: values calculated from others that changed too, and items that only
//! moved across the end of a list of the newest.

use std::collections::BTreeSet;

use serde_json::Value;

use super::guide::Guide;
use super::{Change, Op};

/// Which changes are announced by themselves, and which are listed with others.
#[derive(Debug, Default)]
pub(super) struct Quiet {
    /// For each change, the members whose event lists it. `None` if it is announced by itself.
    beside: Vec<Option<BTreeSet<String>>>,
}

impl Quiet {
    /// Classifies the changes between two documents.
    pub fn of(changes: &[Change], old: &Value, new: &Value, guide: &Guide<'_>) -> Self {
        let changed: BTreeSet<String> = changes.iter().map(member).collect();
        let moved = moved(changes, old, new, guide);
        let beside = |(place, change): (usize, &Change)| {
            let name = member(change);
            if moved.contains(&place) {
                return Some(BTreeSet::from([name]));
            }
            let sources = guide.member(&name).derived_from();
            let sources = sources.into_iter().map(str::to_owned);
            let beside: BTreeSet<String> = sources
                .filter(|source| *source != name && changed.contains(source))
                .collect();
            (!beside.is_empty()).then_some(beside)
        };
        let beside: Vec<_> = changes.iter().enumerate().map(beside).collect();
        // Members derived from each other must not hide each other.
        if beside.iter().all(Option::is_some) {
            let announced = changes.iter().map(|_| None);
            return Self {
                beside: announced.collect(),
            };
        }
        Self { beside }
    }

    /// Whether the change at this index is announced by itself.
    pub fn is_announced(&self, place: usize) -> bool {
        self.beside.get(place).is_none_or(Option::is_none)
    }

    /// The changes listed with changes of these members.
    pub fn beside<'a>(
        &'a self,
        changes: &'a [Change],
        members: &'a BTreeSet<String>,
    ) -> impl Iterator<Item = &'a Change> {
        let listed = self.beside.iter().zip(changes);
        listed.filter_map(|(beside, change)| {
            let beside = beside.as_ref()?;
            (!beside.is_disjoint(members)).then_some(change)
        })
    }
}

/// The top-level member that contains a change. Empty for items of a document that is a list.
pub(super) fn member(change: &Change) -> String {
    let step = change.path.split('/').nth(1).unwrap_or_default();
    step.replace("~1", "/").replace("~0", "~")
}

/// Indexes of the changes that only moved items across the end of a list of the newest.
fn moved(changes: &[Change], old: &Value, new: &Value, guide: &Guide<'_>) -> BTreeSet<usize> {
    let members: BTreeSet<String> = changes.iter().map(member).collect();
    let mut found = BTreeSet::new();
    for name in members.iter().filter(|name| guide.member(name).is_newest()) {
        let items = |op: Op| -> Vec<(usize, usize)> {
            let of_list = changes.iter().enumerate();
            let of_list = of_list.filter(|(_, change)| change.op == op && member(change) == *name);
            of_list
                .filter_map(|(place, change)| {
                    let mut steps = change.path.split('/').skip(2);
                    let index = steps.next()?.parse().ok()?;
                    steps.next().is_none().then_some((place, index))
                })
                .collect()
        };
        let (come, gone) = (items(Op::Add), items(Op::Remove));
        let length = |document: &Value| {
            let list = document.get(name).and_then(Value::as_array);
            list.map_or(0, Vec::len)
        };
        if !come.is_empty() && gone.len() <= come.len() && are_last(&gone, length(old)) {
            found.extend(gone.iter().map(|item| item.0));
        } else if !gone.is_empty() && come.len() <= gone.len() && are_last(&come, length(new)) {
            found.extend(come.iter().map(|item| item.0));
        }
    }
    found
}

/// Whether these are the last items of a list of that length.
fn are_last(items: &[(usize, usize)], length: usize) -> bool {
    let first = length.saturating_sub(items.len());
    items.iter().all(|item| item.1 >= first)
}
