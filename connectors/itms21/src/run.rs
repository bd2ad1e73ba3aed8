//! A run over whole lists, page by page in the order of ids.
//!
//! The cursor names the id read last, so that a run resumes anywhere. A list ends with a page without a further id,
//! never with a short page; a list that ends before the size that its first page stated fails the run, because absence
//! would be concluded from it.

use std::collections::{BTreeSet, VecDeque};
use std::mem;

use lustra_sdk::failure::list_changed;
use lustra_sdk::runtime::{self, Remaining};
use lustra_sdk::serde_json::{Value, from_str};
use lustra_sdk::{
    Batch, Failure, ImportRun, Item, Notes, calendar, ico, malformed, records, to_json,
};
use serde::{Deserialize, Serialize};

use crate::gaps;
use crate::list::{self, Page};
use crate::settings::Settings;
use crate::sweep::{List, Rows, Step, Time, key};

/// A run ends this many minutes after its last request for a detail. With the default of `run_minutes` it ends before
/// the hour after which the host aborts it. The host begins an aborted run again; a run that ended as unavailable it
/// resumes at its cursor.
const MORE_MINUTES: i64 = 10;
/// A run ends when less than this fraction (one part in so many) of its requests, bytes or CPU time is left.
const SPARE_PART: u64 = 32;
/// So much of the list, in percent, may vanish while it is read.
const VANISHED_PERCENT: u64 = 2;

/// The place of a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cursor {
    /// The day on which the run began.
    day: String,
    /// When the current part of the run began.
    began: String,
    /// The index of the list.
    list: usize,
    /// The id read last.
    after: u64,
    /// The number of its rows read.
    read: u64,
    /// The size that its first page stated.
    size: u64,
    /// The number of rows of all lists.
    rows: u64,
    odd_rows: u64,
    /// The number of rows whose companies are not all known.
    gaps: u64,
}

struct Run<R> {
    reader: R,
    lists: Vec<List>,
    page_size: u32,
    most_seconds: i64,
    /// What the run could use when it was opened.
    allowance: Remaining,
    cursor: Cursor,
    /// Rows of the newest page that no batch contains yet.
    waiting: VecDeque<Value>,
    /// Rows without an id at the end of the newest page. The next page begins with them again, because it is the page
    /// behind the last id.
    again: Vec<Value>,
    /// Notes of the first waiting row, of which a part was read.
    of_row: Notes,
    /// Set after the list's last page, until its rows are read: the size that this page stated.
    end: Option<u64>,
    /// The failure at the first waiting row. The batch before it was returned first.
    failure: Option<Failure>,
    /// Counts of the whole run, by which the share of odd rows is judged.
    all: Notes,
}

/// Starts a run over the lists of a dataset, or resumes one.
///
/// # Errors
/// [`list_changed`] for a cursor of another version, [`Failure::Misconfigured`] for a setting of another shape.
pub fn open<R: Rows + 'static>(
    reader: R,
    cursor: Option<&str>,
) -> Result<Box<dyn ImportRun>, Failure> {
    let settings = Settings::read()?;
    let now = runtime::now();
    let mut cursor = match cursor {
        Some(text) => from_str(text).map_err(|error| {
            list_changed(format!("the cursor is not one of this version: {error}"))
        })?,
        None => Cursor {
            day: runtime::today(),
            began: now.clone(),
            list: 0,
            after: 0,
            read: 0,
            size: 0,
            rows: 0,
            odd_rows: 0,
            gaps: 0,
        },
    };
    let most_seconds = settings
        .run_minutes
        .saturating_add(MORE_MINUTES)
        .saturating_mul(60);
    // A newer component may take over a run that the host still counts as one. A run that has ended gets new time.
    let since = calendar::seconds_between(&cursor.began, &now);
    if !since.is_some_and(|seconds| (0..most_seconds).contains(&seconds)) {
        cursor.began = now;
    }
    Ok(Box::new(Run {
        lists: reader.lists(),
        reader,
        page_size: settings.page_size,
        most_seconds,
        allowance: runtime::left(),
        all: Notes::resumed(cursor.rows, cursor.odd_rows),
        cursor,
        waiting: VecDeque::new(),
        again: Vec::new(),
        of_row: Notes::default(),
        end: None,
        failure: None,
    }))
}

