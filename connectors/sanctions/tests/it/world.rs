//! The world of the whole imports and look-ups.

use lustra_sanctions::Sanctions;
use lustra_sanctions::dataset::Dataset;
use lustra_sanctions::entry::{Alias, Entry, Kind};
use lustra_sanctions::index;
use lustra_sdk::testing::{self, TestHost};
use lustra_sdk::{Enrichment, Section, Subject};
use serde_json::{Value, json};

use crate::manifest::manifest;

pub const ICO: &str = "99999901";
pub const IMPORTED: &str = "2026-01-15T04:10:00Z";

/// An entry with these names. `~` marks a weak one.
pub fn entry(id: &str, names: &[&str]) -> Entry {
    let names = names.iter().map(|name| Alias {
        name: name.trim_start_matches('~').to_owned(),
        is_weak: name.starts_with('~'),
    });
    Entry {
        id: id.to_owned(),
        names: names.collect(),
        programmes: vec!["XYZ".to_owned()],
        ..Entry::default()
    }
}

pub fn person(id: &str, names: &[&str]) -> Entry {
    Entry {
        kind: Kind::Person,
        ..entry(id, names)
    }
}

/// A host that has imported these lists.
pub fn host(lists: &[(Dataset, &[Entry])]) -> TestHost {
    lists.iter().fold(TestHost::new(), |host, (list, entries)| {
        let items = index::items(entries).unwrap();
        host.dataset(list.id(), IMPORTED, Some("2026-01-15"), items)
    })
}

/// A host that has imported all lists. The Union's contains these entries.
pub fn union(entries: &[Entry]) -> TestHost {
    host(&[
        (Dataset::EuFsf, entries),
        (Dataset::OfacSdn, &[]),
        (Dataset::OfacConsolidated, &[]),
    ])
}

pub fn named(name: &str) -> Subject {
    Subject {
        name: name.to_owned(),
        city: None,
        company: json!({ "legal_form_code": "112" }).to_string(),
        ..testing::subject(ICO)
    }
}

pub fn trader(name: &str) -> Subject {
    Subject {
        company: json!({ "legal_form_code": "101" }).to_string(),
        ..named(name)
    }
}

/// The section of a subject, checked against its schema.
pub fn enrich(host: TestHost, subject: Subject) -> (Section, Value) {
    host.install();
    let section = Sanctions::enrich("sanctions", subject).unwrap();
    let content = manifest().content("sanctions", &section);
    (section, content)
}
