//! Test support for whole calls: files in the register's format, and a host that serves them.

use std::fmt::Write as _;

use lustra_crz::Crz;
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::{self, Answer, TestHost};
use lustra_sdk::{Enrichment, Item, Section, Subject, records};

use super::manifest::manifest;

pub const ICO: &str = "99999901";
pub const NOW: &str = "2026-01-15T08:00:00Z";

/// A contract of a day's file with the relevant elements.
pub fn contract(id: u64, ico: &str, more: &str) -> String {
    format!(
        "<zmluva><ID>{id}</ID><ico>{ico}</ico><stav>2</stav><druh>1</druh><zs1>Mesto Vzorov</zs1><nazov>{id}/26</nazov>\
         <predmet>Dielo</predmet><suma_zmluva>10.50</suma_zmluva><suma_spolu>10.50</suma_spolu>{more}</zmluva>"
    )
}

/// A day's file with `count` contracts, each of another company.
pub fn file(first: u64, count: u64) -> String {
    let mut xml = String::from("<zmluvy>");
    for id in first..first + count {
        write!(xml, "{}", contract(id, &format!("{}", 10_000_000 + id), "")).unwrap();
    }
    xml.push_str("</zmluvy>");
    xml
}

pub fn answer(day: &str, xml: &str) -> Answer {
    Answer::zip(&[(&format!("{day}.xml"), xml)])
}

/// A host on Thursday, 15 January 2026, whose import starts on the given day.
pub fn host_since(since: &str) -> TestHost {
    TestHost::new().now(NOW).setting("since", &json!(since))
}

/// Adds a day's file to the host.
pub fn with_day(host: TestHost, day: &str, answer: Answer) -> TestHost {
    host.answer("crz", &format!("/export/{day}.zip"), answer)
}

/// Makes the host answer 404 for a day.
pub fn without_day(host: TestHost, day: &str) -> TestHost {
    with_day(host, day, Answer::status(404, "<html>404 Not Found</html>"))
}

pub fn item(key: &str, ico: Option<&str>, content: &Value) -> Item {
    records::item(key, ico, content).unwrap()
}

pub fn subject() -> Subject {
    testing::subject(ICO)
}

/// The section, checked against its schema and against its unread list.
pub fn section() -> (Section, Value) {
    let section = Crz::enrich("public_contracts", subject()).unwrap();
    let content = manifest().content("public_contracts", &section);
    (section, content)
}
