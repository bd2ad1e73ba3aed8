//! One run over listed issues, batch by batch.
//!
//! A batch never spans two issues. Its end within an issue depends only on its beginning, so that a run resumed
//! anywhere returns exactly the rest. The host writes a batch before it requests the next, so later runs see their own
//! batches. What a first run wrote becomes visible only at its end.

use lustra_sdk::runtime::{Level, Remaining};
use lustra_sdk::{Batch, Failure, ImportRun, calendar, failure, records, runtime, unread};

use crate::award::{FIRST_ISSUE, FirstIssue};
use crate::cursor::missing::Missing;
use crate::cursor::{Cursor, IssueNumber};
use crate::gaps::{MISSING, MissingIssues, UNASSIGNED, Unassigned};
use crate::issue::{self, Issue};
use crate::listing::Listed;
use crate::names::DATASET;
use crate::pending::Pending;
use crate::settings::Settings;

/// A batch ends with the notice with which it reaches this many records.
const BATCH: usize = 500;
/// A run leaves this fraction (one part in `SPARE`) of its limits unused, so that it ends at a cursor. The next
/// run resumes; the whole history takes several runs.
const SPARE: u64 = 8;
/// A run stops after this many minutes; the host aborts it after an hour.
const MAX_MINUTES: i64 = 45;

pub struct Run {
    settings: Settings,
    issues: Vec<Listed>,
    /// The number of unreadable entries of the catalogue that no batch has noted yet.
    odd_entries: u64,
    /// The index of the issue in progress.
    at: usize,
    /// How many items of the issue this run has read, and how many of them were odd.
    judged: (u64, u64),
    /// The content of its file, once it is downloaded.
    text: Option<String>,
    /// The end of what was returned. `None` if nothing was read before.
    cursor: Option<Cursor>,
    /// The day on which the newest issue of this run was published.
    newest: Option<String>,
    /// Whether the last batch, which ends the search for missing issues, was returned.
    is_over: bool,
    allowance: Remaining,
    began: String,
}

impl Run {
    /// A run over these issues: missing ones that are listed by now, then those from the cursor on.
    #[must_use]
    pub fn new(
        settings: Settings,
        issues: Vec<Listed>,
        odd_entries: u64,
        cursor: Option<Cursor>,
    ) -> Self {
        Self {
            settings,
            issues,
            odd_entries,
            at: 0,
            judged: (0, 0),
            text: None,
            cursor,
            newest: None,
            is_over: false,
            allowance: runtime::left(),
            began: runtime::now(),
        }
    }
}

impl ImportRun for Run {
    fn next(&mut self) -> Result<Option<Batch>, Failure> {
        while let Some(listed) = self.issues.get(self.at).cloned() {
            if self.at > 0 && self.text.is_none() && self.is_spent() {
                break;
            }
            match self.batch(&listed) {
                // It stays missing, and newer issues are read.
                Err(failure @ Failure::Malformed(_)) if self.is_late(listed.issue) => {
                    let why = unread::why(&failure);
                    runtime::log(Level::Warn, &format!("skipped a late issue: {why}"));
                    self.at += 1;
                    self.judged = (0, 0);
                }
                read => return read.map(Some),
            }
        }
        self.last_batch()
    }
}

impl Run {
    /// Whether later issues were read before this one.
    fn is_late(&self, issue: IssueNumber) -> bool {
        self.cursor.as_ref().is_some_and(|end| issue < end.issue)
    }

    /// The number of an issue's items that were returned.
    fn given(&self, issue: IssueNumber) -> usize {
        match &self.cursor {
            Some(end) if issue < end.issue => end.missing.given(issue),
            Some(end) if issue == end.issue => end.given.unwrap_or_default(),
            _ => 0,
        }
    }

