//! The scope `transport_licence`: the licences of one company.

use lustra_sdk::listed::{OfCompany, ShownTerm};
use lustra_sdk::unread::Unread;
use serde::Serialize;

use crate::licence::Licence;

/// The section: the list of all licences, and the data of one in force (a Community licence if there is one).
#[derive(Debug, Serialize)]
pub struct TransportLicence {
    /// Null if the list was not read.
    has_licence: Option<bool>,
    eurolicence_number: Option<String>,
    /// The largest number of vehicles of a licence in force. One fleet appears on several licences, so numbers are not
    /// added up.
    vehicles_count: Option<u64>,
    valid_from: Option<String>,
    valid_to: Option<String>,
    licences: Vec<Entry>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<Unread>,
}

#[derive(Debug, Serialize)]
struct Entry {
    licence_number: String,
    kind: String,
    is_eurolicence: bool,
    vehicles_count: Option<u64>,
    authority: Option<String>,
    issued_on: Option<String>,
    #[serde(flatten)]
    term: ShownTerm,
}

/// The section on a day given as `YYYY-MM-DD`.
pub fn section(found: OfCompany<Licence>, today: &str) -> TransportLicence {
    let entry = |licence: &Licence| Entry {
        licence_number: licence.number.clone(),
        kind: licence.kind.clone(),
        is_eurolicence: licence.is_eurolicence,
        vehicles_count: licence.vehicles,
        authority: licence.authority.clone(),
        issued_on: licence.issued_on.clone(),
        term: licence.term.shown(today),
    };
    let mut licences: Vec<Entry> = found.entries.iter().map(entry).collect();
    licences.sort_by_key(|entry| (entry.term.order(), entry.licence_number.clone()));
    let in_force = || licences.iter().filter(|entry| entry.term.is_valid());
    let eurolicence = in_force().find(|entry| entry.is_eurolicence);
    let first = eurolicence.or_else(|| in_force().next());
    TransportLicence {
        has_licence: found.verdict(first.is_some()),
        eurolicence_number: eurolicence.map(|entry| entry.licence_number.clone()),
        vehicles_count: in_force().filter_map(|entry| entry.vehicles_count).max(),
        valid_from: first.and_then(|entry| entry.term.valid_from.clone()),
        valid_to: first.and_then(|entry| entry.term.valid_to.clone()),
        licences,
        unread: found.unread,
    }
}
