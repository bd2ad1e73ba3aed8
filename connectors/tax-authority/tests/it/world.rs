//! What look-ups are tested with: a subject, records, and sections that are checked against their schemas.

use lustra_sdk::serde_json::{Value, from_str, json};
use lustra_sdk::testing::TestHost;
use lustra_sdk::{Enrichment, Item, Section, Subject};
use lustra_tax_authority::TaxAuthority;

use super::manifest::manifest;

pub const ICO: &str = "99999901";
pub const IMPORTED: &str = "2026-01-15T06:00:00Z";

pub fn subject(ico: &str, previous: Option<&Value>) -> Subject {
    Subject {
        ico: ico.to_owned(),
        name: "Vzorová firma, s. r. o.".to_owned(),
        city: None,
        postal_code: None,
        nace_code: None,
        facts: Vec::new(),
        company: "{}".to_owned(),
        previous: previous.map(Value::to_string),
    }
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
    let content: Value = from_str(&section.content).unwrap();
    let manifest = manifest();
    let scopes = manifest["scopes"].as_array().unwrap();
    let schema = &scopes.iter().find(|s| s["scope"] == scope).unwrap()["schema"];
    let problems: Vec<String> = jsonschema::validator_for(schema)
        .unwrap()
        .iter_errors(&content)
        .map(|e| e.to_string())
        .collect();
    assert!(problems.is_empty(), "{content}: {problems:?}");
    if content.is_object() {
        let named: Vec<String> = content["unread"]
            .as_array()
            .map(|unread| {
                unread
                    .iter()
                    .map(|u| u["source"].as_str().unwrap().to_owned())
                    .collect()
            })
            .unwrap_or_default();
        let fields: Vec<String> = section
            .unread
            .iter()
            .map(|field| field.name.clone())
            .collect();
        assert_eq!(
            named, fields,
            "the section and its content name the same sources"
        );
    }
    (section, content)
}

pub fn section(scope: &str) -> Value {
    enrich(scope, subject(ICO, None)).1
}