    /// Reads the next batch of an issue.
    fn batch(&mut self, listed: &Listed) -> Result<Batch, Failure> {
        // After a failure the file is gone, so that the next call begins where the last batch ended.
        let text = match self.text.take() {
            Some(text) => text,
            None => issue::download(listed)?,
        };
        let issue = issue::read(listed.issue, &text)?;
        let (mut given, is_late) = (self.given(listed.issue), self.is_late(listed.issue));
        if issue.items.len() < given && is_late {
            // Only this issue is read again, not the whole list.
            given = 0;
        }
        if issue.items.len() < given {
            return Err(failure::list_changed(format!(
                "the issue {} has fewer items than were given",
                listed.issue
            )));
        }
        let (items, odd) = self.judged;
        let mut pending = if is_late {
            Pending::late(items, odd)
        } else {
            Pending::behind(items, odd)
        };
        let mut end = self.cursor.clone().unwrap_or_else(|| Cursor {
            issue: listed.issue,
            given: None,
            missing: Missing::default(),
            unassigned: 0,
        });
        if given == 0 {
            self.begin(&issue, &mut end, &mut pending)?;
        }
        let mut place = given;
        for item in issue.items.iter().skip(given) {
            pending.add(&issue, place, item, &self.settings)?;
            place += 1;
            if pending.records() >= BATCH {
                break;
            }
        }
        let is_done = place == issue.items.len();
        pending.check(&issue, is_done)?;
        let left = (!is_done).then_some(place);
        if is_late {
            end.missing.give(listed.issue, left, &runtime::today());
            put_missing(&end.missing, &mut pending)?;
            pending.notes.count_many("late_issues", u64::from(is_done));
        } else {
            (end.issue, end.given) = (listed.issue, left);
        }
        if pending.unassigned > 0 {
            end.unassigned += pending.unassigned;
            let notices = end.unassigned;
            pending.put(UNASSIGNED.to_owned(), None, &Unassigned { notices })?;
        }
        let odd_entries = std::mem::take(&mut self.odd_entries);
        pending.notes.count_many("unreadable_entries", odd_entries);
        let list_date = if is_late {
            // The list is as new as its newest issue.
            records::state(DATASET)?
                .list_date
                .or(Some(issue.published_at))
        } else {
            self.newest = Some(issue.published_at);
            self.newest.clone()
        };
        if is_done {
            self.at += 1;
            self.judged = (0, 0);
        } else {
            self.judged = (pending.notes.rows(), pending.notes.odd_rows());
            self.text = Some(text);
        }
        self.finish(pending, end, list_date)
    }

    fn finish(
        &mut self,
        pending: Pending,
        end: Cursor,
        list_date: Option<String>,
    ) -> Result<Batch, Failure> {
        let cursor = end.to_string();
        self.cursor = Some(end);
        let (items, notes) = pending.finish();
        Ok(Batch {
            items,
            companies: Vec::new(),
            cursor,
            list_date,
            progress: (self.at * 1_000)
                .checked_div(self.issues.len())
                .and_then(|progress| u16::try_from(progress).ok()),
            notes: notes.fields(),
        })
    }

    /// Adds the records of the issue as a whole, and notes the issues that are missing before it.
    fn begin(
        &self,
        issue: &Issue<'_>,
        end: &mut Cursor,
        pending: &mut Pending,
    ) -> Result<(), Failure> {
        if issue.items.is_empty() {
            pending.notes.count("empty_issues");
        }
        if self.cursor.is_none() {
            let first = FirstIssue {
                published_at: issue.published_at.clone(),
            };
            return pending.put(FIRST_ISSUE.to_owned(), None, &first);
        }
        if self.is_late(issue.issue) || end.issue == issue.issue {
            return Ok(());
        }
        let today = runtime::today();
        let (count, given_up) = end.missing.skip(end.issue, issue.issue, &today);
        if count > 0 {
            pending.notes.count_many("missing_issues", count);
            put_missing(&end.missing, pending)?;
        }
        tell_given_up(&given_up, pending);
        Ok(())
    }

    /// Ends the search for issues that were missing for too long. `None` if there are none.
    fn last_batch(&mut self) -> Result<Option<Batch>, Failure> {
        let Some(mut end) = self.cursor.clone().filter(|_| !self.is_over) else {
            return Ok(None);
        };
        self.is_over = true;
        let before = end.missing.clone();
        let given_up = end.missing.give_up(&runtime::today());
        if end.missing == before {
            return Ok(None);
        }
        let mut pending = Pending::default();
        put_missing(&end.missing, &mut pending)?;
        tell_given_up(&given_up, &mut pending);
        let list_date = match self.newest.take() {
            Some(newest) => Some(newest),
            None => records::state(DATASET)?.list_date,
        };
        self.finish(pending, end, list_date).map(Some)
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
                .is_some_and(|minutes| minutes >= MAX_MINUTES)
    }
}

/// Stores the missing issues for the sections.
fn put_missing(missing: &Missing, pending: &mut Pending) -> Result<(), Failure> {
    let issues = missing.numbers();
    if issues.is_empty() {
        pending.remove(MISSING.to_owned(), None);
        return Ok(());
    }
    pending.put(MISSING.to_owned(), None, &MissingIssues { issues })
}

fn tell_given_up(issues: &[IssueNumber], pending: &mut Pending) {
    for issue in issues {
        let message =
            format!("the portal does not list the issue {issue}; it is no longer looked for");
        runtime::log(Level::Warn, &message);
    }
    let count = issues.len() as u64;
    pending.notes.count_many("missing_issues_given_up", count);
}
