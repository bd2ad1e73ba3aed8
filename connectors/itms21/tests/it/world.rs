//! The world of the imports and sections: lists of the register, and hosts that serve them.

use lustra_itms21::{APPLICATIONS, Itms21, PROJECTS};
use lustra_sdk::serde_json::{Value, from_str, json};
use lustra_sdk::testing::fixtures::Case;
use lustra_sdk::testing::{Answer, TestHost, batches, subject};
use lustra_sdk::{Batch, Enrichment, Failure, Item, Section};

use super::manifest::manifest;

pub const ICO: &str = "99999901";
pub const PARTNER: &str = "99999902";
pub const SUPPLIER: &str = "99999903";
pub const SCOPE: &str = "itms21";

/// The row of a fixture with another id and another subject.
fn row(case: &str, member: &str, id: u64) -> Value {
    let mut row: Value = from_str(Case::of(case).text()).unwrap();
    row["id"] = json!(id);
    row[member]["ico"] = json!(ICO);
    row
}

/// The row of a project with this id, whose recipient is [`ICO`].
pub fn project(id: u64) -> Value {
    row("project/ordinary", "prijimatel", id)
}

/// The detail of the project with this id.
pub fn detail(id: u64) -> Value {
    row("detail/ordinary", "prijimatel", id)
}

/// The row of an application with this id, whose applicant is [`ICO`].
pub fn application(id: u64) -> Value {
    row("application/ordinary", "ziadatel", id)
}

/// The path of a page behind an id.
pub fn page_path(list: &str, after: u64) -> String {
    format!("/public/v1/{list}?limit=2&minId={after}")
}

pub fn detail_path(id: u64) -> String {
    format!("/public/v1/projekt/id/{id}")
}

/// A page of a list.
pub fn page(rows: &[Value], size: usize) -> Answer {
    Answer::json(&json!({"offset": 0, "limit": 2, "size": size, "results": rows}))
}

/// A host with pages of two rows of a list.
pub fn listed(mut host: TestHost, list: &str, rows: &[Value]) -> TestHost {
    host = host.setting("page_size", &json!(2));
    let mut after = 0;
    for of_page in rows.chunks(2) {
        host = host.answer("itms21", &page_path(list, after), page(of_page, rows.len()));
        after = of_page.last().unwrap()["id"].as_u64().unwrap();
    }
    host.answer("itms21", &page_path(list, after), page(&[], 0))
}

/// A host with these projects and their details.
pub fn projects(ids: &[u64]) -> TestHost {
    let rows: Vec<Value> = ids.iter().map(|id| project(*id)).collect();
    let mut host = listed(TestHost::new(), "projekt", &rows);
    for id in ids {
        host = host.answer("itms21", &detail_path(*id), Answer::json(&detail(*id)));
    }
    host
}

/// Runs an import with the installed host.
pub fn import(dataset: &str, cursor: Option<&str>) -> Result<Vec<Batch>, Failure> {
    batches::<Itms21>(dataset, cursor)
}

/// The items that an import returned.
pub fn items(batches: &[Batch]) -> Vec<Item> {
    let items = batches.iter().flat_map(|batch| batch.items.clone());
    items.collect()
}

/// The items of an import of these rows.
pub fn imported(list: &str, rows: &[Value]) -> Vec<Item> {
    let dataset = if list == "projekt" {
        PROJECTS
    } else {
        APPLICATIONS
    };
    let mut host = listed(TestHost::new(), list, rows);
    for row in rows {
        let id = row["id"].as_u64().unwrap();
        host = host.answer("itms21", &detail_path(id), Answer::json(&detail(id)));
    }
    host.install();
    items(&import(dataset, None).unwrap())
}

/// Items in a form that can be compared: key, IČO and content.
pub fn told(items: &[Item]) -> Vec<(String, Option<String>, String)> {
    let told = |item: &Item| (item.key.clone(), item.ico.clone(), item.content.clone());
    items.iter().map(told).collect()
}

/// The keys of items.
pub fn keys(items: &[Item]) -> Vec<&str> {
    items.iter().map(|item| item.key.as_str()).collect()
}

/// The sum of a note over all batches.
pub fn noted(batches: &[Batch], name: &str) -> u64 {
    let notes = batches.iter().flat_map(|batch| &batch.notes);
    let counts = notes.filter(|note| note.name == name);
    counts.map(|note| note.value.parse::<u64>().unwrap()).sum()
}

pub fn enrich(ico: &str) -> Result<Section, Failure> {
    Itms21::enrich(SCOPE, subject(ico))
}

/// The content of the section, checked against the schema.
#[track_caller]
pub fn content(ico: &str) -> Value {
    manifest().content(SCOPE, &enrich(ico).unwrap())
}
