//! The world of the imports and sections: pages of the register, and hosts that serve them.

use lustra_crp::import::Reading;
use lustra_crp::project::Project;
use lustra_crp::{Crp, DATASET};
use lustra_sdk::testing::{Answer, TestHost, batches, subject};
use lustra_sdk::{Batch, Enrichment, Failure, Item, Section, records};
use serde_json::Value;

use super::manifest::manifest;

pub const ICO: &str = "99999901";
pub const SCOPE: &str = "crp_projects";

/// The path of a project.
pub fn path(number: u32) -> String {
    format!("/{number}-sk/vzor/")
}

/// The path of a page of the list.
pub fn list_path(page: usize) -> String {
    format!("/5-sk/register-projektov/?page={page}")
}

/// A page of the list with these projects, out of so many pages.
pub fn list(projects: &[u32], page: usize, pages: usize) -> Answer {
    let rows: String = projects
        .iter()
        .map(|number| {
            let path = path(*number);
            format!("<tr><td class=\"cell1\">1</td><td class=\"cell2\"><a href=\"{path}\">Vzor</a></td></tr>\n")
        })
        .collect();
    let links: String = (0..pages)
        .filter(|other| *other != page)
        .map(|other| format!("<a href=\"{}\">{}</a> ", list_path(other), other + 1))
        .collect();
    Answer::html(format!(
        "<!DOCTYPE html><html><body><table class=\"table_list\"><tr><th>1</th><th>2</th></tr>\n{rows}</table>\n\
         <div class=\"pagelist\">{links}<a href=\"/\">Úvod</a></div></body></html>"
    ))
}

/// The page of a project with these facts. Each larger number is one day younger, from 2025-01-01 on.
pub fn detail(number: u32, ico: &str, amount: &str) -> Answer {
    let day = lustra_sdk::calendar::days_after("2025-01-01", i64::from(number)).unwrap();
    Answer::html(format!(
        "<!DOCTYPE html><html><body><h1>Projekt {number}</h1>\n\
         <div class=\"area1\"><table><tr><td>Dátum zverejnenia:</td><td>{day}</td></tr>\n\
         <tr><td>Dátum ukončenia:</td><td>neuvedené</td></tr></table></div>\n\
         <div class=\"b_right area area3\"><table><tr><td>Prijímateľ</td><td>Vzorová, s. r. o.</td></tr>\n\
         <tr><td>IČO prijímateľa</td><td>{ico}</td></tr><tr><td>Poskytovateľ</td><td>Vzorové ministerstvo</td></tr>\n\
         <tr><td>Typ pomoci</td><td>dotácia</td></tr><tr><td>ID</td><td>{number}</td></tr></table></div>\n\
         <div class=\"area4\"><span>Celková výška:</span> {amount}</div></body></html>"
    ))
}

/// A host whose list has these projects, newest first, `of_a_page` to a page. All belong to one company.
pub fn register(projects: &[u32], of_a_page: usize) -> TestHost {
    let pages: Vec<&[u32]> = projects.chunks(of_a_page).collect();
    let mut host = TestHost::new();
    for (page, of_page) in pages.iter().enumerate() {
        host = host.answer("crp", &list_path(page), list(of_page, page, pages.len()));
    }
    for number in projects {
        host = host.answer(
            "crp",
            &path(*number),
            detail(*number, ICO, "1\u{a0}234,50 €"),
        );
    }
    host
}

/// Runs an import with the installed host.
pub fn import(cursor: Option<&str>) -> Result<Vec<Batch>, Failure> {
    batches::<Crp>(DATASET, cursor)
}

/// The keys of the records that an import returned. A minus marks a removal.
pub fn keys(batches: &[Batch]) -> Vec<String> {
    let items = batches.iter().flat_map(|batch| &batch.items);
    let projects = items.filter(|item| item.key.starts_with("project/"));
    let key = |item: &Item| {
        let sign = if item.removed { "-" } else { "" };
        format!("{sign}{}", item.key.trim_start_matches("project/"))
    };
    projects.map(key).collect()
}

/// The record that says how far the register was read.
pub fn reading(since: Option<&str>, is_complete: bool) -> Item {
    let reading = Reading {
        since: since.map(str::to_owned),
        is_complete,
        ..Reading::default()
    };
    records::item("reading", None, &reading).unwrap()
}

/// The record of a project.
pub fn project(number: u32, amount: Option<&str>) -> Item {
    let project = Project {
        name: format!("Projekt {number}"),
        provider: None,
        help_type: Some("dotácia".to_owned()),
        amount: amount.map(str::to_owned),
        published_at: lustra_sdk::calendar::days_after("2025-01-01", i64::from(number)),
        signed_at: None,
        start: None,
        end: None,
        path: path(number),
    };
    records::item(format!("project/{number}"), Some(ICO), &project).unwrap()
}

pub fn enrich() -> Result<Section, Failure> {
    Crp::enrich(SCOPE, subject(ICO))
}

/// The content of the section, checked against the schema.
#[track_caller]
pub fn content() -> Value {
    manifest().content(SCOPE, &enrich().unwrap())
}
