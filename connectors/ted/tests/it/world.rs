//! Test support for whole calls: a company, and pages of the search.

use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::{Answer, TestHost, subject};
use lustra_sdk::{Enrichment, Failure, Section};
use lustra_ted::Ted;

use super::manifest::manifest;

pub const ICO: &str = "99000016";
pub const SEARCH: &str = "/notices/search";

pub fn enrich() -> Result<Section, Failure> {
    Ted::enrich("ted_tenders", subject(ICO))
}

/// The content of a section, checked against its schema.
pub fn content() -> Value {
    manifest().content("ted_tenders", &enrich().unwrap())
}

/// A host whose search returns the same answer to every query.
pub fn host(answer: Answer) -> TestHost {
    TestHost::new().answer("ted", SEARCH, answer)
}

/// A host whose search returns these pages in sequence.
pub fn pages(answers: impl IntoIterator<Item = Answer>) -> TestHost {
    answers.into_iter().fold(TestHost::new(), |host, answer| {
        host.answer_to("ted", SEARCH, ICO, answer)
    })
}

/// A notice of the company; its number is derived from `number`.
pub fn notice(number: u32) -> Value {
    json!({
        "publication-number": format!("{number}-2026"),
        "publication-date": "2026-01-25+01:00",
        "notice-type": "can-standard",
        "notice-title": {"slk": "Slovensko – Vymyslené služby – Dodávka fikcie"},
        "buyer-identifier": [ICO],
        "buyer-country": ["SVK"],
        "total-value": 1000.5,
        "total-value-cur": ["EUR"],
        "links": {"xml": {"MUL": "https://ted.europa.eu/en/notice/900001-2026/xml"}},
    })
}

/// A page with these notices.
pub fn page(notices: &[Value], total: usize, token: Option<&str>) -> Answer {
    Answer::json(&json!({
        "notices": notices, "totalNoticeCount": total, "iterationNextToken": token, "timedOut": false,
    }))
}