impl<R: Rows> ImportRun for Run<R> {
    fn next(&mut self) -> Result<Option<Batch>, Failure> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        self.check_limits()?;
        let time = Time::begin();
        while self.waiting.is_empty() {
            if let Some(size) = self.end.take() {
                self.turn(size)?;
            }
            let Some(list) = self.lists.get(self.cursor.list) else {
                return self.last_batch();
            };
            let page = list::ask(&list.path, self.page_size, self.cursor.after)?;
            self.take(page);
        }
        self.batch(time).map(Some)
    }
}

impl<R: Rows> Run<R> {
    /// Ends the run before the host aborts it.
    fn check_limits(&self) -> Result<(), Failure> {
        let seconds = calendar::seconds_between(&self.cursor.began, &runtime::now());
        let is_long = seconds.is_some_and(|seconds| seconds >= self.most_seconds);
        if !is_long && !is_spent(&runtime::left(), &self.allowance) {
            return Ok(());
        }
        Err(Failure::Unavailable(
            "the lists take longer than one run may; the next run continues".to_owned(),
        ))
    }

    /// Takes the rows of a page. Its last id decides where the next page begins, so that a page without any is the last
    /// one.
    fn take(&mut self, mut page: Page) {
        let again = mem::take(&mut self.again);
        if page.rows.starts_with(&again) {
            page.rows.drain(..again.len());
        }
        let has_id = |row: &Value| list::id(row).is_some();
        if let Some(last) = page.rows.iter().rposition(has_id) {
            self.again = page.rows.get(last + 1..).unwrap_or_default().to_vec();
            self.cursor.size = self.cursor.size.max(page.size);
        } else {
            self.end = Some(page.size);
        }
        self.waiting = page.rows.into();
    }

    /// The records of the waiting rows, or of as many as the call's time permits.
    fn batch(&mut self, time: Time) -> Result<Batch, Failure> {
        let (mut items, mut notes) = (Vec::new(), Notes::default());
        while let Some(row) = self.waiting.front() {
            let mut of_row = mem::take(&mut self.of_row);
            if of_row.rows() == 0 {
                of_row.row();
            }
            if let Some(id) = list::id(row) {
                let read = self
                    .reader
                    .records(self.cursor.list, row, time, &mut of_row);
                match read {
                    Ok(Step::Done(records)) => items.extend(records),
                    Ok(Step::More(records)) => {
                        items.extend(records);
                        self.of_row = of_row;
                        break;
                    }
                    Err(wrong @ Failure::Malformed(_)) => {
                        of_row.odd_row("unreadable_rows", &wrong);
                        let marked = self.unreadable(id, row)?;
                        if marked.is_empty() {
                            of_row.count(gaps::NOTE);
                        }
                        items.extend(marked);
                    }
                    Err(other) if notes.rows() == 0 => return Err(other),
                    Err(other) => {
                        self.failure = Some(other);
                        break;
                    }
                }
                self.cursor.after = id;
            } else {
                of_row.odd_row("rows_without_id", &list::without_id());
                of_row.count(gaps::NOTE);
            }
            notes.add(&of_row);
            self.waiting.pop_front();
            self.cursor.read += 1;
            if time.is_nearly_over() {
                break;
            }
        }
        self.all.add(&notes);
        (self.cursor.rows, self.cursor.odd_rows) = (self.all.rows(), self.all.odd_rows());
        self.cursor.gaps += notes.of(gaps::NOTE);
        let end = if self.waiting.is_empty() {
            self.end.take()
        } else {
            None
        };
        if let Some(size) = end {
            self.turn(size)?;
        }
        self.finished(items, &notes)
    }

    /// A record with the number of gaps, if there are any, behind the last list.
    fn last_batch(&mut self) -> Result<Option<Batch>, Failure> {
        let count = mem::take(&mut self.cursor.gaps);
        if count == 0 {
            return Ok(None);
        }
        self.finished(vec![gaps::item(count)?], &Notes::default())
            .map(Some)
    }

