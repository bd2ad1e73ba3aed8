//! What the whole imports and look-ups are run in.

use std::io::{Cursor, Write as _};

use lustra_nbs::Nbs;
use lustra_sdk::testing::{Answer, TestHost};
use lustra_sdk::{Enrichment, Item, Section, Subject};
use serde_json::{Value, from_str, json};

use crate::manifest::manifest;

pub const ICO: &str = "99999901";
pub const IMPORTED: &str = "2026-01-15T06:40:00Z";

/// An archive as the bank publishes it.
pub fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, contents) in files {
        writer
            .start_file(*name, zip::write::SimpleFileOptions::default())
            .unwrap();
        writer.write_all(contents).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// The list of institutions in its archive.
pub fn institutions(rows: &[Value]) -> Vec<u8> {
    let list = json!({ "institutions": rows }).to_string();
    archive(&[("subjects.json", list.as_bytes())])
}

/// One of its rows.
pub fn row(ico: &str, scopes: &[&str]) -> Value {
    let licenses: Vec<Value> = scopes
        .iter()
        .map(|scope| json!({ "scope": scope }))
        .collect();
    json!({ "id": ico, "name": "Vzor, s. r. o.", "address": "Skúšobná 7, 04001 Košice", "country": "SK", "licenses": licenses })
}

/// A host whose bank has this list, on a day.
pub fn listing(day: &str, archive: Vec<u8>) -> TestHost {
    TestHost::new()
        .now(&format!("{day}T06:40:00Z"))
        .answer("nbs", "/api/json", Answer::ok(archive))
}

pub fn item(key: &str, ico: &str, content: &Value) -> Item {
    Item {
        key: key.to_owned(),
        ico: Some(ico.to_owned()),
        name: None,
        city: None,
        postal_code: None,
        content: content.to_string(),
        removed: false,
    }
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
        ico: ico.to_owned(),
        name: "Vzor, s. r. o.".to_owned(),
        city: None,
        postal_code: None,
        nace_code: None,
        facts: Vec::new(),
        company: json!({ "legal_form_code": "112" }).to_string(),
        previous: None,
    }
}

/// The section of a subject, which fits its schema.
pub fn enrich(host: TestHost, subject: Subject) -> (Section, Value) {
    host.install();
    let section = Nbs::enrich("nbs", subject).unwrap();
    let content: Value = from_str(&section.content).unwrap();
    let schema = &manifest()["scopes"][0]["schema"];
    let problems: Vec<String> = jsonschema::validator_for(schema)
        .unwrap()
        .iter_errors(&content)
        .map(|error| error.to_string())
        .collect();
    assert!(problems.is_empty(), "{content}: {problems:?}");
    (section, content)
}
