//! A run over whole lists, page by page in the order of ids.
//!
//! The cursor names the id read last, so that a run resumes anywhere. A list ends with an empty page; a list that ends
//! before the size that its first page stated fails the run, because absence would be concluded from it.

use std::collections::VecDeque;

use lustra_sdk::failure::list_changed;
use lustra_sdk::serde_json::{Value, from_str};
use lustra_sdk::{
    Batch, Failure, ImportRun, Item, Notes, calendar, ico, malformed, records, runtime, to_json,
};
use serde::{Deserialize, Serialize};

use crate::list;
use crate::settings::Settings;

/// A batch ends when less wall time than this is left of the call.
const SPARE_MS: u64 = 14_000;
/// A run ends after this many minutes. The host aborts a run after an hour and begins an aborted one again; a run that
/// ended as unavailable it resumes at its cursor.
const MOST_MINUTES: i64 = 55;
/// So much of the list, in percent, may vanish while it is read.
const VANISHED_PERCENT: u64 = 2;

/// A list of the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    /// Path below the API's base.
    pub path: String,
    /// The member of a row with the subject that the row is about.
    pub subject: &'static str,
    /// What the keys of its records begin with.
    pub prefix: &'static str,
}

/// The lists of a dataset and what is stored of their rows.
pub trait Rows {
    /// The lists in the order in which they are read.
    fn lists(&self) -> Vec<List>;

    /// The records of a row of the list at an index: one for each company, with a key by [`key`]. Records may be added
    /// in several calls; the row is finished once a call returns [`Step::Done`].
    ///
    /// # Errors
    /// [`Failure::Malformed`] for an odd row; any other failure ends the run.
    fn records(&mut self, list: usize, row: &Value, notes: &mut Notes) -> Result<Step, Failure>;
}

/// How far a row was read.
#[derive(Debug)]
pub enum Step {
    /// These are the last records of the row.
    Done(Vec<Item>),
    /// The call's time is nearly used up: the next batch goes on with the row.
    More(Vec<Item>),
}

/// The key of the record of a row and a company. `prefix` is that of the list.
#[must_use]
pub fn key(prefix: &str, id: u64, ico: &str) -> String {
    format!("{}{ico}", keys_of(prefix, id))
}

/// What the keys of a row's records begin with.
#[must_use]
pub fn keys_of(prefix: &str, id: u64) -> String {
    format!("{prefix}{id:010}/")
}

/// The place of a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cursor {
    /// The day on which the run began.
    day: String,
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
}

/// Whether the call's time is nearly used up.
#[must_use]
pub fn is_nearly_over() -> bool {
    runtime::left().wall_ms < SPARE_MS
}

struct Run<R> {
    reader: R,
    lists: Vec<List>,
    page_size: u32,
    cursor: Cursor,
    /// When the run was opened.
    began: String,
    /// Rows of the newest page that no batch contains yet.
    waiting: VecDeque<Value>,
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
    let cursor = match cursor {
        Some(text) => from_str(text).map_err(|error| {
            list_changed(format!("the cursor is not one of this version: {error}"))
        })?,
        None => Cursor {
            day: runtime::today(),
            list: 0,
            after: 0,
            read: 0,
            size: 0,
            rows: 0,
            odd_rows: 0,
        },
    };
    Ok(Box::new(Run {
        lists: reader.lists(),
        reader,
        page_size: Settings::read()?.page_size,
        all: Notes::resumed(cursor.rows, cursor.odd_rows),
        cursor,
        began: runtime::now(),
        waiting: VecDeque::new(),
        failure: None,
    }))
}

