//! The sandbox's entities, as clients of the later versions read them.

use lustra_tests::{Answer, World};
use serde_json::{Value, json};

use crate::support::{keys, reading};

const ENTITIES: &str = "/v1/sandbox/nbs/entities";
const AGENTS: &str = "/v1/sandbox/company/ico/99800055/nbs-agents";

/// Asks with the sandbox's key.
async fn ask(world: &World, path: &str) -> Answer {
    let answer = world
        .get_with(path, &[("x-api-key", "lst_test_sandbox")])
        .await;
    assert_eq!(answer.header("x-credits-charged"), None);
    answer
}

fn nullable(kind: &str) -> Value {
    json!({"type": [kind, "null"]})
}

/// The shape of a summary, of licences and of the whole item by the clients' declarations.
fn shapes() -> (Value, Value, Value) {
    let text = || json!({"type": "string"});
    let date = json!({"type": ["string", "null"], "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"});
    let summary = json!({
        "type": "object",
        "required": ["entity_id", "ico", "name", "address", "country", "is_natural_person", "is_current",
            "categories", "person_id", "person_match"],
        "properties": {
            "entity_id": {"type": "string", "pattern": "^[0-9a-z]{26}$"}, "ico": nullable("string"),
            "name": text(), "address": nullable("string"), "country": nullable("string"),
            "is_natural_person": {"type": "boolean"}, "is_current": {"type": "boolean"},
            "categories": {"type": "array", "items": text()}, "person_id": nullable("string"),
            "person_match": {"enum": ["address", "name_postcode", null]},
        },
    });
    let parent = json!({
        "type": ["object", "null"], "required": ["entity_id", "ico", "name"],
        "properties": {"entity_id": nullable("string"), "ico": nullable("string"), "name": nullable("string")},
    });
    let licence = json!({
        "type": "object",
        "required": ["category", "sector", "country", "regfap_number", "valid_from", "parent", "status",
            "first_seen_on", "ended_on"],
        "properties": {
            "category": text(), "sector": nullable("string"), "country": nullable("string"),
            "regfap_number": nullable("string"), "valid_from": date, "parent": parent,
            "status": {"enum": ["current", "ended"]}, "first_seen_on": {"type": "string"}, "ended_on": date,
        },
    });
    let whole = json!({"allOf": [summary, {
        "required": ["first_seen_on", "delisted_on", "nbs_updated_at", "licences", "agents_count"],
        "properties": {
            "first_seen_on": date, "delisted_on": date, "nbs_updated_at": nullable("string"),
            "licences": {"type": "array", "items": licence}, "agents_count": {"type": "integer"},
        },
    }]});
    (summary, licence, whole)
}

/// Every violation of the schema fails the test.
pub fn assert_fits(schema: &Value, value: &Value) {
    let schema = jsonschema::options().build(schema).expect("a schema");
    let wrong: Vec<String> = schema
        .iter_errors(value)
        .map(|wrong| wrong.to_string())
        .collect();
    assert_eq!(wrong, Vec::<String>::new(), "{value}");
}

#[test]
fn sandbox_entities_have_the_clients_shapes() {
    reading(async |world| {
        let (summary, licence, whole) = shapes();
        let listed = ask(world, &format!("{ENTITIES}?status=all")).await;
        assert_eq!(listed.status, 200, "{listed:?}");
        assert_fits(
            &json!({"type": "array", "minItems": 5, "items": summary}),
            listed.at("/data"),
        );
        assert_eq!(keys(listed.at("/meta")), ["has_more", "limit", "offset"]);
        for item in listed.at("/data").as_array().into_iter().flatten() {
            let id = item["entity_id"].as_str().expect("an id");
            let one = ask(world, &format!("{ENTITIES}/{id}")).await;
            assert_eq!(keys(&one.body), ["data"]);
            assert_fits(&whole, one.at("/data"));
        }
        let agents = ask(world, AGENTS).await;
        let agent = json!({"allOf": [summary, {"required": ["licences"], "properties": {
            "licences": {"type": "array", "minItems": 1, "items": licence},
        }}]});
        assert_fits(
            &json!({"type": "array", "minItems": 2, "items": agent}),
            agents.at("/data"),
        );
        assert_fits(&summary, agents.at("/meta/parent"));
        for agent in agents.at("/data").as_array().into_iter().flatten() {
            let mut licences = agent["licences"].as_array().into_iter().flatten();
            assert!(licences.all(|licence| licence["parent"]["ico"] == "99800055"));
        }
        let foreign = ask(world, &format!("{ENTITIES}?country=foreign")).await;
        assert_eq!(
            foreign.at("/data").as_array().map(Vec::len),
            Some(1),
            "{foreign:?}"
        );
        for wrong in [
            format!("{ENTITIES}?country=foreigner"),
            format!("{AGENTS}?category=banka"),
        ] {
            assert_eq!(ask(world, &wrong).await.status, 422, "{wrong}");
        }
        assert_eq!(ask(world, &format!("{ENTITIES}/unknown")).await.status, 404);
        assert_eq!(world.get_with(ENTITIES, &[]).await.status, 401);
    });
}
