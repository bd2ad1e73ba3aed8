//! The import of the operator's list.
//!
//! The list is streamed. A resumed run reads it from its beginning and returns no records until it reaches the cursor's
//! position. It continues only if the records that it skipped are those that the earlier run read.

use std::collections::HashMap;
use std::io::BufRead;

use lustra_sdk::failure::list_changed;
use lustra_sdk::http::Request;
use lustra_sdk::{
    Batch, Failure, ImportRun, Item, Notes, fingerprint, malformed, records, to_json,
};
use serde::{Deserialize, Serialize};

use crate::list::{Record, Row, Rows};
use crate::settings::{Settings, States};

pub const DATASET: &str = "authorizations";

/// The upstream of the operator's list.
const UPSTREAM: &str = "executions-list";

/// How many records a batch has, except the last one.
const BATCH: usize = 1_000;

/// Starts a run, or resumes one at a cursor.
///
/// # Errors
/// The failure of the upstream or of the list's header; `list-changed` if the cursor belongs to another list.
pub fn open(cursor: Option<&str>) -> Result<Box<dyn ImportRun>, Failure> {
    let body = Request::get(UPSTREAM, "").fetch()?.body;
    body.decode(Some(&Settings::read()?.list_charset))?;
    let rows = Rows::open(UPSTREAM, body.reader(), States::read()?)?;
    Ok(Box::new(Run::new(rows).resumed(cursor)?))
}

/// The position of a run in the list.
#[derive(Serialize, Deserialize)]
struct RunCursor {
    /// The number of records returned so far.
    records: u64,
    /// Fingerprint of those records.
    mark: String,
}

pub struct Run<R> {
    rows: Rows<R>,
    /// Fingerprints of keys, each with the fingerprint of its content.
    known: HashMap<u64, u64>,
    list_date: Option<String>,
    rows_read: u64,
    all_notes: Notes,
    records: u64,
    mark: u64,
    ended: bool,
}

impl<R: BufRead> Run<R> {
    /// A run over a list from its first row.
    #[must_use]
    pub fn new(rows: Rows<R>) -> Self {
        Self {
            rows,
            known: HashMap::new(),
            list_date: None,
            rows_read: 0,
            all_notes: Notes::default(),
            records: 0,
            mark: 0,
            ended: false,
        }
    }

    /// Skips the records that the run before the cursor returned.
    ///
    /// # Errors
    /// `list-changed` if the list has other records there.
    pub fn resumed(mut self, cursor: Option<&str>) -> Result<Self, Failure> {
        let Some(cursor) = cursor else {
            return Ok(self);
        };
        let changed = || {
            list_changed(format!(
                "{UPSTREAM} is not the list that the run was begun on"
            ))
        };
        let Ok(position) = serde_json::from_str::<RunCursor>(cursor) else {
            return Err(changed());
        };
        while self.records < position.records {
            if self.step(&mut Notes::default())?.is_none() {
                return Err(changed());
            }
        }
        if self.mark_text() == position.mark {
            Ok(self)
        } else {
            Err(changed())
        }
    }

    fn mark_text(&self) -> String {
        format!("{:016x}", self.mark)
    }

    fn step(&mut self, notes: &mut Notes) -> Result<Option<Item>, Failure> {
        let mut step_notes = Notes::default();
        let item = self.next_item(&mut step_notes);
        self.all_notes.add(&step_notes);
        notes.add(&step_notes);
        item
    }

    fn next_item(&mut self, notes: &mut Notes) -> Result<Option<Item>, Failure> {
        while let Some(row) = self.rows.next_row(notes)? {
            self.rows_read += 1;
            let item = match row {
                Row::Record(record) => self.item(*record, notes)?,
                Row::Unreadable(ico) => self.unreadable(&ico)?,
                Row::WithoutIco => {
                    notes.count("rows-without-ico");
                    None
                }
                Row::Unknown => None,
            };
            if item.is_some() {
                return Ok(item);
            }
        }
        Ok(None)
    }

    /// The record of a row. `None` if its key was there already. A repeated row with other content is odd.
    fn item(&mut self, record: Record, notes: &mut Notes) -> Result<Option<Item>, Failure> {
        let item = records::item(record.key, Some(&record.ico), &record.entry)?;
        match self.known(&item) {
            None => {
                self.list_date = self.list_date.take().or(record.list_date);
                return Ok(Some(self.added(item)));
            }
            Some(true) => notes.count("rows-repeated"),
            Some(false) => notes.odd("rows-that-contradict"),
        }
        Ok(None)
    }

    /// The record that stands for all odd rows about a company. `None` if there is one already.
    fn unreadable(&mut self, ico: &str) -> Result<Option<Item>, Failure> {
        let item = records::unreadable_row(format!("{ico}|unreadable"), ico)?;
        Ok(self.known(&item).is_none().then(|| self.added(item)))
    }

    /// Whether a record with this key was returned before, and with the same content.
    fn known(&self, item: &Item) -> Option<bool> {
        let earlier = self.known.get(&fingerprint(0, item.key.as_bytes()))?;
        Some(*earlier == fingerprint(0, item.content.as_bytes()))
    }

    fn added(&mut self, item: Item) -> Item {
        let (key, content) = (item.key.as_bytes(), item.content.as_bytes());
        self.known
            .insert(fingerprint(0, key), fingerprint(0, content));
        self.records += 1;
        self.mark = fingerprint(fingerprint(self.mark, key), content);
        item
    }

    /// Checks the demands on a whole list. If one is not met, the run does not complete.
    fn check(&self) -> Result<(), Failure> {
        self.all_notes.check_odd_rows(UPSTREAM)?;
        if self.records == 0 {
            return Err(malformed(
                UPSTREAM,
                "an authorization against an obligor with an IČO",
                format!("{} rows without one", self.rows_read),
            ));
        }
        Ok(())
    }
}

impl<R: BufRead> ImportRun for Run<R> {
    fn next(&mut self) -> Result<Option<Batch>, Failure> {
        let (mut items, mut notes) = (Vec::with_capacity(BATCH), Notes::default());
        while !self.ended && items.len() < BATCH {
            match self.step(&mut notes)? {
                Some(item) => items.push(item),
                None => {
                    self.check()?;
                    self.ended = true;
                }
            }
        }
        if items.is_empty() {
            return Ok(None);
        }
        let position = RunCursor {
            records: self.records,
            mark: self.mark_text(),
        };
        Ok(Some(Batch {
            items,
            companies: Vec::new(),
            cursor: to_json(&position)?,
            list_date: self.list_date.clone(),
            progress: None,
            notes: notes.fields(),
        }))
    }
}
