//! Constraints that handlers check beyond the types of parameters and bodies.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::api::search::MOST_OFFSET;

/// Bounds of parameters: path, parameter, and the addition to its schema.
pub(super) fn parameter_bounds() -> Vec<(&'static str, &'static str, Value)> {
    let limit =
        |most: u64, default: u64| json!({"minimum": 1, "maximum": most, "default": default});
    let offset = || json!({"minimum": 0, "maximum": MOST_OFFSET, "default": 0});
    let text = |least: u64| json!({"minLength": least});
    let date = || json!({"format": "date"});
    let words = |words: &[&str]| json!({"enum": words});
    let key = || json!({"minLength": 1, "maxLength": 255, "pattern": "^[!-~]([ -~]*[!-~])?$"});
    let mut bounds = vec![
        (
            "/v1/account/history",
            "days",
            json!({"minimum": 1, "maximum": 365, "default": 30}),
        ),
        ("/v1/search/name", "q", text(3)),
        (
            "/v1/search/name",
            "exact",
            json!({"minimum": 0, "maximum": 1, "default": 0}),
        ),
        ("/v1/search/ico", "q", json!({"pattern": "^[0-9]{1,8}$"})),
        ("/v1/search/advanced", "name", text(2)),
        ("/v1/search/advanced", "city", text(1)),
        ("/v1/search/advanced", "legal_form", text(1)),
        (
            "/v1/search/advanced",
            "status",
            words(&["active", "terminated", "deleted"]),
        ),
        (
            "/v1/search/advanced",
            "nace_code",
            json!({"pattern": r"^\.*([0-9]\.*){1,6}$"}),
        ),
        ("/v1/search/advanced", "established_from", date()),
        ("/v1/search/advanced", "established_to", date()),
        (
            "/v1/notifications",
            "status",
            words(&["active", "historical"]),
        ),
        (
            "/v1/notifications/{subscription_id}/deliveries",
            "status",
            words(&["waiting", "delivered", "failed", "cancelled", "held"]),
        ),
        (
            "/v1/notifications/events",
            "after",
            json!({"pattern": "^(latest|[0-9]{1,18})?$"}),
        ),
        (
            "/v1/notifications/stream",
            "after",
            json!({"pattern": "^(latest|[0-9]{1,18})?$"}),
        ),
        ("/v1/notifications/events", "limit", limit(1_000, 100)),
        (
            "/v1/notifications/events",
            "wait",
            json!({"minimum": 0, "maximum": 25, "default": 0}),
        ),
        ("/v1/company/{id}", "id", json!({"minimum": 1})),
        (
            "/v1/company/id/{orsr_id}",
            "orsr_id",
            json!({"pattern": "^[0-9]{1,12}(/[0-9]{0,6})?$"}),
        ),
    ];
    for path in ["/v1/search/autocomplete", "/v1/sandbox/search/autocomplete"] {
        bounds.push((path, "q", text(2)));
        bounds.push((path, "limit", limit(20, 10)));
        bounds.push((
            path,
            "page",
            json!({"minimum": 1, "maximum": u32::MAX, "default": 1}),
        ));
        bounds.push((path, "_type", words(&["query", "query:append"])));
    }
    for path in ["/v1/batch/ico", "/v1/batch/names", "/v1/notifications"] {
        bounds.push((path, "Idempotency-Key", key()));
    }
    for path in ["/v1/search/name", "/v1/search/ico", "/v1/search/advanced"] {
        bounds.push((path, "limit", limit(100, 10)));
        bounds.push((path, "offset", offset()));
    }
    for path in [
        "/v1/notifications",
        "/v1/notifications/history/{ico}",
        "/v1/notifications/{subscription_id}/deliveries",
    ] {
        bounds.push((path, "limit", limit(100, 50)));
        bounds.push((
            path,
            "offset",
            json!({"minimum": 0, "maximum": u32::MAX, "default": 0}),
        ));
    }
    bounds
}

/// Operations whose body is optional.
pub(super) const OPTIONAL_BODIES: [&str; 2] = [
    "/v1/notifications/{subscription_id}/resend",
    "/v1/notifications/{subscription_id}/secret",
];

/// Request bodies. They reject unknown fields.
const BODIES: [&str; 8] = [
    "IcoBatch",
    "LanguageBody",
    "NameBatch",
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
    let payload = "/components/schemas/EventOfLog/properties/payload";
    if let Some(payload) = document.pointer_mut(payload) {
        *payload = json!({"$ref": "#/components/schemas/WebhookEvent"});
    }
}
