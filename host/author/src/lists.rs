//! Compares lists of imports: which records of a damaged list are also in the undamaged one.
//!
//! Two kinds of records may differ. A placeholder of the SDK (`records::unreadable_row`) stands for a row that could
//! not be read. A record without a company and a name is the connector's own note on its progress, and differs if the
//! run read less.

use std::collections::BTreeSet;

use serde_json::{Value, json};

/// Records and companies of an undamaged list.
pub(super) struct Known {
    texts: BTreeSet<String>,
    own_notes: BTreeSet<String>,
}

impl Known {
    /// Reads them from an import's value, as in [`lustra_sandbox::recording::CallOutcome::Gave`].
    pub(super) fn of(list: &Value) -> Self {
        let records = members(list, "records");
        let own_notes = records.iter().filter(|record| is_own_note(record));
        Self {
            own_notes: own_notes.map(|record| key(record).to_owned()).collect(),
            texts: all(list).map(Value::to_string).collect(),
        }
    }

    /// Records and companies of another list that are not known, in order. Placeholders and the connector's own notes
    /// are skipped.
    pub(super) fn others<'a>(&self, list: &'a Value) -> Vec<&'a Value> {
        let may_differ = |record: &Value| {
            is_placeholder(record) || (is_own_note(record) && self.own_notes.contains(key(record)))
        };
        let is_known = |record: &Value| self.texts.contains(&record.to_string());
        all(list)
            .filter(|record| !(may_differ(record) || is_known(record)))
            .collect()
    }
}

/// Whether two lists have the same records and notes; cursors and the lists' dates are ignored.
pub(super) fn are_equal(one: &Value, other: &Value) -> bool {
    notes(one) == notes(other) && all(one).eq(all(other))
}

/// Counters of an import.
pub(super) fn notes(list: &Value) -> &Value {
    list.get("notes").unwrap_or(&Value::Null)
}

pub(super) fn all(list: &Value) -> impl Iterator<Item = &Value> {
    let of = |name| members(list, name).iter();
    of("records").chain(of("companies"))
}

/// Whether a record is a placeholder for an unreadable row, made by `records::unreadable_row` of the SDK.
pub(super) fn is_placeholder(record: &Value) -> bool {
    record.get("content") == Some(&json!({ "unreadable_row": true }))
        && text(record, "ico").is_some()
        && !is_removal(record)
}

/// Whether a record has neither a company nor a name, so that no company can be found by it.
pub(super) fn is_own_note(record: &Value) -> bool {
    names_no_company(record) && text(record, "name").is_none() && !is_removal(record)
}

/// Whether a record has no company number.
pub(super) fn names_no_company(record: &Value) -> bool {
    record.get("key").is_some() && text(record, "ico").is_none()
}

/// Whether a record removes an earlier one.
pub(super) fn is_removal(record: &Value) -> bool {
    record.get("removed") == Some(&Value::Bool(true))
}

/// Key of a record; empty for a company.
pub(super) fn key(record: &Value) -> &str {
    text(record, "key").unwrap_or_default()
}

/// Display name of a record: its key, or the company's number.
pub(super) fn named(record: &Value) -> String {
    let name = text(record, "key").or_else(|| text(record, "ico"));
    let what = if is_removal(record) {
        " (a removal)"
    } else {
        ""
    };
    format!("{:?}{what}", name.unwrap_or_default())
}

fn text<'a>(record: &'a Value, name: &str) -> Option<&'a str> {
    record.get(name).and_then(Value::as_str)
}

fn members<'a>(list: &'a Value, name: &str) -> &'a [Value] {
    let members = list.get(name).and_then(Value::as_array);
    members.map(Vec::as_slice).unwrap_or_default()
}
