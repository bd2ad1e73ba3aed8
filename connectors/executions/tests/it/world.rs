//! The world of the whole look-ups and imports.

use lustra_executions::Executions;
use lustra_sdk::testing::{self, Answer, TestHost};
use lustra_sdk::{Enrichment, Failure, Section, Subject};
use serde_json::{Value, json};

use super::manifest::manifest;

/// The company that look-ups ask about.
pub const ICO: &str = "99999943";

/// The path of the request for a page of the company.
pub fn path(page: u32) -> String {
    format!("/pilot/api/ress-isu-service/v1/poverenie?ico={ICO}&page={page}&size=100")
}

/// An authorization against the company, identified by its number.
pub fn row(number: u32) -> Value {
    json!({
        "guid": format!("guid-{number}"),
        "ecli": format!("ECLI:SK:OSVZ:2026:{number:010}.1"),
        "datumVydania": "14.04.2026",
        "stav": "Aktuálny",
        "opravneny": [{"nazov": "Veriteľ Vzor, a. s.", "ico": "99000024"}],
        "povinny": [{"nazov": "Ťapkotrans", "ico": ICO}],
    })
}

/// A page of the service.
pub fn page(total: u64, rows: &[Value]) -> Answer {
    let body = json!({
        "numFound": total, "page": 0, "size": rows.len(), "updateDate": "01.06.2026", "poverenieList": rows,
    });
    Answer::json(&body)
}

/// A host whose operator chose the service as the source.
pub fn service() -> TestHost {
    TestHost::new().setting("source", &json!("service"))
}

/// A host whose service answers with these pages.
pub fn answering(pages: &[Answer]) -> TestHost {
    (1..).zip(pages).fold(service(), |host, (number, page)| {
        host.answer("obcan-justice", &path(number), page.clone())
    })
}

/// A host whose operator chose the file as the source.
pub fn file() -> TestHost {
    TestHost::new().setting("source", &json!("file"))
}

pub fn subject() -> Subject {
    testing::subject(ICO)
}

/// Calls the connector with the installed host.
pub fn enrich() -> Result<Section, Failure> {
    Executions::enrich("execution_authorizations", subject())
}

/// The section as JSON, checked against the schema.
#[track_caller]
pub fn section() -> Value {
    let section = enrich().expect("there is a section");
    manifest().content("execution_authorizations", &section)
}
