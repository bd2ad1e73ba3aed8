//! What whole calls are tested with: files as the register publishes them, and a host that has them.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use lustra_crz::Crz;
use lustra_sdk::serde_json::{Value, from_str, json};
use lustra_sdk::testing::{Answer, TestHost};
use lustra_sdk::{Enrichment, Item, Section, Subject};

use super::manifest::manifest;

pub const ICO: &str = "99999901";
pub const NOW: &str = "2026-01-15T08:00:00Z";

/// An archive as the register makes them.
pub fn archive(name: &str, contents: &str) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    writer
        .start_file(name, zip::write::SimpleFileOptions::default())
        .unwrap();
    writer.write_all(contents.as_bytes()).unwrap();
    writer.finish().unwrap().into_inner()
}

/// A contract of a day's file with the elements that matter.
pub fn contract(id: u64, ico: &str, more: &str) -> String {
    format!(
        "<zmluva><ID>{id}</ID><ico>{ico}</ico><stav>2</stav><druh>1</druh><zs1>Mesto Vzorov</zs1><nazov>{id}/26</nazov>\
         <predmet>Dielo</predmet><suma_zmluva>10.50</suma_zmluva><suma_spolu>10.50</suma_spolu>{more}</zmluva>"
    )
}

/// A day's file of so many contracts, each of another company.
pub fn file(first: u64, count: u64) -> String {
    let mut xml = String::from("<zmluvy>");
    for id in first..first + count {
        write!(xml, "{}", contract(id, &format!("{}", 10_000_000 + id), "")).unwrap();
    }
    xml.push_str("</zmluvy>");
    xml
}

pub fn answer(day: &str, xml: &str) -> Answer {
    Answer::ok(archive(&format!("{day}.xml"), xml)).with_header("content-type", "application/zip")
}

/// A host at Thursday, 15 January 2026, whose import begins on a day.
pub fn host_since(since: &str) -> TestHost {
    TestHost::new().now(NOW).setting("since", &json!(since))
}

/// Lets it have a day's file.
pub fn with_day(host: TestHost, day: &str, answer: Answer) -> TestHost {
    host.answer("crz", &format!("/export/{day}.zip"), answer)
}

/// Lets it have no file for a day.
pub fn without_day(host: TestHost, day: &str) -> TestHost {
    with_day(host, day, Answer::status(404, "<html>404 Not Found</html>"))
}

pub fn item(key: &str, ico: Option<&str>, content: &Value) -> Item {
    Item {
        key: key.to_owned(),
        ico: ico.map(str::to_owned),
        name: None,
        city: None,
        postal_code: None,
        content: content.to_string(),
        removed: false,
    }
}

pub fn subject() -> Subject {
    Subject {
        ico: ICO.to_owned(),
        name: "Vzorová firma, s. r. o.".to_owned(),
        city: None,
        postal_code: None,
        nace_code: None,
        facts: Vec::new(),
        company: "{}".to_owned(),
        previous: None,
    }
}

/// The section, checked against its schema, and against what it says of itself.
pub fn section() -> (Section, Value) {
    let section = Crz::enrich("public_contracts", subject()).unwrap();
    let content: Value = from_str(&section.content).unwrap();
    let manifest = manifest();
    let problems: Vec<String> = jsonschema::validator_for(&manifest["scopes"][0]["schema"])
        .unwrap()
        .iter_errors(&content)
        .map(|error| error.to_string())
        .collect();
    assert!(problems.is_empty(), "{content}: {problems:?}");
    let whys = content["unread"].as_array().cloned().unwrap_or_default();
    let fields: Vec<Value> = section
        .unread
        .iter()
        .map(|field| json!([field.name, field.value]))
        .collect();
    let whys: Vec<Value> = whys
        .iter()
        .map(|unread| json!([unread["source"], unread["why"]]))
        .collect();
    assert_eq!(whys, fields);
    (section, content)
}
