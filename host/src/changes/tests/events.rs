//! Events of a comparison: kinds, fields, ids.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::changes::section;

/// The changes and events of a second reading.
fn compared(old: &Value, new: &Value, rules: &[(&str, &str, &str)]) -> ChangeSet {
    let scope = scope(json!({}), rules);
    section(
        Some(&stored(&reading(old), NOW)),
        &reading(new),
        &scope,
        LATER,
    )
}

#[test]
fn changed_field_raises_one_update() {
    let old = json!({"a": {"x": 1, "y": 1}, "b": [1, 2], "c": 1, "d/e": 1});
    let new = json!({"a": {"x": 2, "y": 2}, "b": [3, 4], "c": 1, "d/e": 2});
    let found = compared(&old, &new, &[]);
    assert_eq!(
        raised(&found),
        kinds([
            ("company.updated", "licences.a"),
            ("company.updated", "licences.b"),
            ("company.updated", "licences.d/e"),
        ])
    );
    assert_eq!(found.changes.len(), 7);
}

#[test]
fn section_that_is_a_list_is_named_by_its_key() {
    let found = compared(&json!(["x"]), &json!(["y"]), &[]);
    assert_eq!(
        rows(&found),
        [
            ("licences".to_owned(), "/licences/0".to_owned(), "remove"),
            ("licences".to_owned(), "/licences/0".to_owned(), "add"),
        ]
    );
}

#[test]
fn first_hit_and_further_item_raise_one_event_each() {
    let rules = [
        ("debtor.added", "risk", "first-hit:/sources"),
        ("debtor.added", "risk", "added:/sources"),
        ("company.updated", "risk", "changed"),
    ];
    let with = |sources: &[&str]| json!({ "sources": sources });
    let (update, added) = (
        ("company.updated", "licences.sources"),
        ("debtor.added", "licences.sources"),
    );
    for (old, new, wanted) in [
        (&[][..], &["x"][..], vec![added, update]),
        (&["x"], &["x", "y"], vec![update, added]),
        (&["x"], &["y"], vec![update, added]),
        (&["x", "y"], &["x"], vec![update]),
        (&["x"], &[], vec![update]),
        (&["x"], &["x"], vec![]),
    ] {
        let found = compared(&with(old), &with(new), &rules);
        let wanted: Vec<(String, String)> = wanted
            .into_iter()
            .map(|(kind, field)| (kind.to_owned(), field.to_owned()))
            .collect();
        assert_eq!(raised(&found), wanted, "{old:?} {new:?}");
    }
}

#[test]
fn added_rule_matches_items_not_their_members() {
    let rules = [("insolvency.opened", "risk", "added:/list")];
    let is_raised = |old: Value, new: Value| {
        let found = compared(&old, &new, &rules);
        found
            .events
            .iter()
            .any(|event| event.kind == "insolvency.opened")
    };
    assert!(is_raised(json!({}), json!({"list": [1]})));
    assert!(is_raised(json!({"list": [1]}), json!({"list": [2, 1]})));
    assert!(!is_raised(json!({"list": [1]}), json!({"list": []})));
    assert!(!is_raised(json!({"listed": []}), json!({"listed": [1]})));
    assert!(!is_raised(
        json!({"list": {"a": {"b": 1}}}),
        json!({"list": {"a": {"b": 1, "c": 1}}})
    ));
}

#[test]
fn kind_for_the_whole_part_replaces_updates() {
    let rules = [
        ("sanctions.match", "risk", "field:/a"),
        ("gleif.updated", "company", "changed"),
    ];
    let (old, new) = (json!({"a": 1, "b": 1}), json!({"a": 2, "b": 2}));
    let found = compared(&old, &new, &rules);
    assert_eq!(
        raised(&found),
        kinds([
            ("gleif.updated", "licences.a, licences.b"),
            ("sanctions.match", "licences.a"),
        ])
    );
}

#[test]
fn first_hit_keeps_other_changes_visible() {
    let rules = [
        ("sanctions.match", "risk", "first-hit:/entries"),
        ("sanctions.match", "risk", "changed"),
    ];
    let old = json!({"entries": [], "note": "a"});
    let new = json!({"entries": ["x"], "note": "b"});
    let found = compared(&old, &new, &rules);
    assert_eq!(
        raised(&found),
        kinds([
            ("sanctions.match", "licences.entries"),
            ("company.updated", "licences.note"),
        ])
    );
}

