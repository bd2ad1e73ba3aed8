//! The run over the operator's list.
//!
//! It is streamed: a run that is resumed reads the list from its beginning, gives nothing until the cursor's place and
//! goes on only if what it passed is what the cursor's run had read.

use std::collections::HashMap;
use std::io::BufRead;

use lustra_sdk::failure::list_changed;
use lustra_sdk::http::Request;
use lustra_sdk::{
    Batch, Failure, ImportRun, Item, Notes, fingerprint, malformed, records, to_json,
};
use serde::{Deserialize, Serialize};

use crate::list::{Record, Row, Rows};
use crate::settings::{self, States};

pub const DATASET: &str = "authorizations";

/// The upstream of the operator's list.
const UPSTREAM: &str = "executions-list";

/// How many records a batch has, but for the last one.
const BATCH: usize = 1_000;

/// Starts a run, or resumes one at a cursor.
///
/// # Errors
/// What the upstream or the list's header failed with; `list-changed` where the cursor belongs to another list.
pub fn open(cursor: Option<&str>) -> Result<Box<dyn ImportRun>, Failure> {
    let body = Request::get(UPSTREAM, "").fetch()?.body;
    body.decode(Some(&settings::list_charset()?))?;
    let rows = Rows::open(UPSTREAM, body.reader(), States::read()?)?;
    Ok(Box::new(Run::new(rows).resumed(cursor)?))
}

/// Where a run stands.
#[derive(Serialize, Deserialize)]
struct Place {
    /// Records given so far.
    records: u64,
    /// Fingerprint of those records.
    mark: String,
}

pub struct Run<R> {
    rows: Rows<R>,
    /// Fingerprints of keys and of what they stand for.
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

    /// Passes what the run before the cursor gave.
    ///
    /// # Errors
    /// `list-changed` where that is not what the list has.
    pub fn resumed(mut self, cursor: Option<&str>) -> Result<Self, Failure> {
        let Some(cursor) = cursor else {
            return Ok(self);
        };
        let changed = || {
            list_changed(format!(
                "{UPSTREAM} is not the list that the run was begun on"
            ))
        };
        let Ok(place) = serde_json::from_str::<Place>(cursor) else {
            return Err(changed());
        };
        while self.records < place.records {
            if self.step(&mut Notes::default())?.is_none() {
                return Err(changed());
            }
        }
        if self.mark_text() == place.mark {
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

    /// A record as the host keeps it; `None` for a row whose key was there already. One that says something else than
    /// the first is odd.
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

    /// The record that stands for all odd rows against a company; `None` where there is one already.
    fn unreadable(&mut self, ico: &str) -> Result<Option<Item>, Failure> {
        let item = records::unreadable_row(format!("{ico}|unreadable"), ico)?;
        Ok(self.known(&item).is_none().then(|| self.added(item)))
    }

    /// Whether a record of this key was given, and said the same.
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

    /// What a whole list must be, or the run does not complete.
    fn check(&self) -> Result<(), Failure> {
        self.all_notes.check_odd_rows(UPSTREAM)?;
        if self.records == 0 {
            return Err(malformed(
                UPSTREAM,
                "an authorization against somebody with an IČO",
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
        let place = Place {
            records: self.records,
            mark: self.mark_text(),
        };
        Ok(Some(Batch {
            items,
            companies: Vec::new(),
            cursor: to_json(&place)?,
            list_date: self.list_date.clone(),
            progress: None,
            notes: notes.fields(),
        }))
    }
}
