//! The world of the look-ups: records, and sections that are checked against their schema.

use lustra_sdk::serde_json::Value;
use lustra_sdk::tax_lists::ListKind;
use lustra_sdk::testing::{TestHost, subject};
use lustra_sdk::{Enrichment, Item, Subject, records};
use lustra_tax_lists::TaxLists;
use lustra_tax_lists::dataset::Dataset;

use super::manifest::manifest;

pub const ICO: &str = "99999901";
pub const DIC: &str = "2999999904";
pub const IMPORTED: &str = "2026-01-15T06:00:00Z";

pub fn item(key: &str, ico: Option<&str>, content: &Value) -> Item {
    records::item(key, ico, content).unwrap()
}

pub fn with(host: TestHost, dataset: Dataset, items: Vec<Item>) -> TestHost {
    host.dataset(dataset.id(), IMPORTED, Some("2026-01-15"), items)
}

/// A host with these lists, empty.
pub fn host(datasets: &[Dataset]) -> TestHost {
    datasets.iter().fold(TestHost::new(), |host, dataset| {
        with(host, *dataset, Vec::new())
    })
}

pub fn section_of(subject: Subject) -> Value {
    let section = TaxLists::enrich("fs_imports", subject).unwrap();
    manifest().content("fs_imports", &section)
}

pub fn section() -> Value {
    section_of(subject(ICO))
}
