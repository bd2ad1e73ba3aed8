//! Tests of the manifest's parser and of its checks.

use std::time::Duration;

use serde_json::json;

use super::*;
use crate::configured::Configured;

const LEAST: &str = r#"{"id":"x","version":"1.0.0","title":"X","register":"X","upstreams":{}}"#;

#[test]
fn minimal_manifest_is_accepted() {
    let manifest = Manifest::parse(LEAST).expect("it is of the form");
    assert_eq!(manifest.id.as_str(), "x");
    assert!(manifest.scopes.is_empty());
}

#[test]
fn errors_in_manifest_are_named() {
    let unknown = LEAST.replace("\"id\":\"x\"", "\"id\":\"X y\"");
    assert!(
        matches!(Manifest::parse(&unknown), Err(ManifestError::Schema { pointer, .. }) if pointer == "/id")
    );
    let more = LEAST.replace("{\"id\"", "{\"extra\":1,\"id\"");
    assert!(matches!(
        Manifest::parse(&more),
        Err(ManifestError::Schema { .. })
    ));
    assert!(matches!(Manifest::parse("{"), Err(ManifestError::Json(_))));
}

#[test]
fn event_rule_for_unknown_member_is_refused() {
    let with_rule = |when: &str| {
        let scope = json!([{
            "scope": "x", "key": "x", "title": "X",
            "schema": {
                "type": "object", "additionalProperties": false,
                "properties": {"list": {"type": "array", "items": {"$ref": "#/$defs/item"}}},
                "$defs": {"item": {"type": "object", "additionalProperties": false, "properties": {"name": {"type": "string"}}}},
            },
            "events": [{"kind": "x.updated", "group": "x", "when": when}],
        }]);
        let text = LEAST.replace(
            "\"upstreams\"",
            &format!("\"scopes\":{scope},\"upstreams\""),
        );
        Manifest::parse(&text)
    };
    for known in [
        "changed",
        "added:/list",
        "field:/list/0/name",
        "first-hit:/list",
    ] {
        assert!(with_rule(known).is_ok(), "{known}");
    }
    for unknown in ["added:/lists", "field:/list/0/age", "first-hit:/other"] {
        let refused = with_rule(unknown);
        assert!(
            matches!(refused, Err(ManifestError::Inconsistent(_))),
            "{unknown}"
        );
    }
}

#[test]
fn unknown_fact_includes_company_but_unknown_trade_does_not() {
    let applies = AppliesTo {
        nace_prefixes: None,
        facts: BTreeMap::from([("commercial_register".to_owned(), vec!["true".to_owned()])]),
    };
    let fact = |value: &str| BTreeMap::from([("commercial_register".to_owned(), value.to_owned())]);
    assert!(applies.includes(None, &BTreeMap::new()));
    assert!(applies.includes(None, &fact("true")));
    assert!(!applies.includes(None, &fact("false")));
    let trade = AppliesTo {
        nace_prefixes: Some(vec!["80".to_owned()]),
        facts: BTreeMap::new(),
    };
    assert!(trade.includes(Some("80100"), &BTreeMap::new()));
    assert!(!trade.includes(None, &BTreeMap::new()));
}

#[test]
fn details_scope_extends_the_details() {
    let manifest = |scope: &str, extends: bool, member: &str| {
        let manifest = json!({
            "id": "tests", "version": "0.1.0", "title": "Tests", "register": "Tests", "upstreams": {},
            "scopes": [{
                "scope": scope, "key": scope, "title": "People", "extends_details": extends,
                "schema": {
                    "type": "object", "additionalProperties": false,
                    "properties": {member: {"type": "array"}},
                },
            }],
        });
        Manifest::parse(&manifest.to_string())
    };
    assert!(manifest("orsr", true, "shareholders").is_ok());
    for (scope, extends, member, why) in [
        ("orsr", false, "shareholders", "no scope may be named orsr"),
        ("all", true, "shareholders", "no scope may be named all"),
        ("orsr", true, "legal_form", "base field legal_form"),
    ] {
        let refused = manifest(scope, extends, member).map(drop);
        let said = refused.map_err(|error| error.to_string());
        assert!(
            matches!(&said, Err(said) if said.contains(why)),
            "{scope}: {said:?}"
        );
    }
}

