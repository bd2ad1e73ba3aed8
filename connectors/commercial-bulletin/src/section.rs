//! The scope `commercial_bulletin`: number of the bulletin's notices about a company, and the newest of them,
//! over both datasets.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use lustra_sdk::unread::{self, Gap, Unread};
use lustra_sdk::{Failure, Section, calendar, malformed, records, runtime};
use serde::Serialize;

use crate::datasets::DATASETS;
use crate::forms;
use crate::record::{self, Entry, ReadSoFar};
use crate::settings::Shown;

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
    form: Option<String>,
    number: String,
    mark: Option<String>,
    role: String,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct Count {
    section: String,
    entries: usize,
}

/// The content read from both datasets.
#[derive(Debug, Default)]
struct Read {
    /// Entries with the index of their dataset and the id of their row, which order entries of one day.
    entries: Vec<(Entry, Reverse<usize>, u64)>,
    since: Option<String>,
    until: Option<String>,
    unread: Vec<Unread>,
}

/// Builds the section of a company from its imported records.
///
/// # Errors
/// [`Failure::Unavailable`] if neither dataset was ever read or both are off; the host's refusal.
pub fn section(ico: &str) -> Result<Section, Failure> {
    let shown = Shown::read()?;
    let today = runtime::today();
    let mut all = Read::default();
    let mut silent = Vec::new();
    for (place, dataset) in DATASETS.into_iter().enumerate() {
        if let Some(missing) = unread::of_dataset(dataset)? {
            silent.push(missing.of_its_dataset());
            all.unread.push(missing);
            continue;
        }
        let read = record::stored_read_so_far(dataset)?;
        all.unread
            .extend(missing(dataset, read.as_ref(), &shown, &today)?);
        all.reaches(read);
        for stored in records::all_of_company(dataset, ico)? {
            let entry: Entry = records::content(&stored)?;
            let id = record::id_of_key(&stored.key)?;
            all.entries.push((entry, Reverse(place), id));
        }
    }
    if silent.len() == DATASETS.len() {
        return Err(Failure::Unavailable(silent.join("; ")));
    }
    let unread = all.unread.clone();
    unread::section(&content(all, &shown), &unread, Vec::new())
}

impl Read {
    /// Narrows the range to what every dataset covers: the later start, the earlier end.
    fn reaches(&mut self, read: Option<ReadSoFar>) {
        let Some(read) = read else {
            return;
        };
        if self.since.as_ref().is_none_or(|since| *since < read.since) {
            self.since = Some(read.since);
        }
        if let Some(until) = read.until
            && self.until.as_ref().is_none_or(|earlier| until < *earlier)
        {
            self.until = Some(until);
        }
    }
}

/// The unread part of a dataset: newer issues may be about the company.
fn missing(
    dataset: &str,
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
        source: dataset.to_owned(),
        since: until.cloned(),
        why: Gap::partly(why),
    }))
}

/// The chapter, in order of preference: the operator's title, the record's own, that of the form, the code of
/// an unknown form.
fn title(entry: &Entry, shown: &Shown) -> String {
    let code = entry.form.as_ref().or(entry.kind.as_ref());
    let given = code.and_then(|code| shown.sections.get(code));
    let known = entry.form.as_deref().and_then(forms::of_code);
    given
        .or(entry.section.as_ref())
        .cloned()
        .or_else(|| known.map(|form| form.section.to_owned()))
        .or_else(|| entry.form.clone())
        .unwrap_or_default()
}

fn content(read: Read, shown: &Shown) -> CommercialBulletin {
    let mut entries = read.entries;
    entries.sort_by_cached_key(|(entry, place, id)| {
        Reverse((entry.published_at.clone(), *place, *id))
    });
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (entry, _, _) in &entries {
        *counts.entry(title(entry, shown)).or_default() += 1;
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
            .map(|(entry, _, _)| Latest {
                section: title(&entry, shown),
                heading: entry.heading,
                published_at: entry.published_at,
                form: entry.form,
                number: entry.number,
                mark: entry.mark,
                role: entry.role,
            })
            .collect(),
        by_section,
        since: read.since,
        until: read.until,
        unread: read.unread,
    }
}
