//! The shapes of the national bank's subjects, by the declarations of the clients of later versions.

use serde_json::{Value, json};

fn nullable(kind: &str) -> Value {
    json!({"type": [kind, "null"]})
}

fn date() -> Value {
    json!({"type": ["string", "null"], "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"})
}

/// A subject in a listing. Whether it is a person is null where the list does not tell.
pub fn summary() -> Value {
    json!({
        "type": "object",
        "required": ["entity_id", "ico", "name", "address", "country", "is_natural_person", "is_current",
            "categories", "person_id", "person_match"],
        "properties": {
            "entity_id": {"type": "string", "pattern": "^[0-9a-z]{26}$"}, "ico": nullable("string"),
            "name": {"type": "string"}, "address": nullable("string"), "country": nullable("string"),
            "is_natural_person": nullable("boolean"), "is_current": {"type": "boolean"},
            "categories": {"type": "array", "items": {"type": "string"}}, "person_id": nullable("string"),
            "person_match": {"enum": ["address", "name_postcode", null]},
        },
    })
}

/// A licence of a subject.
pub fn licence() -> Value {
    let parent = json!({
        "type": ["object", "null"], "required": ["entity_id", "ico", "name"],
        "properties": {"entity_id": nullable("string"), "ico": nullable("string"), "name": nullable("string")},
    });
    json!({
        "type": "object",
        "required": ["category", "sector", "country", "regfap_number", "valid_from", "parent", "status",
            "first_seen_on", "ended_on"],
        "properties": {
            "category": {"type": "string"}, "sector": nullable("string"), "country": nullable("string"),
            "regfap_number": nullable("string"), "valid_from": date(), "parent": parent,
            "status": {"enum": ["current", "ended"]}, "first_seen_on": {"type": "string"}, "ended_on": date(),
        },
    })
}

/// A whole subject. The number of agents is null where their list was not read.
pub fn whole() -> Value {
    json!({"allOf": [summary(), {
        "required": ["first_seen_on", "delisted_on", "nbs_updated_at", "licences", "agents_count"],
        "properties": {
            "first_seen_on": date(), "delisted_on": date(), "nbs_updated_at": nullable("string"),
            "licences": {"type": "array", "items": licence()}, "agents_count": nullable("integer"),
        },
    }]})
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
