//! The run over the operator's list.
//!
//! It is streamed: a run that is resumed reads the list from its beginning, gives nothing until the cursor's place and
//! goes on only if what it passed is what the cursor's run had read.

use std::collections::HashMap;
use std::io::BufRead;

use lustra_sdk::failure::list_changed;
use lustra_sdk::http::Request;
use lustra_sdk::{Batch, Failure, Field, ImportRun, Item, fingerprint, malformed, to_json};
use serde::{Deserialize, Serialize};

use crate::list::{Record, Row, Rows};
use crate::settings::{self, States};

/// The dataset.
pub const DATASET: &str = "authorizations";

/// The upstream of the operator's list.
const UPSTREAM: &str = "executions-list";

/// How many records a batch has, but for the last one.
const BATCH: usize = 1_000;

/// A list in which more than one row in so many has an unreadable IČO is refused: authorizations would be missed.
const ONE_UNREADABLE_IN: u64 = 100;

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

/// Rows that gave no record.
#[derive(Debug, Default)]
struct Passed {
    without_ico: u64,
    unreadable_ico: u64,
    repeated: u64,
}

impl Passed {
    fn notes(&self) -> Vec<Field> {
        [
            ("rows-without-ico", self.without_ico),
            ("rows-with-unreadable-ico", self.unreadable_ico),
            ("rows-repeated", self.repeated),
        ]
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| Field {
            name: name.to_owned(),
            value: count.to_string(),
        })
        .collect()
    }
}

/// A run.
pub struct Run<R> {
    rows: Rows<R>,
    /// Fingerprints of keys and of what they stand for.
    known: HashMap<u64, u64>,
    list_date: Option<String>,
    rows_read: u64,
    unreadable: u64,
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
            unreadable: 0,
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
            if self.step(&mut Passed::default())?.is_none() {
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

    /// The next record.
    fn step(&mut self, passed: &mut Passed) -> Result<Option<Item>, Failure> {
        while let Some(row) = self.rows.next_row()? {
            self.rows_read += 1;
            match row {
                Row::Record(record) => match self.item(*record)? {
                    Some(item) => return Ok(Some(item)),
                    None => passed.repeated += 1,
                },
                Row::WithoutIco => passed.without_ico += 1,
                Row::UnreadableIco => {
                    passed.unreadable_ico += 1;
                    self.unreadable += 1;
                }
            }
        }
        Ok(None)
    }

    /// A record as the host keeps it; `None` for a row that was there already.
    fn item(&mut self, record: Record) -> Result<Option<Item>, Failure> {
        let content = to_json(&record.entry)?;
        let (key, told) = (
            fingerprint(0, record.key.as_bytes()),
            fingerprint(0, content.as_bytes()),
        );
        match self.known.insert(key, told) {
            Some(earlier) if earlier == told => return Ok(None),
            Some(_) => {
                return Err(malformed(
                    format!("{UPSTREAM}: row {}", self.rows_read),
                    "one row for each authorization, obligor and creditor",
                    format!("two that differ on {}", record.entry.ecli),
                ));
            }
            None => {}
        }
        self.list_date = self.list_date.take().or(record.list_date);
        self.records += 1;
        self.mark = fingerprint(self.mark, record.key.as_bytes());
        self.mark = fingerprint(self.mark, content.as_bytes());
        Ok(Some(Item {
            key: record.key,
            ico: Some(record.ico),
            name: None,
            city: None,
            postal_code: None,
            content,
            removed: false,
        }))
    }

    /// What a whole list must be, or the run does not complete.
    fn check(&self) -> Result<(), Failure> {
        if self.records == 0 {
            return Err(malformed(
                UPSTREAM,
                "an authorization against somebody with an IČO",
                format!("{} rows without one", self.rows_read),
            ));
        }
        if self.unreadable > self.rows_read / ONE_UNREADABLE_IN {
            return Err(malformed(
                format!("{UPSTREAM}: povinny_ico"),
                format!("an IČO or nothing in all but one of {ONE_UNREADABLE_IN} rows"),
                format!("{} unreadable in {} rows", self.unreadable, self.rows_read),
            ));
        }
        Ok(())
    }
}

impl<R: BufRead> ImportRun for Run<R> {
    fn next(&mut self) -> Result<Option<Batch>, Failure> {
        let (mut items, mut passed) = (Vec::with_capacity(BATCH), Passed::default());
        while !self.ended && items.len() < BATCH {
            match self.step(&mut passed)? {
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
            notes: passed.notes(),
        }))
    }
}