#[test]
fn event_ids_are_stable_per_reading() {
    let scope = scope(json!({}), &[("debtor.added", "risk", "first-hit")]);
    let (empty, full) = (reading(&json!({})), reading(&json!({"a": 1, "b": 1})));
    let ids = |at| {
        let found = section(Some(&stored(&empty, at)), &full, &scope, LATER);
        let ids = found.events.into_iter().map(|event| event.id);
        ids.collect::<Vec<_>>()
    };
    assert_eq!(
        ids(NOW),
        ids(NOW),
        "the ids are the same after a repeated comparison"
    );
    // The value disappeared and came back.
    let mut all = [ids(NOW), ids(LATER)].concat();
    assert!(
        all.iter()
            .all(|id| id.len() == 36 && id.starts_with("evt_"))
    );
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 6);
}

#[test]
fn changed_item_is_shown_by_its_name() {
    let old = json!({"people": [{"name": "Jana", "role": "x"}], "amount": 1});
    let new = json!({"people": [{"role": "x", "since": 5}, {"role": "y"}], "amount": 2.5});
    let found = compared(&old, &new, &[]);
    let values: Vec<Value> = found
        .events
        .iter()
        .map(|event| {
            let content: Value = serde_json::from_str(&event.content).unwrap();
            json!([content["old_value"], content["new_value"]])
        })
        .collect();
    assert_eq!(
        Value::from(values),
        json!([["1", "2,5"], ["Jana", "role: x; since: 5; role: y"]])
    );
}

#[test]
fn content_of_an_event_keeps_its_stored_form() {
    let (old, new) = (json!({"name": "A", "n": 1}), json!({"name": "B", "n": 1}));
    let found = compared(&old, &new, &[]);
    assert_eq!(
        found.events[0].content,
        concat!(
            r#"{"group":"company","change_type":"updated","field":"licences.name","old_value":"A","new_value":"B","#,
            r#""detected_at":"2026-07-02T06:00:00Z","source":"tests","scope":"licences","#,
            r#""changes":[{"path":"/licences/name","op":"replace","old":"A","new":"B"}],"#,
            r#""lines":{"sk":[{"path":"/licences/name","happened":"changed","label":"Name","before":"A","after":"B"}],"#,
            r#""en":[{"path":"/licences/name","happened":"changed","label":"Name","before":"A","after":"B"}]},"#,
            r#""part":{"sk":"Licences","en":"Licences"}}"#
        )
    );
}

/// Rules that a manifest may contain.
fn rules() -> impl Strategy<Value = Vec<(&'static str, &'static str, &'static str)>> {
    let kinds = select(vec!["company.updated", "debtor.added", "gleif.updated"]);
    let whens = vec![
        "changed",
        "field:/a",
        "field:/a/0",
        "added:/a",
        "added:",
        "first-hit",
        "first-hit:/a",
    ];
    proptest::collection::vec((kinds, Just("risk"), select(whens)), 0..5)
}

fn content() -> impl Strategy<Value = Value> {
    let value = || {
        let list = proptest::collection::vec(0i64..4, 0..3).prop_map(Value::from);
        prop_oneof![(0i64..3).prop_map(Value::from), list, Just(Value::Null)]
    };
    (value(), value(), value()).prop_map(|(a, b, c)| json!({ "a": a, "b": b, "c/d": c }))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, ..ProptestConfig::default() })]

    #[test]
    fn no_change_is_silent_under_any_rules(old in content(), new in content(), rules in rules()) {
        let found = compared(&old, &new, &rules);
        let raised: Vec<Value> = found.events.iter().flat_map(|event| {
            let content: Value = serde_json::from_str(&event.content).unwrap();
            content["changes"].as_array().unwrap().clone()
        }).collect();
        for row in &found.changes {
            let is_raised = raised.iter().any(|raised| raised["path"] == row.path.as_str() && raised["op"] == row.op);
            prop_assert!(is_raised, "{} of {:?}", row.path, raised);
        }
        // No change means no event, and no event is raised twice.
        prop_assert_eq!(found.events.is_empty(), found.changes.is_empty());
        let mut ids: Vec<&str> = found.events.iter().map(|event| event.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        prop_assert_eq!(ids.len(), found.events.len());
    }
}
