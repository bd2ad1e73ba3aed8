//! The payload of an event. Built once, when the event is published; every attempt sends every receiver the
//! same bytes.

use serde_json::{Map, Value, json};
use time::OffsetDateTime;

use crate::changes::{LINES, PART};
use crate::clock::rfc3339;
use crate::store::{PendingEvent, StoredCompany, StoredSection};

/// The scope whose section is part of every payload.
pub const TAX: &str = "tax";

/// The payload of an event, with the company's data at that time.
#[must_use]
pub fn payload(
    event: &PendingEvent,
    company: Option<&StoredCompany>,
    tax: Option<&StoredSection>,
    now: OffsetDateTime,
) -> String {
    let base = company.map(|company| &company.base);
    let tax: Value = tax
        .and_then(|section| section.content.as_deref())
        .and_then(|content| serde_json::from_str(content).ok())
        .unwrap_or_default();
    let mut found: Map<String, Value> = serde_json::from_str(&event.content).unwrap_or_default();
    // Lines and parts are for e-mails only.
    found.remove(LINES);
    found.remove(PART);
    for side in ["old_value", "new_value"] {
        // Earlier versions stored null for an absent value.
        if let Some(value @ Value::Null) = found.get_mut(side) {
            *value = Value::String(String::new());
        }
    }
    let mut data = Map::from_iter([("ico".to_owned(), Value::from(event.ico.as_str()))]);
    data.extend(found);
    data.insert(
        "company".to_owned(),
        json!({
            "name": base.map(|base| &base.name),
            "legal_form": base.and_then(|base| base.legal_form.as_ref()),
            "city": base.and_then(|base| base.city.as_ref()),
            "status": base.map(|base| base.status),
        }),
    );
    data.insert(
        "tax_info".to_owned(),
        json!({
            "dic": tax.get("dic"),
            "ic_dph": tax.get("ic_dph"),
            "is_vat_payer": tax.get("is_vat_payer"),
        }),
    );
    json!({
        "id": event.id,
        "event": event.kind,
        "timestamp": rfc3339(now),
        "data": data,
    })
    .to_string()
}

/// An example payload for testing a receiver.
#[must_use]
pub fn example(id: &str, now: OffsetDateTime) -> String {
    json!({
        "id": id,
        "event": crate::changes::UPDATED,
        "timestamp": rfc3339(now),
        "data": {
            "ico": "99999901",
            "group": "company",
            "change_type": "updated",
            "field": "address",
            "old_value": "Skúšobná 1, 949 01 Nitra",
            "new_value": "Skúšobná 2, 917 01 Trnava",
            "detected_at": rfc3339(now),
            "source": "test",
            "scope": null,
            "changes": [
                { "path": "/address/city", "op": "replace", "old": "Nitra", "new": "Trnava" },
                { "path": "/address/street", "op": "replace", "old": "Skúšobná 1", "new": "Skúšobná 2" },
            ],
            "company": {
                "name": "Skúšobná spoločnosť, s. r. o.",
                "legal_form": "Spoločnosť s ručením obmedzeným",
                "city": "Trnava",
                "status": "active",
            },
            "tax_info": { "dic": "2999999901", "ic_dph": "SK2999999901", "is_vat_payer": true },
        },
        "test": true,
    })
    .to_string()
}

/// The example's lines, in the form that events store.
#[must_use]
pub fn example_content() -> String {
    let line = |label: &str| {
        json!([{
            "path": "/address",
            "happened": "changed",
            "label": label,
            "before": "Skúšobná 1, 949 01 Nitra",
            "after": "Skúšobná 2, 917 01 Trnava",
        }])
    };
    json!({
        LINES: { "sk": line("Sídlo"), "en": line("Registered seat") },
        PART: { "sk": "Základné údaje", "en": "Company" },
    })
    .to_string()
}
