//! The world of the whole imports and look-ups.

use lustra_nbs::Nbs;
use lustra_sdk::testing::{self, Answer, TestHost, archive};
use lustra_sdk::{Enrichment, Item, Section, Subject, records};
use serde_json::{Value, json};

use crate::manifest::manifest;

pub const ICO: &str = "99999901";
pub const IMPORTED: &str = "2026-01-15T06:40:00Z";

/// The list of institutions in its archive.
pub fn institutions(rows: &[Value]) -> Vec<u8> {
    let list = json!({ "institutions": rows }).to_string();
    archive(&[("subjects.json", list)])
}

/// One of its rows.
pub fn row(ico: &str, scopes: &[&str]) -> Value {
    let licenses: Vec<Value> = scopes
        .iter()
        .map(|scope| json!({ "scope": scope }))
        .collect();
    json!({ "id": ico, "name": "Vzor, s. r. o.", "address": "Skúšobná 7, 04001 Košice", "country": "SK", "licenses": licenses })
}

/// A host whose bank serves this list, on a day.
pub fn listing(day: &str, archive: Vec<u8>) -> TestHost {
    TestHost::new()
        .now(&format!("{day}T06:40:00Z"))
        .answer("nbs", "/api/json", Answer::ok(archive))
}

pub fn item(key: &str, ico: &str, content: &Value) -> Item {
    records::item(key, Some(ico), content).unwrap()
}

/// A record of a licence that was first seen on the first day of 2026.
pub fn licence(ico: &str, text: &str, ended_on: Option<&str>) -> Item {
    let content = json!({
        "license_type": text, "country": "SK", "valid_from": null, "valid_to": null,
        "first_seen_on": "2026-01-01", "ended_on": ended_on,
    });
    item(&lustra_nbs::licence::key(ico, text), ico, &content)
}

/// A record of a payment service.
pub fn service(ico: &str, text: &str, from: &str, ended_on: Option<&str>) -> Item {
    let content = json!({
        "license_type": text, "country": "SK", "valid_from": from, "valid_to": ended_on,
        "first_seen_on": "2026-01-01", "ended_on": ended_on,
    });
    item(&format!("{ico}/{text}/{from}"), ico, &content)
}

pub fn subject(ico: &str) -> Subject {
    Subject {
        company: json!({ "legal_form_code": "112" }).to_string(),
        ..testing::subject(ico)
    }
}

/// The section of a subject, checked against its schema.
pub fn enrich(host: TestHost, subject: Subject) -> (Section, Value) {
    host.install();
    let section = Nbs::enrich("nbs", subject).unwrap();
    let content = manifest().content("nbs", &section);
    (section, content)
}
