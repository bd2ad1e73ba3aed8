//! The world of the whole imports and look-ups.

use std::collections::BTreeSet;

use lustra_nbs::Nbs;
use lustra_nbs::dataset::Dataset;
use lustra_nbs::entity::{Entity, Licence, Parent};
use lustra_nbs::identity::Identity;
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

/// A record of a licence by version 0.1, first seen on the first day of 2026.
pub fn former(ico: &str, text: &str, ended_on: Option<&str>) -> Item {
    let content = json!({
        "license_type": text, "country": "SK", "valid_from": null, "valid_to": null,
        "first_seen_on": "2026-01-01", "ended_on": ended_on,
    });
    item(&lustra_nbs::licence::key(ico, text), ico, &content)
}

/// The id of a Slovak company.
pub fn id_of(ico: &str) -> String {
    Identity::of_number("SK", ico).entity_id(0)
}

/// A licence in an entity's record, first seen on the first day of 2026.
pub fn licence(text: &str, ended_on: Option<&str>) -> Licence {
    let mut licence = Licence::listed(text.to_owned(), "SK", "2026-01-01");
    if let Some(day) = ended_on {
        licence.end(day);
    }
    licence
}

/// An agent's tie to the company [`ICO`] in an entity's record.
pub fn tie(text: &str, sector: &str, ended_on: Option<&str>) -> Licence {
    Licence {
        sector: Some(sector.to_owned()),
        valid_from: Some("2020-03-01".to_owned()),
        regfap_number: Some("990001".to_owned()),
        parent: Some(Parent {
            entity_id: Some(id_of(ICO)),
            ico: Some(ICO.to_owned()),
            name: "Vzor, s. r. o.".to_owned(),
        }),
        source: Dataset::Agents,
        ..licence(text, ended_on)
    }
}

/// A record of a company, first seen on the first day of 2026 and delisted with its last licence.
pub fn entity(ico: &str, licences: Vec<Licence>) -> Item {
    let is_current = licences.iter().any(Licence::is_current);
    let last_end = licences.iter().filter_map(|one| one.ended_on.clone()).max();
    let mut entity = Entity {
        entity_id: id_of(ico),
        ico: Some(ico.to_owned()),
        name: "Vzor, s. r. o.".to_owned(),
        address: Some("Skúšobná 7, 04001 Košice".to_owned()),
        country: "SK".to_owned(),
        is_natural_person: Some(false),
        is_current,
        categories: BTreeSet::new(),
        person_id: None,
        person_match: None,
        first_seen_on: "2026-01-01".to_owned(),
        delisted_on: last_end.filter(|_| !is_current),
        nbs_updated_at: None,
        licences,
        agents_count: None,
    };
    entity.settle();
    records::item(&entity.entity_id, Some(ico), &entity).unwrap()
}

/// A row of the list of institutions for a subject with these words.
pub fn named(id: &Value, name: &str, address: &str, country: &str, scope: &str) -> Value {
    json!({ "id": id, "name": name, "address": address, "country": country, "licenses": [{ "scope": scope }] })
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
