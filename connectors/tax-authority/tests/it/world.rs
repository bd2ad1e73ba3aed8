//! What look-ups are tested with: a subject, records, and sections that are checked against their schemas.

use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::{TestHost, subject};
use lustra_sdk::{Enrichment, Item, Section, Subject, records};
use lustra_tax_authority::TaxAuthority;

use super::manifest::manifest;

pub const ICO: &str = "99999901";
pub const IMPORTED: &str = "2026-01-15T06:00:00Z";

pub fn item(key: &str, ico: Option<&str>, content: &Value) -> Item {
    records::item(key, ico, content).unwrap()
}

pub fn payer(ic_dph: &str, kind: &str) -> Item {
    let content =
        json!({"ic_dph": ic_dph, "registration_type": kind, "registered_since": "2012-04-01"});
    item(ic_dph, Some(ICO), &content)
}

pub fn with(host: TestHost, dataset: &str, items: Vec<Item>) -> TestHost {
    host.dataset(dataset, IMPORTED, Some("2026-01-15"), items)
}

/// A host with all lists, empty but for the payers given.
pub fn host(payers: Vec<Item>) -> TestHost {
    let mut host = with(TestHost::new(), "vat-payers", payers);
    for dataset in [
        "vat-violators",
        "erased-vat-payers",
        "bank-accounts",
        "reliability",
        "income-tax-subjects",
    ] {
        host = with(host, dataset, Vec::new());
    }
    host
}

pub fn enrich(scope: &str, subject: Subject) -> (Section, Value) {
    let section = TaxAuthority::enrich(scope, subject).unwrap();
    let content = manifest().content(scope, &section);
    (section, content)
}

pub fn section(scope: &str) -> Value {
    enrich(scope, subject(ICO)).1
}
