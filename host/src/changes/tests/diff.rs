//! Examples of values that differ and values that do not.

use super::*;
use crate::changes::diff;

fn changes(old: &Value, new: &Value, schema: &Value) -> Value {
    listed(&diff(old, new, &Shape::of_schema(schema)))
}

/// A schema whose list of people is identified by number.
fn people() -> Value {
    json!({ "properties": { "people": {
        "x-lustra-identity": ["number"],
        "items": { "properties": { "read_at": { "x-lustra-volatile": true } } },
    } } })
}

#[test]
fn equivalent_notations_are_no_change() {
    for (one, other) in [
        (json!({"a": "Kováč"}), json!({"a": "Kova\u{301}c\u{30c}"})),
        (json!({"a": "x"}), json!({"a": " x\u{a0}\n"})),
        (json!({"a": 5}), json!({"a": 5.0})),
        (json!({"a": 0}), json!({"a": -0.0})),
        (json!({}), json!({"a": null})),
        (json!({}), json!({"a": ""})),
        (json!({}), json!({"a": "  "})),
        (json!({}), json!({"a": []})),
        (json!({}), json!({"a": {}})),
        (json!({}), json!({"a": {"b": [{"c": [null, ""]}]}})),
        (json!({"a": ["x"]}), json!({"a": [null, "x", "", {}]})),
        (json!({"a": [1, 2, 3]}), json!({"a": [3, 1, 2]})),
        (json!({"a": 1, "b": 2}), json!({"b": 2, "a": 1})),
        (json!({"a": [[1, 2], [3]]}), json!({"a": [[3], [2, 1]]})),
        (Value::Null, json!({})),
    ] {
        assert_eq!(
            changes(&one, &other, &json!({})),
            json!([]),
            "{one} {other}"
        );
        assert_eq!(
            changes(&other, &one, &json!({})),
            json!([]),
            "{other} {one}"
        );
    }
}

#[test]
fn amount_stored_as_text_is_the_same_number() {
    let schema = json!({ "properties": {
        "latest": { "anyOf": [{ "type": "null" }, { "properties": { "assets": { "type": ["number", "null"] } } }] },
        "code": { "type": ["string", "null"] },
    } });
    for (old, new) in [
        ("60", json!(60)),
        ("-5.50", json!(-5.5)),
        ("0.00", json!(0.0)),
    ] {
        let (old, new) = (
            json!({"latest": {"assets": old}}),
            json!({"latest": {"assets": new}}),
        );
        assert_eq!(changes(&old, &new, &schema), json!([]), "{old} {new}");
    }
    let old = json!({"latest": {"assets": "60"}, "code": "60"});
    let new = json!({"latest": {"assets": 61}, "code": 60});
    assert_eq!(
        changes(&old, &new, &schema),
        json!([
            ["/code", "replace", "60", 60],
            ["/latest/assets", "replace", 60, 61],
        ])
    );
}

#[test]
fn different_meaning_is_a_change() {
    for (one, other) in [
        (json!({"a": 5}), json!({"a": "5"})),
        (json!({"a": 5}), json!({"a": 5.5})),
        (json!({"a": false}), json!({})),
        (json!({"a": 0}), json!({})),
        (json!({"a": "x y"}), json!({"a": "x  y"})),
        (json!({"a": "x"}), json!({"a": "X"})),
        (json!({"a": [1, 1]}), json!({"a": [1]})),
        (json!({"a": [1]}), json!({"a": 1})),
        (json!({"a": [[1], [2]]}), json!({"a": [[1, 2]]})),
        (
            json!({"a": 9_007_199_254_740_993_i64}),
            json!({"a": 9_007_199_254_740_992_i64}),
        ),
    ] {
        assert_ne!(
            changes(&one, &other, &json!({})),
            json!([]),
            "{one} {other}"
        );
        assert_ne!(
            changes(&other, &one, &json!({})),
            json!([]),
            "{other} {one}"
        );
    }
}