#[test]
fn members_of_an_answer_are_used_once() {
    let refused = |second: &str, schema: Value, details: &str| {
        let manifest = json!({
            "id": "tests", "version": "0.1.0", "title": "Tests", "register": "Tests", "upstreams": {},
            "company_source": {
                "provides": "details", "keys": ["ico"],
                "schema": {"type": "object", "properties": {details: {"type": "array"}}},
            },
            "scopes": [
                {"scope": "one", "key": "people", "title": "One", "schema": {"type": "object"}},
                {
                    "scope": "two", "key": second, "title": "Two",
                    "extends_details": second == "two", "schema": schema,
                },
            ],
        });
        let parsed = Manifest::parse(&manifest.to_string()).map(drop);
        parsed.map_or_else(|error| error.to_string(), |()| String::new())
    };
    let closed = |member: &str| {
        json!({
            "type": "object", "additionalProperties": false, "properties": {member: {"type": "array"}},
        })
    };
    let open = json!({"type": "object", "properties": {"founders": {"type": "array"}}});
    assert_eq!(refused("two", closed("founders"), "founders"), "");
    assert_eq!(refused("others", open.clone(), "founders"), "");
    for (second, schema, details, why) in [
        ("two", open, "founders", "must refuse other members"),
        (
            "two",
            closed("people"),
            "founders",
            "the key people is used twice",
        ),
        (
            "people",
            closed("founders"),
            "founders",
            "the key people is used twice",
        ),
        (
            "others",
            closed("founders"),
            "others",
            "the key others is used twice",
        ),
    ] {
        let said = refused(second, schema, details);
        assert!(said.contains(why), "{why}: {said}");
    }
}

#[test]
fn file_of_operator_needs_an_upstream_and_a_snapshot() {
    let parsed = |kind: &str, target: &str, upstream: &str| {
        let manifest = json!({
            "id": "tests", "version": "0.1.0", "title": "Tests", "register": "Tests",
            "upstreams": {"list": {"address": null, "about": "The operator's list."}},
            "datasets": [{
                "id": "own", "title": "Own", "kind": kind, "target": target, "operator_file": upstream,
            }],
        });
        Manifest::parse(&manifest.to_string())
    };
    let manifest = parsed("snapshot", "records", "list").expect("it is of the form");
    assert_eq!(manifest.datasets[0].operator_file.as_deref(), Some("list"));
    for (kind, target, upstream) in [
        ("snapshot", "records", "other"),
        ("delta", "records", "list"),
        ("snapshot", "companies", "list"),
    ] {
        let refused = parsed(kind, target, upstream);
        assert!(
            matches!(refused, Err(ManifestError::Inconsistent(_))),
            "{kind} {target} {upstream}"
        );
    }
}

#[test]
fn pauses_of_settings_replace_the_defaults() {
    let upstreams = r#""upstreams":{"list":{"about":"The list."}}"#;
    let text = LEAST.replace("\"upstreams\":{}", upstreams);
    let cases: [(&str, &[u64]); 3] = [
        ("", &[200, 800]),
        ("upstreams.list.retry_pauses_ms = [5]", &[5]),
        ("upstreams.list.retry_pauses_ms = []", &[]),
    ];
    for (settings, expected) in cases {
        let manifest = Manifest::parse(&text).expect("it is of the form");
        let settings = toml::from_str(settings).expect("settings of a connector");
        let configured = Configured::of(manifest, &settings).expect("they fit the manifest");
        let expected: Vec<_> = expected
            .iter()
            .map(|pause| Duration::from_millis(*pause))
            .collect();
        assert_eq!(*configured.upstreams["list"].retry_pauses, expected);
    }
}

#[test]
fn schema_that_refers_to_itself_is_refused() {
    let with_schema = |schema: &Value| {
        let scope = json!([{
            "scope": "x", "key": "x", "title": "X", "schema": schema,
            "events": [{"kind": "x.updated", "group": "x", "when": "field:/a"}],
        }]);
        let scopes = format!("\"scopes\":{scope},\"upstreams\"");
        Manifest::parse(&LEAST.replace("\"upstreams\"", &scopes))
    };
    let around = json!({
        "properties": {"a": {"$ref": "#/$defs/b"}},
        "$defs": {"b": {"$ref": "#/$defs/c"}, "c": {"$ref": "#/$defs/b"}},
    });
    for schema in [json!({"$ref": "#"}), around] {
        let refused = with_schema(&schema).expect_err("it is refused");
        assert!(
            refused.to_string().contains("refers to itself"),
            "{refused}"
        );
    }
}

#[test]
fn deepest_schema_needs_little_stack() {
    let nested = |keyword: &str| {
        let schema = (0..120).fold(json!({}), |inner, _| json!({ keyword: inner }));
        let settings = format!("\"settings\":{schema},\"upstreams\"");
        LEAST.replace("\"upstreams\"", &settings)
    };
    let texts = ["not", "items", "additionalProperties"].map(nested);
    let parsing = std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(move || texts.iter().all(|text| Manifest::parse(text).is_ok()));
    let parsed = parsing.expect("a thread").join().expect("it has stack");
    assert!(parsed);
}
