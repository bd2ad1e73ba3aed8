//! The world of the whole imports and look-ups.

use lustra_illegal_employment::IllegalEmployment;
use lustra_sdk::testing::{Answer, TestHost, run_import};
use lustra_sdk::{Enrichment, Failure, Item, Section, Subject, records};
use serde_json::{Value, json};

use crate::manifest::manifest;

pub const ICO: &str = "99999901";
pub const IMPORTED: &str = "2026-01-15T06:57:00Z";

/// The path of the request for a page.
pub fn path(number: u32) -> String {
    format!("/app/registerNZ/?strana={number}")
}

/// A row of the register's table.
pub fn row(ico: &str, decided: &str) -> String {
    format!(
        "<tr><td>Vzor, s. r. o.</td><td>{ico}</td><td>Nitra</td><td>§ 2</td><td>{decided}</td></tr>"
    )
}

/// A page that reports so many rows on all pages.
pub fn page(total: usize, rows: &[String]) -> Answer {
    Answer::html(format!(
        "<html><p>Počet záznamov: {total}</p><table><tr><th>Názov</th><th>IČO</th><th>Sídlo</th><th>Porušenie</th>\
         <th>Dátum právoplatnosti</th></tr>{}</table></html>",
        rows.concat()
    ))
}

/// A host whose register has these pages.
pub fn paged(pages: &[Answer]) -> TestHost {
    let pages = pages.iter().zip(1..);
    pages.fold(TestHost::new(), |host, (page, number)| {
        host.answer("ip", &path(number), page.clone())
    })
}

/// The records that an import returns.
pub fn import() -> Result<Vec<Item>, Failure> {
    run_import::<IllegalEmployment>("fines", None).map(|(items, _, _)| items)
}

pub fn record(key: &str, ico: &str, decided: &str) -> Item {
    let entry = json!({
        "violation_date": null, "decision_date": decided, "decision_number": key, "address": "Nitra",
        "legal_basis": "§ 2", "inspectorate": null,
    });
    records::item(key, Some(ico), &entry).unwrap()
}

/// The section of a subject, checked against its schema.
pub fn enrich(host: TestHost, subject: Subject) -> (Section, Value) {
    host.install();
    let section = IllegalEmployment::enrich("illegal_employment", subject).unwrap();
    let content = manifest().content("illegal_employment", &section);
    (section, content)
}