#[test]
fn item_inserted_at_the_top_is_one_change() {
    let (jana, peter, eva) = (
        json!({"name": "Jana", "role": "konateľ"}),
        json!({"name": "Peter", "role": "konateľ"}),
        json!({"name": "Eva", "role": "prokurista"}),
    );
    let old = json!({"body": [jana, peter]});
    let new = json!({"body": [eva, peter, jana]});
    assert_eq!(
        changes(&old, &new, &json!({})),
        json!([["/body/0", "add", null, eva]])
    );
    assert_eq!(
        changes(&new, &old, &json!({})),
        json!([["/body/0", "remove", eva, null]])
    );
}

#[test]
fn identified_item_changes_in_place() {
    let old = json!({"people": [
        {"number": 1, "name": "Jana", "address": {"city": "Nitra", "street": "Nová 1"}},
        {"number": 2, "name": "Peter"},
    ]});
    let new = json!({"people": [
        {"number": 3, "name": "Eva"},
        {"number": 2, "name": "Peter", "note": "new"},
        {"number": 1.0, "name": "Jana", "address": {"city": "Trnava"}},
    ]});
    // The street's old path is that of its owner in the old document.
    assert_eq!(
        changes(&old, &new, &people()),
        json!([
            ["/people/2/address/city", "replace", "Nitra", "Trnava"],
            ["/people/0/address/street", "remove", "Nová 1", null],
            ["/people/1/note", "add", null, "new"],
            ["/people/0", "add", null, {"name": "Eva", "number": 3}],
        ])
    );
}

#[test]
fn items_without_unique_identity_compare_by_content() {
    let old = json!({"people": [{"number": 1, "name": "A"}, {"number": 1, "name": "B"}, "text"]});
    let new = json!({"people": ["text", {"number": 1, "name": "B"}, {"number": 1, "name": "C"}]});
    assert_eq!(
        changes(&old, &new, &people()),
        json!([["/people/2/name", "replace", "A", "C"]])
    );
    let fewer = json!({"people": [{"number": 1, "name": "B"}]});
    assert_eq!(
        changes(&old, &fewer, &people()),
        json!([
            ["/people/0", "remove", {"name": "A", "number": 1}, null],
            ["/people/2", "remove", "text", null],
        ])
    );
}

#[test]
fn pointers_are_escaped() {
    let old = json!({"a/b": {"m~n": 1, "~1": 1, "": 1}});
    let new = json!({"a/b": {"m~n": 2, "~1": 2, "": 2}});
    let changes = diff(&old, &new, &Shape::default());
    let mut paths: Vec<&str> = changes.iter().map(|change| change.path.as_str()).collect();
    paths.sort_unstable();
    assert_eq!(paths, ["/a~1b/", "/a~1b/m~0n", "/a~1b/~01"]);
    for path in paths {
        assert_eq!(new.pointer(path), Some(&json!(2)), "{path}");
    }
}

#[test]
fn volatile_member_does_not_change_an_item() {
    let old = json!({"people": [{"number": 1, "read_at": "yesterday"}, {"number": 2}]});
    let new =
        json!({"people": [{"number": 2, "read_at": "today"}, {"number": 1, "read_at": {"x": 1}}]});
    assert_eq!(changes(&old, &new, &people()), json!([]));
    // An item that contains only a volatile member counts as empty.
    let only = json!({"people": [{"read_at": "today"}]});
    assert_eq!(changes(&json!({}), &only, &people()), json!([]));
}

#[test]
fn marks_are_found_behind_references_and_choices() {
    let schema = json!({
        "$defs": {
            "entry": { "properties": { "as_of": { "x-lustra-volatile": true }, "of": { "$ref": "#/$defs/entry" } } },
            "entries": { "x-lustra-identity": ["id"], "items": { "$ref": "#/$defs/entry" } },
        },
        "anyOf": [
            { "properties": { "entries": { "allOf": [{ "$ref": "#/$defs/entries" }] } } },
            { "type": "null" },
        ],
    });
    let old = json!({"entries": [{"id": 1, "as_of": "a", "x": 1, "of": {"as_of": "a"}}]});
    let new = json!({"entries": [{"id": 1, "as_of": "b", "x": 2, "of": {"as_of": "b"}}]});
    assert_eq!(
        changes(&old, &new, &schema),
        json!([["/entries/0/x", "replace", 1, 2]])
    );
}
