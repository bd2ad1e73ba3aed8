//! Tests of the checks of collections.

use serde_json::{Value, json};

use crate::manifest::{Manifest, ManifestError};

fn manifest() -> Value {
    json!({
        "id": "tests", "version": "0.1.0", "title": "Tests", "register": "Tests", "upstreams": {},
        "datasets": [
            {"id": "subjects", "title": "Subjects", "kind": "snapshot"},
            {"id": "changes", "title": "Changes", "kind": "delta"},
            {"id": "companies", "title": "Companies", "kind": "snapshot", "target": "companies"},
        ],
        "collections": [{
            "collection": "subjects", "title": "Subjects", "dataset": "subjects", "feature": "tests", "id": "id",
            "summary": ["id", "name"],
            "schema": {"type": "object", "properties": {
                "id": {"type": "string"}, "name": {"type": "string"}, "is_current": {"type": "boolean"},
                "ties": {"type": "array", "items": {"properties": {"ico": {"type": "string"}}}},
            }},
            "filters": [
                {"name": "q", "kind": "words", "members": ["name"]},
                {"name": "ico", "kind": "ico", "members": ["ties.ico"]},
                {"name": "status", "kind": "choice", "members": ["is_current"], "default": "all",
                 "choices": {"current": {"is": true}, "all": {}}},
            ],
            "of_company": [{
                "path": "subjects-of", "filter": "ico", "parameters": ["q"], "narrows": "ties", "by": "ico",
                "subject": "own",
            }],
        }],
    })
}

fn parse(manifest: &Value) -> Result<Manifest, ManifestError> {
    Manifest::parse(&manifest.to_string())
}

#[test]
fn collection_is_read_with_its_lists() {
    let manifest = parse(&manifest()).expect("it is valid");
    let collection = manifest.collection("subjects").expect("it is there");
    let list = |name: &str| {
        let filter = collection.filter(name).expect("it is there");
        collection.list_of(filter)
    };
    assert_eq!((list("q"), list("ico")), (None, Some("ties")));
    assert!(manifest.collection("others").is_none());
}

/// A change of the manifest: the place of an object, its member, the value, and why it is refused.
type Mistake = (&'static str, &'static str, Value, &'static str);

fn mistakes() -> Vec<Mistake> {
    let filter = "/collections/0/filters/0";
    let status = "/collections/0/filters/2";
    let of = "/collections/0/of_company/0";
    vec![
        (
            "",
            "id",
            json!("search"),
            "/v1/search is an address of the host",
        ),
        (
            "/collections/0",
            "dataset",
            json!("none"),
            "the manifest has no dataset none",
        ),
        (
            "/collections/0",
            "dataset",
            json!("changes"),
            "must be a snapshot",
        ),
        (
            "/collections/0",
            "dataset",
            json!("companies"),
            "target records",
        ),
        (
            "/collections/0",
            "sources",
            json!(["none"]),
            "no dataset none",
        ),
        (
            "/collections/0",
            "summary",
            json!(["name"]),
            "add the id id to the summary",
        ),
        (
            "/collections/0",
            "summary",
            json!(["id", "age"]),
            "describes no member age",
        ),
        (
            filter,
            "members",
            json!(["name.first"]),
            "describes no member name.first",
        ),
        (
            filter,
            "name",
            json!("limit"),
            "the filter limit: the name is taken",
        ),
        (
            filter,
            "name",
            json!("ico"),
            "the filter ico: the name is taken",
        ),
        (
            filter,
            "choices",
            json!({"all": {}}),
            "only codes and choices have choices",
        ),
        (status, "choices", json!({}), "it has no choices"),
        (
            status,
            "default",
            json!("ended"),
            "its default ended is not one of the choices",
        ),
        (
            status,
            "choices",
            json!({"all": {"is": 1, "not": 2}}),
            "has both is and not",
        ),
        (
            of,
            "filter",
            json!("q"),
            "q is not a filter of the kind ico",
        ),
        (
            of,
            "parameters",
            json!(["ico"]),
            "the parameter ico is not another filter",
        ),
        (of, "narrows", json!("name"), "describes no list name"),
        (of, "by", json!("id"), "describes no member ties.id"),
        (of, "subject", json!("limit"), "a member of every meta"),
    ]
}

#[test]
fn inconsistent_collections_are_refused_with_reason() {
    for (place, member, value, why) in mistakes() {
        let mut manifest = manifest();
        manifest.pointer_mut(place).expect("it is there")[member] = value;
        let refused = parse(&manifest)
            .map(drop)
            .map_err(|error| error.to_string());
        assert!(
            matches!(&refused, Err(said) if said.contains(why)),
            "{why}: {refused:?}"
        );
    }
    let mut twice = manifest();
    let first = twice["collections"][0].clone();
    twice["collections"] = json!([first, first]);
    let refused = parse(&twice).map(drop).map_err(|error| error.to_string());
    assert!(
        matches!(&refused, Err(said) if said.contains("is named twice")),
        "{refused:?}"
    );
}

#[test]
fn collection_schema_that_branches_to_itself_is_refused() {
    let mut manifest = manifest();
    manifest["collections"][0]["schema"] = json!({
        "allOf": [{"$ref": "#"}, {"$ref": "#"}], "properties": {"id": {"type": "string"}, "name": {"type": "string"}},
    });
    let refused = parse(&manifest).expect_err("it is refused");
    assert!(
        refused.to_string().contains("refers to itself"),
        "{refused}"
    );
}

#[test]
fn names_that_take_too_many_steps_are_refused() {
    let mut manifest = manifest();
    let alternatives: Vec<Value> = (0..5_000).map(|_| json!({})).collect();
    manifest["collections"][0]["schema"]["anyOf"] = alternatives.into();
    let mut summary = vec![json!("id"), json!("name")];
    for number in 0..1_000 {
        let name = format!("member_{number}");
        manifest["collections"][0]["schema"]["properties"][&name] = json!({});
        summary.push(name.into());
    }
    manifest["collections"][0]["summary"] = summary.into();
    let refused = parse(&manifest).expect_err("it is refused");
    assert!(
        refused.to_string().contains("more than 1000000 steps"),
        "{refused}"
    );
}
