//! The world of the whole calls: a subject, decisions of the service, and the paths of requests.

use lustra_courts::Courts;
use lustra_sdk::testing::{Answer, TestHost, subject};
use lustra_sdk::{Enrichment, Failure, Section};
use serde_json::{Value, json};

use super::manifest::manifest;

pub const ICO: &str = "99999901";
pub const SCOPE: &str = "court_decisions";

pub fn enrich() -> Result<Section, Failure> {
    Courts::enrich(SCOPE, subject(ICO))
}

/// The content of the section, checked against the schema.
#[track_caller]
pub fn content() -> Value {
    manifest().content(SCOPE, &enrich().unwrap())
}

/// The path of a page.
pub fn path(page: u32) -> String {
    format!(
        "/pilot/api/ress-isu-service/v1/rozhodnutie?query={ICO}&sortProperty=datum_vydania_rozhodnutia\
         &sortDirection=DESC&page={page}&size=100"
    )
}

/// A decision that shows the number; a larger number is older.
pub fn decision(number: u32) -> Value {
    let year = 2026 - number / 12;
    json!({
        "guid": format!("{number:08x}-0000-4000-8000-000000000001:{number:08x}-0000-4000-8000-000000000002"),
        "formaRozhodnutia": "Uznesenie",
        "povaha": ["Potvrdzujúce"],
        "sud": {"registreGuid": "sud_141", "nazov": "Okresný súd Vzorov"},
        "sudca": {"registreGuid": "sudca_null", "meno": "JUDr. Vzor Tajný"},
        "identifikacneCislo": format!("6126{number:06}"),
        "spisovaZnacka": format!("{number}Cb/50/{year}"),
        "datumVydania": format!("{:02}.{:02}.{year}", 15, 12 - number % 12),
        "zvyraznenie": [format!("žalovanému: Vzorová, s. r. o., IČO: <em>{ICO}</em>, o zaplatenie")],
    })
}

/// Like [`decision`], but without the number in its passage.
pub fn lead(number: u32) -> Value {
    let mut lead = decision(number);
    lead["zvyraznenie"] = json!([format!("DIČ: <em>20{ICO}</em>")]);
    lead
}

/// A page of the service.
pub fn page(found: usize, decisions: &[Value]) -> Answer {
    Answer::json(&json!({
        "numFound": found, "page": 0, "size": 100, "updateDate": "15.01.2026", "filterList": [],
        "rozhodnutieList": decisions,
    }))
}

/// A host whose service answers with these pages.
pub fn answering(pages: &[Answer]) -> TestHost {
    (1..)
        .zip(pages)
        .fold(TestHost::new(), |host, (number, page)| {
            host.answer("obcan-justice", &path(number), page.clone())
        })
}
