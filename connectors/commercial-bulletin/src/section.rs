//! The scope `commercial_bulletin`: how many notices of the bulletin are about a company, and the newest of them.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use lustra_sdk::unread::{self, Unread};
use lustra_sdk::{Failure, Section, calendar, malformed, records, runtime};
use serde::Serialize;

use crate::record::{self, Entry, ReadSoFar};
use crate::settings::Shown;
use crate::{DATASET, forms};

/// The section.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct CommercialBulletin {
    total_entries: usize,
    latest_entries: Vec<Latest>,
    by_section: Vec<Count>,
    since: Option<String>,
    until: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<Unread>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct Latest {
    section: String,
    heading: String,
    published_at: String,
    form: String,
    number: String,
    mark: Option<String>,
    role: String,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct Count {
    section: String,
    entries: usize,
}

/// Makes the section of a company from its imported records.
///
/// # Errors
/// [`Failure::Unavailable`] while the bulletin was never read or is off, and what the host refused.
pub fn section(ico: &str) -> Result<Section, Failure> {
    unread::imported(DATASET)?;
    let shown = Shown::read()?;
    let read = record::stored_read_so_far()?;
    let mut entries = Vec::new();
    for stored in records::all_of_company(DATASET, ico)? {
        let entry: Entry = records::content(&stored)?;
        entries.push((record::id_of_key(&stored.key)?, entry));
    }
    let today = runtime::today();
    let unread: Vec<Unread> = missing(read.as_ref(), &shown, &today)?
        .into_iter()
        .collect();
    let content = content(entries, read, &shown, unread.clone());
    unread::section(&content, &unread, Vec::new())
}

/// What of the bulletin was not read yet: newer issues may be about the company.
fn missing(
    read: Option<&ReadSoFar>,
    shown: &Shown,
    today: &str,
) -> Result<Option<Unread>, Failure> {
    let until = read.and_then(|read| read.until.as_ref());
    let is_at_end = read.is_some_and(|read| read.is_at_end);
    let why = match until {
        None => "read in part: no issue so far".to_owned(),
        Some(until) if !is_at_end => format!("read in part: up to {until} so far"),
        Some(until) => {
            let age = calendar::days_between(until, today)
                .ok_or_else(|| malformed("date of the bulletin", "YYYY-MM-DD", until))?;
            if age <= shown.stale_after_days {
                return Ok(None);
            }
            format!("no issue newer than {until}, {age} days ago")
        }
    };
    Ok(Some(Unread {
        source: DATASET.to_owned(),
        since: until.cloned(),
        why,
    }))
}

fn content(
    mut entries: Vec<(u64, Entry)>,
    read: Option<ReadSoFar>,
    shown: &Shown,
    unread: Vec<Unread>,
) -> CommercialBulletin {
    let (since, until) = read.map_or((None, None), |read| (Some(read.since), read.until));
    entries.sort_by_key(|(id, entry)| Reverse((entry.published_at.clone(), *id)));
    let title = |form: &str| match (shown.sections.get(form), forms::of_code(form)) {
        (Some(title), _) => title.clone(),
        (None, Some(known)) => known.section.to_owned(),
        (None, None) => form.to_owned(),
    };
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (_, entry) in &entries {
        *counts.entry(title(&entry.form)).or_default() += 1;
    }
    let mut by_section: Vec<Count> = counts
        .into_iter()
        .map(|(section, entries)| Count { section, entries })
        .collect();
    by_section.sort_by_key(|count| Reverse(count.entries));
    CommercialBulletin {
        total_entries: entries.len(),
        latest_entries: entries
            .into_iter()
            .take(shown.latest_entries)
            .map(|(_, entry)| Latest {
                section: title(&entry.form),
                heading: entry.heading,
                published_at: entry.published_at,
                form: entry.form,
                number: entry.number,
                mark: entry.mark,
                role: entry.role,
            })
            .collect(),
        by_section,
        since,
        until,
        unread,
    }
}
