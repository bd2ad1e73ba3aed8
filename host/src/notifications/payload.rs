//! The payload of an event. Built once, when the event is published; every attempt sends every receiver the
//! same bytes.

use serde_json::{Value, json};
use time::OffsetDateTime;

use crate::changes::{
    ByLanguage, Line, LineChange, Op, UPDATED, WebhookChange, WebhookCompany, WebhookData,
    WebhookEvent, WebhookFinding, WebhookTaxInfo, Wording,
};
use crate::clock::rfc3339;
use crate::store::{BaseCompany, CompanyStatus, PendingEvent};

/// The scope whose section is part of every payload.
pub const TAX: &str = "tax";

/// The event as it is published, with the company's data at that time.
#[must_use]
pub fn webhook_event(
    event: &PendingEvent,
    company: WebhookCompany,
    tax_info: WebhookTaxInfo,
    now: OffsetDateTime,
) -> WebhookEvent {
    WebhookEvent {
        id: event.id.clone(),
        event: event.kind.clone(),
        timestamp: rfc3339(now),
        data: WebhookData {
            ico: event.ico.clone(),
            finding: finding(event),
            company,
            tax_info,
        },
        test: None,
    }
}

/// The finding that the event stores. If it is unreadable, subscribers still learn that something changed.
fn finding(event: &PendingEvent) -> WebhookFinding {
    match serde_json::from_str(&event.content) {
        Ok(finding) => finding,
        Err(error) => {
            tracing::error!(%error, event.id = %event.id, "the content of an event is unreadable; publishing it without details");
            WebhookFinding {
                detected_at: rfc3339(event.detected_at),
                scope: event.scope.clone(),
                ..WebhookFinding::default()
            }
        }
    }
}

/// A company as its events show it.
#[must_use]
pub fn company_of(company: &BaseCompany) -> WebhookCompany {
    WebhookCompany {
        name: Some(company.name.clone()),
        legal_form: company.legal_form.clone(),
        city: company.city.clone(),
        status: Some(company.status),
    }
}

/// The tax numbers of a section's content.
#[must_use]
pub fn tax_info_of(section: &str) -> WebhookTaxInfo {
    let section: Value = serde_json::from_str(section).unwrap_or_default();
    let text = |name: &str| {
        let text = section.get(name).and_then(Value::as_str);
        text.map(str::to_owned)
    };
    WebhookTaxInfo {
        dic: text("dic"),
        ic_dph: text("ic_dph"),
        is_vat_payer: section.get("is_vat_payer").and_then(Value::as_bool),
    }
}

/// An example event for testing a receiver.
#[must_use]
pub fn example(id: &str, now: OffsetDateTime) -> WebhookEvent {
    let replaced = |path: &str, old: &str, new: &str| WebhookChange {
        path: path.to_owned(),
        op: Op::Replace,
        old: json!(old),
        new: json!(new),
    };
    WebhookEvent {
        id: id.to_owned(),
        event: UPDATED.to_owned(),
        timestamp: rfc3339(now),
        data: WebhookData {
            ico: "99999901".to_owned(),
            finding: WebhookFinding {
                group: "company".to_owned(),
                change_type: "updated".to_owned(),
                field: "address".to_owned(),
                old_value: OLD_SEAT.to_owned(),
                new_value: NEW_SEAT.to_owned(),
                detected_at: rfc3339(now),
                source: "test".to_owned(),
                scope: None,
                changes: vec![
                    replaced("/address/city", "Nitra", "Trnava"),
                    replaced("/address/street", "Skúšobná 1", "Skúšobná 2"),
                ],
            },
            company: WebhookCompany {
                name: Some("Skúšobná spoločnosť, s. r. o.".to_owned()),
                legal_form: Some("Spoločnosť s ručením obmedzeným".to_owned()),
                city: Some("Trnava".to_owned()),
                status: Some(CompanyStatus::Active),
            },
            tax_info: WebhookTaxInfo {
                dic: Some("2999999901".to_owned()),
                ic_dph: Some("SK2999999901".to_owned()),
                is_vat_payer: Some(true),
            },
        },
        test: Some(true),
    }
}

const OLD_SEAT: &str = "Skúšobná 1, 949 01 Nitra";
const NEW_SEAT: &str = "Skúšobná 2, 917 01 Trnava";

/// The example's texts for e-mails.
#[must_use]
pub fn example_wording() -> Wording {
    let line = |label: &str| Line {
        path: "/address".to_owned(),
        happened: LineChange::Changed,
        label: label.to_owned(),
        before: OLD_SEAT.to_owned(),
        after: NEW_SEAT.to_owned(),
        item: String::new(),
        role: String::new(),
    };
    Wording {
        lines: ByLanguage::of(|language| vec![line(language.pick("Sídlo", "Registered seat"))]),
        part: ByLanguage::of(|language| language.pick("Základné údaje", "Company").to_owned()),
    }
}

#[cfg(test)]
mod tests;
