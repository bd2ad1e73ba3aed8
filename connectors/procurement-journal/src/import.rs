//! The dataset `notices`: one issue after another, in ascending order, after the last one that was read. Issues that
//! were missing before and are listed by now come first.

use std::cell::Cell;

use lustra_sdk::{Failure, ImportRun, calendar, failure, records, runtime};

use crate::cursor::missing::Missing;
use crate::cursor::{Cursor, IssueNumber};
use crate::issue;
use crate::listing::{self, Listed, Wanted};
use crate::names::DATASET;
use crate::run::Run;
use crate::series;
use crate::settings::{Settings, Since};

/// Starts a run, or resumes one; see [`lustra_sdk::Importer`].
///
/// # Errors
/// As the search's; [`failure::list_changed`] for a cursor of another version.
pub fn open(cursor: Option<&str>) -> Result<Box<dyn ImportRun>, Failure> {
    let settings = Settings::read()?;
    let cursor = match cursor {
        None => None,
        Some(text) => match Cursor::parse(text) {
            Some(cursor) => Some(cursor),
            None => {
                return Err(failure::list_changed(
                    "the cursor is not one of this version",
                ));
            }
        },
    };
    let from = match &cursor {
        Some(Cursor {
            issue,
            given: Some(_),
            ..
        }) => *issue,
        Some(Cursor { issue, .. }) => IssueNumber {
            number: issue.number + 1,
            ..*issue
        },
        None => first_year(&settings.since),
    };
    let odd_entries = Cell::new(0);
    let ask = |page| {
        let page = listing::ask(&settings, page)?;
        odd_entries.set(odd_entries.get() + page.odd);
        Ok(page)
    };
    let known = cursor.as_ref().map(|cursor| cursor.issue);
    let parts = || {
        let files = series::ask(&settings)?;
        odd_entries.set(odd_entries.get() + files.odd);
        Ok(files.urls)
    };
    let (hosts, size) = (&settings.hosts, settings.page_size);
    let wanted = Wanted {
        from,
        known,
        missing: &sought(cursor.as_ref())?,
    };
    let mut issues = listing::collect(hosts, size, &wanted, ask, parts)?;
    if cursor.is_none() {
        let first = first_issue(&settings.since, &issues)?;
        issues.drain(..first);
    }
    let given = cursor.as_ref().and_then(|cursor| cursor.given);
    let is_listed = issues.iter().any(|listed| Some(listed.issue) == known);
    if given.is_some_and(|given| given > 0) && !is_listed {
        return Err(failure::list_changed(
            "the issue that was being read is no longer listed",
        ));
    }
    let odd_entries = odd_entries.get();
    Ok(Box::new(Run::new(settings, issues, odd_entries, cursor)))
}

/// The missing issues that this run looks for: none before the first import is complete. Until then later records are
/// invisible, and a late issue would overwrite them.
fn sought(cursor: Option<&Cursor>) -> Result<Missing, Failure> {
    if records::state(DATASET)?.imported_at.is_none() {
        return Ok(Missing::default());
    }
    let missing = cursor.map(|cursor| cursor.missing.clone());
    Ok(missing.unwrap_or_default())
}

/// The first issue of the year that the setting names, or of the year before a date: issues are numbered by year.
fn first_year(since: &Since) -> IssueNumber {
    let year = match since {
        Since::Year(year) => *year,
        Since::Date(date) => date
            .get(..4)
            .and_then(|year| year.parse().ok())
            .unwrap_or(0),
        Since::Days(_) => 0,
    };
    IssueNumber { year, number: 0 }
}

/// The index of the first issue published on the day or later. Issues are in order of time, so a few of them are read
/// instead of all.
fn first_issue(since: &Since, issues: &[Listed]) -> Result<usize, Failure> {
    let is_late: Box<dyn Fn(&str) -> bool> = match since {
        Since::Year(_) => return Ok(0),
        Since::Date(date) => {
            let date = date.clone();
            Box::new(move |published| published >= date.as_str())
        }
        Since::Days(days) => {
            let (today, days) = (runtime::today(), i64::from(*days));
            Box::new(move |published| {
                calendar::days_between(published, &today).is_none_or(|ago| ago <= days)
            })
        }
    };
    let (mut low, mut high) = (0, issues.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let Some(listed) = issues.get(middle) else {
            break;
        };
        let text = issue::download(listed)?;
        if is_late(&issue::read(listed.issue, &text)?.published_at) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Ok(low)
}
