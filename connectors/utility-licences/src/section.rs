//! The scope `utility_licence`: the permits of one company.

use lustra_sdk::listed::{OfCompany, ShownTerm};
use lustra_sdk::unread::Unread;
use serde::Serialize;

use crate::permit::{Kind, Permit};
use crate::segment::Segment;

#[derive(Debug, Serialize)]
pub struct UtilityLicence {
    /// Null if the list was not read.
    has_licences: Option<bool>,
    segments: Vec<Entry>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<Unread>,
}

#[derive(Debug, Serialize)]
struct Entry {
    licence_number: String,
    segment: Segment,
    activity: Option<String>,
    kind: Option<Kind>,
    issued_on: Option<String>,
    #[serde(flatten)]
    term: ShownTerm,
}

/// The section on a day given as `YYYY-MM-DD`.
pub fn section(found: OfCompany<Permit>, today: &str) -> UtilityLicence {
    let entry = |permit: &Permit| Entry {
        licence_number: permit.number.clone(),
        segment: permit.segment,
        activity: permit.activity.clone(),
        kind: permit.kind,
        issued_on: permit.issued_on.clone(),
        term: permit.term.shown(today),
    };
    let mut segments: Vec<Entry> = found.entries.iter().map(entry).collect();
    segments.sort_by_key(|entry| (entry.term.order(), entry.licence_number.clone()));
    UtilityLicence {
        has_licences: found.verdict(segments.iter().any(|entry| entry.term.is_valid())),
        segments,
        unread: found.unread,
    }
}
