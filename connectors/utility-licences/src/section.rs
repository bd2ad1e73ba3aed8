//! The scope `utility_licence`: the permits of one company.

use lustra_sdk::listed::{self, ShownTerm};
use lustra_sdk::unread::{self, Unread};
use lustra_sdk::{Failure, Section, Subject, runtime};
use serde::Serialize;

use crate::DATASET;
use crate::permit::{Kind, Permit};
use crate::segment::Segment;

#[derive(Debug, Serialize)]
struct UtilityLicence {
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

/// Builds the section.
///
/// # Errors
/// A subject without an IČO; a record of another version; the host's refusal.
pub fn section(subject: &Subject) -> Result<Section, Failure> {
    let found = listed::of_company::<Permit>(DATASET, subject)?;
    let today = runtime::today();
    let entry = |permit: &Permit| Entry {
        licence_number: permit.number.clone(),
        segment: permit.segment,
        activity: permit.activity.clone(),
        kind: permit.kind,
        issued_on: permit.issued_on.clone(),
        term: permit.term.shown(&today),
    };
    let mut segments: Vec<Entry> = found.entries.iter().map(entry).collect();
    segments.sort_by_key(|entry| (entry.term.order(), entry.licence_number.clone()));
    let section = UtilityLicence {
        has_licences: found.verdict(segments.iter().any(|entry| entry.term.is_valid())),
        segments,
        unread: found.unread,
    };
    unread::section(&section, &section.unread, Vec::new())
}
