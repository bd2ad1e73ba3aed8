//! Constraints of request bodies that handlers check beyond their types.

use std::collections::BTreeSet;

use serde_json::{Value, json};

/// Operations whose body is optional.
pub(super) const OPTIONAL_BODIES: [&str; 4] = [
    "/v1/account/keys/{key_id}/rotate",
    "/v1/notifications/deliveries/resend",
    "/v1/notifications/{subscription_id}/resend",
    "/v1/notifications/{subscription_id}/secret",
];

/// Request bodies. They reject unknown fields.
const BODIES: [&str; 14] = [
    "CreditsPlanBody",
    "IcoBatch",
    "KeyChangeBody",
    "KeyRotationBody",
    "LanguageBody",
    "MemberChangeBody",
    "NameBatch",
    "NewKeyBody",
    "NewMemberBody",
    "ResendBody",
    "RotationBody",
    "SubscriptionBody",
    "TestBody",
    "ThresholdBody",
];

/// Constraints of bodies: place in the schemas, and the addition. `kinds` are the event kinds.
fn body_bounds(kinds: &BTreeSet<String>) -> Vec<(&'static str, Value)> {
    let ico = || json!({"pattern": "^[0-9]{8}$"});
    let time = || json!({"format": "date-time"});
    let email = || json!({"format": "email"});
    let name = || json!({"minLength": 1, "maxLength": 100});
    let limit = |most: u32| json!({"minItems": 1, "maxItems": most});
    let date = || json!({"format": "date"});
    let text = |name: &str| json!({"required": [name], "properties": {name: {"type": "string"}}});
    let selectable: Vec<&str> = std::iter::once("updated")
        .chain(kinds.iter().map(String::as_str))
        .collect();
    vec![
        ("IcoBatch/properties/icos/items", ico()),
        ("IcoBatch/properties/icos", json!({"minItems": 1})),
        ("NameBatch/properties/names", json!({"minItems": 1})),
        (
            "NameBatch/properties/names/items",
            json!({"minLength": 1, "maxLength": 500}),
        ),
        ("SubscriptionBody/properties/ico", ico()),
        (
            "SubscriptionBody/properties/events/items",
            json!({"enum": selectable}),
        ),
        (
            "SubscriptionBody/properties/notification_emails",
            json!({"maxItems": 20}),
        ),
        (
            "SubscriptionBody/properties/notification_emails/items",
            email(),
        ),
        (
            "SubscriptionBody",
            json!({"anyOf": [text("webhook_url"), text("url"), {
                "required": ["notification_emails"],
                "properties": {"notification_emails": {"type": "array", "minItems": 1}},
            }]}),
        ),
        (
            "KeyRotationBody/properties/overlap_hours",
            json!({"maximum": 168}),
        ),
        ("NewKeyBody/properties/name", name()),
        ("NewKeyBody/properties/scopes", limit(100)),
        ("NewKeyBody/properties/addresses", limit(20)),
        ("NewKeyBody/properties/last_day", date()),
        ("KeyChangeBody/properties/name", name()),
        ("KeyChangeBody/properties/scopes", limit(100)),
        ("KeyChangeBody/properties/addresses", limit(20)),
        ("KeyChangeBody/properties/last_day", date()),
        ("NewMemberBody/properties/email", email()),
        ("NewMemberBody/properties/name", name()),
        ("MemberChangeBody/properties/name", name()),
        (
            "RotationBody/properties/grace_hours",
            json!({"maximum": 720}),
        ),
        // A time range requires its beginning.
        (
            "ResendBody",
            json!({"anyOf": [{"properties": {"to": {"type": "null"}}}, text("from")]}),
        ),
        ("ResendBody/properties/from", time()),
        ("ResendBody/properties/to", time()),
        ("TestBody/properties/email", email()),
        (
            "TestBody",
            json!({"oneOf": [text("email"), {"anyOf": [text("webhook_url"), text("url")]}]}),
        ),
        // Thresholds require at least one address.
        (
            "ThresholdBody",
            json!({"anyOf": [
                {"properties": {"thresholds": {"maxItems": 0}}},
                {"properties": {"emails": {"minItems": 1}}},
            ]}),
        ),
        (
            "ThresholdBody/properties/thresholds",
            json!({"maxItems": 10}),
        ),
        (
            "ThresholdBody/properties/thresholds/items",
            json!({"minimum": 1, "maximum": 100}),
        ),
        ("ThresholdBody/properties/emails", json!({"maxItems": 10})),
        ("ThresholdBody/properties/emails/items", email()),
    ]
}

/// Adds the body constraints to the schemas. `kinds` are the event kinds.
pub(super) fn bound_bodies(document: &mut Value, kinds: &BTreeSet<String>) {
    let closed = BODIES.map(|body| (body, json!({"additionalProperties": false})));
    for (place, added) in body_bounds(kinds).into_iter().chain(closed) {
        let schema = document.pointer_mut(&format!("/components/schemas/{place}"));
        if let (Some(Value::Object(schema)), Value::Object(added)) = (schema, added) {
            schema.extend(added);
        }
    }
}
