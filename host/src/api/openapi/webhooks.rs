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
            "description": "Sent to the webhook of each subscription that selects the kind. It is retried with the same bytes and delivery id until the receiver responds with a 2xx.",
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

pub(super) fn event_schema(kinds: &BTreeSet<String>) -> Value {
    let text = |description: &str| json!({"type": "string", "description": description});
    let maybe = |description: &str| json!({"type": ["string", "null"], "description": description});
    let time = |description: &str| json!({"type": "string", "format": "date-time", "description": description});
    json!({
        "type": "object",
        "description": "A change of a watched company.",
        "required": ["id", "event", "timestamp", "data"],
        "properties": {
            "id": text("Event id, the same for every receiver and in the event log."),
            "event": {"type": "string", "enum": kinds, "description": "Event kind."},
            "timestamp": time("When the event was published."),
            "test": {"type": "boolean", "description": "True in examples sent by a test; otherwise absent."},
            "data": {
                "type": "object",
                "required": ["ico", "change_type", "field", "old_value", "new_value", "detected_at", "changes", "company", "tax_info"],
                "properties": {
                    "ico": {"type": "string", "pattern": "^[0-9]{8}$", "description": "Registration number (IČO) of the company."},
                    "group": text("The group of the kind, such as `company` or `risk`."),
                    "change_type": text("Type of the change; `updated` by default."),
                    "field": text("Name of the changed field."),
                    "old_value": text("Former value as text for people; empty if there was none."),
                    "new_value": text("Current value as text for people; empty if there is none."),
                    "detected_at": time("When the change was detected."),
                    "source": text("Connector that read it."),
                    "scope": maybe("Scope of the changed section; null for base data and details."),
                    "changes": {"type": "array", "description": "The exact differences.", "items": {
                        "type": "object",
                        "required": ["path", "op"],
                        "properties": {
                            "path": text("JSON pointer to the changed value."),
                            "op": {"type": "string", "enum": ["add", "remove", "replace"]},
                            "old": {"description": "Former value; null if there was none."},
                            "new": {"description": "Current value; null if there is none."},
                        },
                    }},
                    "company": {"type": "object", "required": ["name", "legal_form", "city", "status"], "properties": {
                        "name": maybe("Business name."),
                        "legal_form": maybe("Legal form in words."),
                        "city": maybe("City of the seat."),
                        "status": maybe("`active`, `terminated` or `deleted`."),
                    }},
                    "tax_info": {"type": "object", "required": ["dic", "ic_dph", "is_vat_payer"], "properties": {
                        "dic": maybe("Tax number."),
                        "ic_dph": maybe("VAT number."),
                        "is_vat_payer": {"type": ["boolean", "null"], "description": "Whether the company pays VAT; null if unknown."},
                    }},
                },
            },
        },
    })
}
