//! The scope `illegal_employment`: the list's entries of one company.

use lustra_sdk::unread::{self, Sources, Unread};
use lustra_sdk::{Failure, Section, Subject, ico, records};
use serde::Serialize;

use crate::import::DATASET;
use crate::list::Entry;

#[derive(Debug, Serialize)]
struct IllegalEmployment {
    /// Null if the list was not read.
    listed: Option<bool>,
    /// Null if the list was not read.
    count: Option<usize>,
    /// The day of the oldest decision in the list.
    since: Option<String>,
    /// The newest decision first.
    entries: Vec<Entry>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<Unread>,
}

/// Builds the section.
///
/// # Errors
/// [`Failure::Unavailable`] if the list was never imported; a subject without an IČO; the host's refusal.
pub fn section(subject: &Subject) -> Result<Section, Failure> {
    ico::required(&subject.ico, "fines")?;
    if records::state(DATASET)?.off {
        let mut sources = Sources::default();
        sources.has(DATASET)?;
        let silent = IllegalEmployment {
            listed: None,
            count: None,
            since: None,
            entries: Vec::new(),
            unread: sources.unread.clone(),
        };
        return sources.section(&silent);
    }
    unread::imported(DATASET)?;
    let (mut entries, mut unread) = (Vec::new(), Vec::new());
    for stored in records::all_of_company(DATASET, &subject.ico)? {
        if records::is_unreadable_row(&stored) {
            unread.push(Unread::of_odd_row(DATASET));
        } else {
            entries.push(records::content::<Entry>(&stored)?);
        }
    }
    let by_date = |entry: &Entry| {
        (
            entry.decision_date.clone(),
            entry.violation_date.clone(),
            entry.decision_number.clone(),
        )
    };
    entries.sort_by(|a, b| by_date(b).cmp(&by_date(a)).then_with(|| a.cmp(b)));
    let content = IllegalEmployment {
        // A row that could not be read still lists the company.
        listed: Some(!entries.is_empty() || !unread.is_empty()),
        count: unread.is_empty().then_some(entries.len()),
        since: entries
            .iter()
            .filter_map(|entry| entry.decision_date.clone())
            .min(),
        entries,
        unread,
    };
    unread::section(&content, &content.unread, Vec::new())
}
