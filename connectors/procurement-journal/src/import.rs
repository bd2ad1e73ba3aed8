//! The dataset `notices`: one issue after another, in ascending order, after the last one that was read.
//!
//! A batch never spans two issues. Its end within an issue depends only on its beginning, so that a run resumed
//! anywhere returns exactly the rest. The host writes a batch before it requests the next, so later runs see their own
//! batches. What a first run wrote becomes visible only at its end.

use std::cell::Cell;

use lustra_sdk::runtime::Remaining;
use lustra_sdk::{Batch, Failure, ImportRun, failure, runtime};

use crate::award::{FIRST_ISSUE, FirstIssue};
use crate::cursor::{Cursor, IssueNumber};
use crate::issue::{self, Issue};
use crate::listing::{self, Listed};
use crate::pending::Pending;
use crate::series;
use crate::settings::{Settings, Since};
use lustra_sdk::calendar;

/// A batch ends with the notice with which it reaches this many records.
const BATCH: usize = 500;
/// A run leaves this fraction (one part in `SPARE`) of its limits unused, so that it ends at a cursor. The next
/// run resumes; the whole history takes several runs.
const SPARE: u64 = 8;
/// A run stops after this many minutes; the host aborts it after an hour.
const MOST_MINUTES: i64 = 45;

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
    let from = match cursor {
        Some(Cursor {
            issue,
            given: Some(_),
        }) => issue,
        Some(Cursor { issue, given: None }) => IssueNumber {
            number: issue.number + 1,
            ..issue
        },
        None => first_year(&settings.since),
    };
    let odd_entries = Cell::new(0);
    let ask = |page| {
        let page = listing::ask(&settings, page)?;
        odd_entries.set(odd_entries.get() + page.odd);
        Ok(page)
    };
    let known = cursor.map(|cursor| cursor.issue);
    let parts = || {
        let files = series::ask(&settings)?;
        odd_entries.set(odd_entries.get() + files.odd);
        Ok(files.urls)
    };
    let (hosts, size) = (&settings.hosts, settings.page_size);
    let mut issues = listing::collect(hosts, size, from, known, ask, parts)?;
    if cursor.is_none() {
        let first = first_issue(&settings.since, &issues)?;
        issues.drain(..first);
    }
    let given = cursor.and_then(|cursor| cursor.given).unwrap_or_default();
    if given > 0 && issues.first().map(|listed| listed.issue) != known {
        return Err(failure::list_changed(
            "the issue that was being read is no longer listed",
        ));
    }
    let odd_entries = odd_entries.get();
    Ok(Box::new(Run {
        settings,
        issues,
        odd_entries,
        at: 0,
        given,
        judged: (0, 0),
        text: None,
        before: known,
        is_first: cursor.is_none(),
        allowance: runtime::left(),
        began: runtime::now(),
    }))
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

struct Run {
    settings: Settings,
    issues: Vec<Listed>,
    /// The number of unreadable entries of the catalogue that no batch has noted yet.
    odd_entries: u64,
    /// The index of the issue in progress.
    at: usize,
    /// The number of its items that were returned.
    given: usize,
    /// How many items of the issue this run has read, and how many of them were odd.
    judged: (u64, u64),
    /// The content of its file, once it is downloaded.
    text: Option<String>,
    /// The issue read before this one. `None` if nothing was read before.
    before: Option<IssueNumber>,
    /// Whether no issue was read before this run.
    is_first: bool,
    allowance: Remaining,
    began: String,
}

impl ImportRun for Run {
    fn next(&mut self) -> Result<Option<Batch>, Failure> {
        let Some(listed) = self.issues.get(self.at).cloned() else {
            return Ok(None);
        };
        if self.at > 0 && self.text.is_none() && self.is_spent() {
            return Ok(None);
        }
        // After a failure the file is gone, so that the next call begins where the last batch ended.
        let text = match self.text.take() {
            Some(text) => text,
            None => issue::download(&listed)?,
        };
        let issue = issue::read(listed.issue, &text)?;
        if issue.items.len() < self.given {
            return Err(failure::list_changed(format!(
                "the issue {} has fewer items than were given",
                listed.issue
            )));
        }
        let (items, odd) = self.judged;
        let mut pending = Pending::behind(items, odd);
        if self.given == 0 {
            self.begin(&issue, &mut pending)?;
        }
        let mut place = self.given;
        for item in issue.items.iter().skip(self.given) {
            pending.add(&issue, place, item, &self.settings)?;
            place += 1;
            if pending.records() >= BATCH {
                break;
            }
        }
        let is_done = place == issue.items.len();
        pending.check(&issue, is_done)?;
        self.judged = if is_done {
            (0, 0)
        } else {
            (pending.notes.rows(), pending.notes.odd_rows())
        };
        let odd_entries = std::mem::take(&mut self.odd_entries);
        pending.notes.count_many("unreadable_entries", odd_entries);
        let published_at = issue.published_at;
        if is_done {
            self.at += 1;
            self.given = 0;
            self.before = Some(listed.issue);
        } else {
            self.given = place;
            self.text = Some(text);
        }
        let cursor = Cursor {
            issue: listed.issue,
            given: (!is_done).then_some(place),
        };
        let (items, notes) = pending.finish();
        Ok(Some(Batch {
            items,
            companies: Vec::new(),
            cursor: cursor.to_string(),
            list_date: Some(published_at),
            progress: u16::try_from(self.at * 1_000 / self.issues.len()).ok(),
            notes: notes.fields(),
        }))
    }
}

impl Run {
    /// Adds the records of the issue as a whole.
    fn begin(&self, issue: &Issue<'_>, pending: &mut Pending) -> Result<(), Failure> {
        if issue.items.is_empty() {
            pending.notes.count("empty_issues");
        }
        let before = self.before.filter(|before| before.year == issue.issue.year);
        let between = before.map_or(0, |before| {
            issue.issue.number.saturating_sub(before.number + 1)
        });
        pending
            .notes
            .count_many("missing_issues", u64::from(between));
        if self.is_first && self.at == 0 {
            let first = FirstIssue {
                published_at: issue.published_at.clone(),
            };
            pending.put(FIRST_ISSUE.to_owned(), None, &first)?;
        }
        Ok(())
    }

    /// Whether the run should end here because little of the allowance is left.
    fn is_spent(&self) -> bool {
        let left = runtime::left();
        let is_low = |left: u64, begun: u64| left < begun / SPARE;
        is_low(left.bytes, self.allowance.bytes)
            || is_low(left.cpu_ms, self.allowance.cpu_ms)
            || is_low(left.requests, self.allowance.requests)
            || calendar::seconds_between(&self.began, &runtime::now())
                .map(|seconds| seconds / 60)
                .is_some_and(|minutes| minutes >= MOST_MINUTES)
    }
}
