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
            "description": "Sent to the webhook of each subscription that selects the kind. Sent again, with the same bytes and the same delivery id, until it is answered with a 2xx.",
            "parameters": parameters(),
            "requestBody": {"required": true, "content": {"application/json": {"schema": body}}},
            "responses": {
                "2XX": {"description": "The event arrived."},
                "410": {"description": "The webhook is not wanted any more: it gets no further events."},
                "default": {"description": "The event is sent again later."},
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
            "Hexadecimal HMAC-SHA256 of the body's bytes, with the subscription's secret as it was shown."
        ),
        header("X-Webhook-Event", "The kind of the event."),
        header(
            "X-Webhook-Delivery-Id",
            "The delivery's id, the same for every attempt."
        ),
        header(
            "webhook-id",
            "The event's id, as Standard Webhooks name it."
        ),
        header(
            "webhook-timestamp",
            "Seconds since 1970 when this attempt was made."
        ),
        header(
            "webhook-signature",
            "The signatures of Standard Webhooks: `v1,` and base64, one for each valid secret."
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
            "id": text("The event's id: the same for every receiver and in the event log."),
            "event": {"type": "string", "enum": kinds, "description": "The kind of the event."},
            "timestamp": time("When the event was published."),
            "test": {"type": "boolean", "description": "True in an example that was asked for; absent otherwise."},
            "data": {
                "type": "object",
                "required": ["ico", "change_type", "field", "old_value", "new_value", "detected_at", "changes", "company", "tax_info"],
                "properties": {
                    "ico": {"type": "string", "pattern": "^[0-9]{8}$", "description": "The company's registration number."},
                    "group": text("The group of the kind, such as `company` or `risk`."),
                    "change_type": text("`updated` where nothing else is said."),
                    "field": text("The name of the changed field."),
                    "old_value": text("What was there, for people; empty where there was nothing."),
                    "new_value": text("What is there now, for people; empty where there is nothing."),
                    "detected_at": time("When the change was found."),
                    "source": text("The connector that read it."),
                    "scope": maybe("The scope of the section that changed; null for base data and details."),
                    "changes": {"type": "array", "description": "The exact differences.", "items": {
                        "type": "object",
                        "required": ["path", "op"],
                        "properties": {
                            "path": text("JSON pointer to what changed."),
                            "op": {"type": "string", "enum": ["add", "remove", "replace"]},
                            "old": {"description": "The value before; null where there was none."},
                            "new": {"description": "The value now; null where there is none."},
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
                        "is_vat_payer": {"type": ["boolean", "null"], "description": "Whether it pays VAT; null where that is not known."},
                    }},
                },
            },
        },
    })
}
