//! Which changes raise which events: kinds of the specification, rules of manifests, and the host's own rules.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Change, Op};
use crate::connectors::catalogue::Catalogue;
use crate::connectors::manifest::{EventRule, When};

/// The general kind, for changes that no specific rule covers.
pub const UPDATED: &str = "company.updated";

/// Kinds of the specification. A connector's manifest may add its own.
pub const KINDS: [&str; 18] = [
    UPDATED,
    "sanctions.match",
    "debarred.updated",
    "contracting_authority.updated",
    "uvo_references.updated",
    "qualified_supplier.updated",
    "social_enterprise.updated",
    "gleif.updated",
    "itms21.updated",
    "ted_tender.published",
    "insolvency_administrator.updated",
    "sbs_licence.updated",
    "transport_licence.updated",
    "utility_licence.updated",
    "debtor.added",
    "insolvency.opened",
    "officers.changed",
    "address.changed",
];

/// The kinds of the specification and of the serving connectors.
#[must_use]
pub fn all_kinds(catalogue: &Catalogue) -> BTreeSet<String> {
    let of_connectors = catalogue.all_serving().flat_map(|loaded| {
        let manifest = &loaded.manifest;
        let source = manifest.company_source.iter();
        let of_scopes = manifest.scopes.iter().flat_map(|scope| &scope.events);
        let rules = source.flat_map(|source| &source.events).chain(of_scopes);
        rules.map(|rule| rule.kind.clone()).collect::<Vec<_>>()
    });
    let own = KINDS.iter().map(|kind| (*kind).to_owned());
    own.chain(of_connectors).collect()
}

/// Kinds raised in addition to [`UPDATED`], because the specification shows them so. All other kinds replace
/// it.
pub(super) const BESIDE: [&str; 4] = [
    "debtor.added",
    "insolvency.opened",
    "officers.changed",
    "address.changed",
];

/// Rules of the base record, which no manifest describes: kind, group and condition.
pub(super) const BASE: [(&str, &str, &str); 1] = [("address.changed", "company", "field:/address")];

/// Whether a rule with this condition covers a change.
pub(super) fn covers(when: &When, change: &Change) -> bool {
    match when {
        When::Changed => true,
        When::Field(pointer) => is_below(&change.path, pointer),
        When::Added(pointer) => {
            let step = change.path.strip_prefix(pointer.as_str());
            let is_item = step.and_then(|step| step.strip_prefix('/'));
            change.op == Op::Add
                // The list itself was added, together with its first items.
                && (step == Some("") || is_item.is_some_and(|item| !item.contains('/')))
        }
        When::FirstHit(_) => false,
    }
}

pub(super) fn is_below(path: &str, pointer: &str) -> bool {
    path.strip_prefix(pointer)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether the value at the pointer is a hit: `true`, a non-zero number, a text, or a list or object that
/// contains one.
#[must_use]
pub fn is_hit(document: &Value, pointer: &str) -> bool {
    fn says_something(value: &Value) -> bool {
        match value {
            Value::Null | Value::Bool(false) => false,
            Value::Bool(true) => true,
            Value::Number(number) => number.as_f64().is_none_or(|number| number != 0.0),
            Value::String(text) => !text.trim().is_empty(),
            Value::Array(items) => items.iter().any(says_something),
            Value::Object(members) => members.values().any(says_something),
        }
    }
    document.pointer(pointer).is_some_and(says_something)
}

/// A rule with its parsed condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    pub kind: String,
    pub group: String,
    pub when: When,
}

/// The rules of a manifest. Loading the manifest has already rejected invalid conditions.
pub(super) fn of_manifest(rules: &[EventRule]) -> Vec<Rule> {
    let read = |rule: &EventRule| {
        Some(Rule {
            kind: rule.kind.clone(),
            group: rule.group.clone(),
            when: When::parse(&rule.when)?,
        })
    };
    rules.iter().filter_map(read).collect()
}

pub(super) fn of_base() -> Vec<Rule> {
    let read = |(kind, group, when): &(&str, &str, &str)| {
        Some(Rule {
            kind: (*kind).to_owned(),
            group: (*group).to_owned(),
            when: When::parse(when)?,
        })
    };
    BASE.iter().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read_strictly() {
        for (text, when) in [
            ("changed", Some(When::Changed)),
            ("field:/dic", Some(When::Field("/dic".to_owned()))),
            ("field:", Some(When::Field(String::new()))),
            ("added:/sources", Some(When::Added("/sources".to_owned()))),
            ("first-hit", Some(When::FirstHit(String::new()))),
            ("first-hit:/a", Some(When::FirstHit("/a".to_owned()))),
            ("changed:/a", None),
            ("field", None),
            ("field:dic", None),
            ("sometimes", None),
        ] {
            assert_eq!(When::parse(text), when, "{text}");
        }
    }

    #[test]
    fn empty_values_are_no_hits() {
        let document =
            serde_json::json!({"a": [], "b": [null, {"c": ""}], "d": 0, "e": "x", "f": [false, 1]});
        for (pointer, hit) in [
            ("/a", false),
            ("/b", false),
            ("/d", false),
            ("/e", true),
            ("/f", true),
            ("/nothing", false),
            ("", true),
        ] {
            assert_eq!(is_hit(&document, pointer), hit, "{pointer}");
        }
    }
}
