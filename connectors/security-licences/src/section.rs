//! The scope `sbs`: the licences of one company.

use lustra_sdk::listed::{OfCompany, ShownTerm};
use lustra_sdk::unread::Unread;
use serde::Serialize;

use crate::licence::Licence;

/// The section: the list of all licences, and the data of the newest one in force.
#[derive(Debug, Serialize)]
pub struct Sbs {
    /// Null if the list was not read.
    has_licence: Option<bool>,
    license_number: Option<String>,
    license_type: Option<String>,
    valid_from: Option<String>,
    valid_to: Option<String>,
    licences: Vec<Entry>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<Unread>,
}

#[derive(Debug, Serialize)]
struct Entry {
    license_number: String,
    license_type: Option<String>,
    kinds: Vec<String>,
    issued_by: Option<String>,
    issued_on: Option<String>,
    #[serde(flatten)]
    term: ShownTerm,
}

/// The section on a day given as `YYYY-MM-DD`.
pub fn section(found: OfCompany<Licence>, today: &str) -> Sbs {
    let entry = |licence: &Licence| Entry {
        license_number: licence.number.clone(),
        license_type: licence.kind.clone(),
        kinds: licence.kinds.clone(),
        issued_by: licence.issued_by.clone(),
        issued_on: licence.issued_on.clone(),
        term: licence.term.shown(today),
    };
    let mut licences: Vec<Entry> = found.entries.iter().map(entry).collect();
    licences.sort_by_key(|entry| (entry.term.order(), entry.license_number.clone()));
    let in_force = licences.first().filter(|entry| entry.term.is_valid());
    Sbs {
        has_licence: found.verdict(in_force.is_some()),
        license_number: in_force.map(|entry| entry.license_number.clone()),
        license_type: in_force.and_then(|entry| entry.license_type.clone()),
        valid_from: in_force.and_then(|entry| entry.term.valid_from.clone()),
        valid_to: in_force.and_then(|entry| entry.term.valid_to.clone()),
        licences,
        unread: found.unread,
    }
}
