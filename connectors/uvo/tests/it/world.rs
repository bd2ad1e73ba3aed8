//! Test support for imports and look-ups: pages in the site's format, and a host that serves them.

use lustra_sdk::testing::{Answer, TestHost, subject};
use lustra_sdk::{Enrichment, Failure, Subject};
use lustra_uvo::Uvo;
use serde_json::Value;

use crate::manifest::manifest;

/// The company of the look-ups.
pub const ICO: &str = "99999994";
/// The office's sentence for an empty result.
pub const NOTHING: &str = "<p>Zadaný výraz nebol nájdený.</p>";

/// A page of the office with this content.
pub fn page(content: &str) -> Answer {
    Answer::html(text(content))
}

/// The same page as text.
pub fn text(content: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"sk\"><head><meta charset=\"utf-8\"><title>Register - Úrad pre verejné \
         obstarávanie</title></head>\n<body>{content}</body></html>\n"
    )
}

/// The number of entries as stated by a list.
pub fn count(total: usize) -> String {
    format!("<div class=\"pag-info\"><span class=\"red\">{total} záznamov</span></div>")
}

/// A table with these headers and rows; the last cell of a row becomes a link to this path.
pub fn table(headers: &[&str], rows: &[Vec<String>]) -> String {
    let header: String = headers
        .iter()
        .map(|text| format!("<th>{text}</th>"))
        .collect();
    let rows: String = rows
        .iter()
        .map(|row| {
            let cells: String = row.iter().map(|cell| format!("<td>{cell}</td>")).collect();
            format!("<tr>{cells}</tr>\n")
        })
        .collect();
    format!("<table><thead><tr>{header}</tr></thead><tbody>\n{rows}</tbody></table>")
}

/// A page of labels and values.
pub fn details(pairs: &[(&str, &str)]) -> Answer {
    let pairs: String = pairs
        .iter()
        .map(|(label, value)| format!("<dt>{label}</dt><dd>{value}</dd>\n"))
        .collect();
    page(&format!("<dl>{pairs}</dl>"))
}

/// A host whose site answers these paths.
pub fn host(answers: &[(&str, Answer)]) -> TestHost {
    answers.iter().fold(
        TestHost::new().now("2026-01-15T08:00:00Z"),
        |host, (path, answer)| host.answer("uvo", path, answer.clone()),
    )
}

/// The section of a scope about the company, checked against its schema.
#[track_caller]
pub fn section(scope: &str) -> Value {
    section_of(scope, subject(ICO))
}

/// The same for another subject.
#[track_caller]
pub fn section_of(scope: &str, subject: Subject) -> Value {
    let section = Uvo::enrich(scope, subject).unwrap();
    manifest().content(scope, &section)
}

/// The failure of a scope about the company.
#[track_caller]
pub fn failure(scope: &str) -> Failure {
    Uvo::enrich(scope, subject(ICO)).unwrap_err()
}