    fn finished(&self, items: Vec<Item>, notes: &Notes) -> Result<Batch, Failure> {
        Ok(Batch {
            items,
            companies: Vec::new(),
            cursor: to_json(&self.cursor)?,
            list_date: Some(self.cursor.day.clone()),
            progress: self.progress(),
            notes: notes.fields(),
        })
    }

    /// The records of an odd row: one for each of its companies. Without them these companies would count as not
    /// listed.
    fn unreadable(&self, id: u64, row: &Value) -> Result<Vec<Item>, Failure> {
        let Some(list) = self.lists.get(self.cursor.list) else {
            return Ok(Vec::new());
        };
        let mut icos = BTreeSet::from_iter(self.reader.others_of(id)?);
        for subject in list.subjects.iter().filter_map(|member| row.get(member)) {
            let subjects = subject
                .as_array()
                .map_or(std::slice::from_ref(subject), Vec::as_slice);
            let of_subject = |subject: &Value| ico::parse(subject.get("ico")?.as_str()?);
            icos.extend(subjects.iter().filter_map(of_subject));
        }
        let record = |ico: &String| records::unreadable_row(key(list.prefix, id, ico), ico);
        icos.iter().map(record).collect()
    }

    /// Checks a list that has ended, and turns to the next one. `size` is that of the last page.
    fn turn(&mut self, size: u64) -> Result<(), Failure> {
        if let Some(list) = self.lists.get(self.cursor.list) {
            self.cursor.check_end(list, size)?;
        }
        // Judged over whole lists: the first rows of a long list may be odd.
        self.all.check_odd_rows("rows of the register")?;
        self.cursor.turn();
        self.again.clear();
        Ok(())
    }

    /// The progress in thousandths, as if all lists were equally long.
    fn progress(&self) -> Option<u16> {
        let of_list = self.cursor.read.saturating_mul(1_000) / self.cursor.size.max(1);
        let done = self.cursor.list.min(self.lists.len()) as u64 * 1_000 + of_list.min(1_000);
        u16::try_from((done / self.lists.len().max(1) as u64).min(1_000)).ok()
    }
}

impl Cursor {
    /// Checks that a list ended where its size says. `size` is that of the last page.
    fn check_end(&self, list: &List, size: u64) -> Result<(), Failure> {
        let (read, stated) = (self.read, self.size.max(size));
        if read == 0 {
            return Err(malformed(format!("list {}", list.path), "rows", "none"));
        }
        let least = stated - stated.saturating_mul(VANISHED_PERCENT) / 100;
        if read >= least {
            return Ok(());
        }
        Err(Failure::Unavailable(format!(
            "the list {} ended after {read} of {stated} rows",
            list.path
        )))
    }

    /// Turns to the next list.
    fn turn(&mut self) {
        self.list += 1;
        (self.after, self.read, self.size) = (0, 0, 0);
    }
}

/// Whether a run has used so much that another batch may exceed a limit.
fn is_spent(left: &Remaining, begun: &Remaining) -> bool {
    let is_low = |left: u64, begun: u64| left <= begun / SPARE_PART;
    is_low(left.requests, begun.requests)
        || is_low(left.bytes, begun.bytes)
        || is_low(left.cpu_ms, begun.cpu_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_ends_before_any_limit_is_reached() {
        let begun = |requests, bytes, cpu_ms| Remaining {
            wall_ms: 60_000,
            cpu_ms,
            requests,
            bytes,
            details: Vec::new(),
        };
        let whole = begun(10_000, 4 << 30, 1_200_000);
        assert!(!is_spent(&whole, &whole));
        assert!(!is_spent(&begun(400, 1 << 28, 60_000), &whole));
        for spent in [
            begun(312, 4 << 30, 1_200_000),
            begun(10_000, 1 << 27, 1_200_000),
            begun(10_000, 4 << 30, 37_500),
        ] {
            assert!(is_spent(&spent, &whole), "{spent:?}");
        }
    }
}
