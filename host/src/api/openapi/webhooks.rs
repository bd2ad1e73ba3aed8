//! The `webhooks` section of the document: one entry per event kind.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::changes::{KINDS, UPDATED};
use crate::connectors::catalogue::{Catalogue, EntryState};

/// The event kinds that the host and the serving connectors can raise.
pub(super) fn kinds(catalogue: &Catalogue) -> BTreeSet<String> {
    let mut kinds: BTreeSet<String> = KINDS.iter().map(|kind| (*kind).to_owned()).collect();
    kinds.insert(UPDATED.to_owned());
    for entry in catalogue.entries.values() {
        let EntryState::Serving(loaded) = &entry.state else {
            continue;
        };
        let manifest = &loaded.manifest;
        let of_source = manifest
            .company_source
            .iter()
            .flat_map(|source| &source.events);
        let of_scopes = manifest.scopes.iter().flat_map(|scope| &scope.events);
        kinds.extend(of_source.chain(of_scopes).map(|rule| rule.kind.clone()));
    }
    kinds
}

/// One webhook per kind, all with the same body.
pub(super) fn webhooks(kinds: &BTreeSet<String>) -> Value {
    let of_kind = |kind: &String| {
        let body = json!({
            "allOf": [
                {"$ref": "#/components/schemas/WebhookEvent"},
                {"properties": {"event": {"const": kind}}},
            ],
        });
        let operation = json!({"post": {
            "tags": ["Notifications"],
            "summary": format!("The event {kind}"),
            "description": "Sent to the webhook of each subscription that selects the kind. A failed attempt is repeated with the same bytes and delivery id, by default at most seven times.",
            "parameters": parameters(),
            "requestBody": {"required": true, "content": {"application/json": {"schema": body}}},
            "responses": {
                "2XX": {"description": "The receiver accepted the event."},
                "410": {"description": "The receiver ends the webhook: no further events are sent."},
                "default": {"description": "The event is retried later."},
            },
        }});
        (kind.clone(), operation)
    };
    Value::Object(kinds.iter().map(of_kind).collect::<Map<_, _>>())
}

fn parameters() -> Value {
    let header = |name: &str, description: &str| json!({"name": name, "in": "header", "required": true, "description": description, "schema": {"type": "string"}});
    json!([
        header(
            "X-Webhook-Signature",
            "Hexadecimal HMAC-SHA256 of the body, keyed with the subscription's secret exactly as it was shown."
        ),
        header("X-Webhook-Event", "Event kind."),
        header(
            "X-Webhook-Delivery-Id",
            "Delivery id, the same for every attempt."
        ),
        header("webhook-id", "Event id (Standard Webhooks)."),
        header(
            "webhook-timestamp",
            "Time of this attempt in seconds since 1970 (Standard Webhooks)."
        ),
        header(
            "webhook-signature",
            "Signatures of Standard Webhooks: `v1,` and base64, one per valid secret."
        ),
    ])
}

/// Adds the kinds to the schema of the event.
pub(super) fn list_kinds(document: &mut Value, kinds: &BTreeSet<String>) {
    let event = "/components/schemas/WebhookEvent/properties/event";
    if let Some(event) = document.pointer_mut(event) {
        event["enum"] = json!(kinds);
    }
}