impl<R: Rows> ImportRun for Run<R> {
    fn next(&mut self) -> Result<Option<Batch>, Failure> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        self.check_time()?;
        while self.waiting.is_empty() {
            let Some(list) = self.lists.get(self.cursor.list) else {
                return Ok(None);
            };
            let page = list::ask(&list.path, self.page_size, self.cursor.after)?;
            // Rows without an id do not advance the cursor: a page of them alone would come again.
            if page.rows.iter().all(|row| list::id(row).is_none()) {
                self.cursor.read += page.rows.len() as u64;
                self.cursor.check_end(list, page.size)?;
                self.cursor.turn();
                continue;
            }
            self.cursor.size = self.cursor.size.max(page.size);
            self.waiting = page.rows.into();
        }
        self.batch().map(Some)
    }
}

impl<R: Rows> Run<R> {
    /// Ends the run before the host aborts it.
    fn check_time(&self) -> Result<(), Failure> {
        let seconds = calendar::seconds_between(&self.began, &runtime::now());
        if seconds.is_none_or(|seconds| seconds < MOST_MINUTES * 60) {
            return Ok(());
        }
        Err(Failure::Unavailable(format!(
            "the lists take longer than {MOST_MINUTES} minutes; the next run continues"
        )))
    }

    /// The records of the waiting rows, or of as many as the call's time permits.
    fn batch(&mut self) -> Result<Batch, Failure> {
        let (mut items, mut notes) = (Vec::new(), Notes::default());
        while let Some(row) = self.waiting.front() {
            let mut of_row = Notes::default();
            of_row.row();
            let Some(id) = list::id(row) else {
                of_row.odd_row("rows_without_id", &list::without_id());
                notes.add(&of_row);
                self.waiting.pop_front();
                self.cursor.read += 1;
                continue;
            };
            match self.reader.records(self.cursor.list, row, &mut of_row) {
                Ok(Step::Done(records)) => items.extend(records),
                Ok(Step::More(records)) => {
                    items.extend(records);
                    break;
                }
                Err(wrong @ Failure::Malformed(_)) => {
                    of_row.odd_row("unreadable_rows", &wrong);
                    let list = self.lists.get(self.cursor.list);
                    items.extend(
                        list.map(|list| unreadable(list, id, row))
                            .transpose()?
                            .flatten(),
                    );
                }
                Err(other) if notes.rows() == 0 => return Err(other),
                Err(other) => {
                    self.failure = Some(other);
                    break;
                }
            }
            notes.add(&of_row);
            self.waiting.pop_front();
            self.cursor.after = id;
            self.cursor.read += 1;
            if is_nearly_over() {
                break;
            }
        }
        self.all.add(&notes);
        self.all.check_odd_rows("rows of the register")?;
        (self.cursor.rows, self.cursor.odd_rows) = (self.all.rows(), self.all.odd_rows());
        Ok(Batch {
            items,
            companies: Vec::new(),
            cursor: to_json(&self.cursor)?,
            list_date: Some(self.cursor.day.clone()),
            progress: self.progress(),
            notes: notes.fields(),
        })
    }

    /// The progress in thousandths, as if all lists were equally long.
    fn progress(&self) -> Option<u16> {
        let of_list = (self.cursor.read * 1_000 / self.cursor.size.max(1)).min(1_000);
        let done = self.cursor.list as u64 * 1_000 + of_list;
        u16::try_from(done / self.lists.len().max(1) as u64).ok()
    }
}

impl Cursor {
    /// Checks that a list ended where its size says. `size` is that of the empty page.
    fn check_end(&self, list: &List, size: u64) -> Result<(), Failure> {
        let (read, stated) = (self.read, self.size.max(size));
        if read == 0 {
            return Err(malformed(format!("list {}", list.path), "rows", "none"));
        }
        let least = stated - stated * VANISHED_PERCENT / 100;
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

/// The record of an odd row, if the row names a company. Without it the company would count as not listed.
fn unreadable(list: &List, id: u64, row: &Value) -> Result<Option<Item>, Failure> {
    let subject = row.get(list.subject);
    let ico = subject
        .and_then(|subject| subject.get("ico")?.as_str())
        .and_then(ico::parse);
    ico.map(|ico| records::unreadable_row(key(list.prefix, id, &ico), &ico))
        .transpose()
}
