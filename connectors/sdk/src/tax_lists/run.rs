//! Reads a whole list: from the XML of a file to batches of records.
//!
//! The run is a function of the bytes and the cursor, so that a native program (a test, a
//! benchmark) gets the same records as the component. It holds one batch in memory, and eight
//! bytes per key to keep keys unique.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::BufRead;

use super::{Cells, Entry, ListKind, ListSettings};
use crate::xml::{Row, Rows};
use crate::{Batch, Failure, ImportRun, Item, Notes, date, failure, malformed};

/// The element of one row. The names of the root and the container do not matter.
const ROW: &str = "ITEM";
/// The element with the list's own date.
const LIST_DATE: &str = "DatumAktualizacieZoznamu";
/// Records per batch, except for the last one.
const BATCH: usize = 1_000;
/// After this many consecutive unusable rows the list counts as malformed.
const MAX_UNUSABLE: u64 = 10_000;

/// A run over one list.
pub struct ListRun<K: ListKind, R: BufRead> {
    kind: K,
    list: ListSettings,
    rows: Rows<R>,
    /// The row that was read ahead to reach the list's date.
    ahead: Option<Row>,
    list_date: String,
    /// The columns that the connector reads. What is unreadable in others does not matter.
    wanted: Vec<String>,
    /// Column names of the first row, quoted when a column is missing.
    found_columns: String,
    /// Mandatory columns not seen in any row so far.
    missing: Vec<String>,
    keys: HashSet<u64>,
    rows_done: u64,
    usable: u64,
    /// Notes made before the first row was returned.
    head_notes: Notes,
    /// Notes of the whole list so far. The share of odd rows is computed from them.
    all_notes: Notes,
}

impl<K: ListKind, R: BufRead> ListRun<K, R> {
    /// Starts at the head of a list, or behind the rows that a cursor of [`ImportRun::next`]
    /// counts.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for any other kind of document, [`Failure::Unavailable`] for an
    /// HTML page, and [`failure::list_changed`] if the cursor belongs to another edition of the
    /// list.
    pub fn open(
        kind: K,
        list: ListSettings,
        input: R,
        cursor: Option<&str>,
    ) -> Result<Self, Failure> {
        let file = format!("{}.xml", list.slug);
        let mut rows = Rows::new(&file, input, ROW);
        let mut head_notes = Notes::default();
        let columns = kind.columns().iter();
        let wanted: Vec<String> = columns
            .map(|(fact, _)| list.columns.of(fact).to_owned())
            .collect();
        let ahead = rows.next_readable(|name| is_wanted(&wanted, name), &mut head_notes)?;
        let raw = rows.outside.get(LIST_DATE).map_or("", String::as_str);
        let Some(list_date) = date::parse(raw) else {
            return Err(malformed(
                format!("{file}: {LIST_DATE}"),
                "the date of the list before its first row",
                raw,
            ));
        };
        let found_columns = ahead.as_ref().map(column_names).unwrap_or_default();
        let missing = kind
            .mandatory()
            .iter()
            .map(|fact| list.columns.of(fact).to_owned())
            .collect();
        let mut run = Self {
            kind,
            list,
            rows,
            ahead,
            list_date,
            wanted,
            found_columns,
            missing,
            keys: HashSet::new(),
            rows_done: 0,
            usable: 0,
            head_notes,
            all_notes: Notes::default(),
        };
        if let Some(cursor) = cursor {
            run.skip_to(cursor)?;
        }
        Ok(run)
    }

    /// Skips the rows of earlier batches, reading their keys so that further keys are chosen as
    /// in an uninterrupted run.
    fn skip_to(&mut self, cursor: &str) -> Result<(), Failure> {
        let known = cursor
            .split_once(' ')
            .and_then(|(date, rows)| Some((date, rows.parse::<u64>().ok()?)));
        let Some((date, rows_done)) = known else {
            return Err(failure::list_changed(
                "the cursor is not one of this version",
            ));
        };
        if date != self.list_date {
            let why = format!(
                "the list of {date} was replaced by that of {}",
                self.list_date
            );
            return Err(failure::list_changed(why));
        }
        let mut notes = Notes::default();
        while self.rows_done < rows_done {
            let Some(row) = self.next_row(&mut notes)? else {
                return Err(failure::list_changed(format!(
                    "the list has fewer rows than the {rows_done} read before"
                )));
            };
            self.item(&row, &mut notes)?;
        }
        self.all_notes.add(&notes);
        Ok(())
    }

    fn next_row(&mut self, notes: &mut Notes) -> Result<Option<Row>, Failure> {
        notes.add(&std::mem::take(&mut self.head_notes));
        let row = match self.ahead.take() {
            Some(row) => Some(row),
            None if self.rows.rows_read() == 0 => None,
            None => {
                let is_wanted = |name: &str| is_wanted(&self.wanted, name);
                self.rows.next_readable(is_wanted, notes)?
            }
        };
        if let Some(row) = &row {
            self.rows_done += 1;
            if !self.missing.is_empty() {
                self.missing.retain(|column| !row.contains_key(column));
            }
        }
        Ok(row)
    }

    fn item(&mut self, row: &Row, notes: &mut Notes) -> Result<Option<Item>, Failure> {
        let cells = &mut Cells::new(row, &self.list.columns, notes);
        let Some(entry) = self.kind.entry(cells)? else {
            return Ok(None);
        };
        let Some(key) = self.free_key(&entry) else {
            notes.count("repeated");
            return Ok(None);
        };
        self.usable += 1;
        Ok(Some(Item {
            key,
            ico: entry.ico,
            name: None,
            city: None,
            postal_code: None,
            content: entry.content,
            removed: false,
        }))
    }

    fn free_key(&mut self, entry: &Entry) -> Option<String> {
        entry.keys().find(|key| {
            let mut hasher = DefaultHasher::new();
            key.hash(&mut hasher);
            self.keys.insert(hasher.finish())
        })
    }

    /// Rejects a list in which a mandatory column is missing or that has too many odd rows. Such
    /// a list would look as if no company were on it.
    fn check(&self) -> Result<(), Failure> {
        let file = format!("{}.xml", self.list.slug);
        if self.rows_done == 0 {
            return self.all_notes.check_odd_rows(&file);
        }
        if let Some(column) = self.missing.first() {
            return Err(malformed(
                format!("{file}: column {column}"),
                "the column in some row",
                &self.found_columns,
            ));
        }
        if self.usable == 0 {
            return Err(malformed(
                file,
                "a usable row",
                format!("{} rows, none of which can be used", self.rows_done),
            ));
        }
        self.all_notes.check_odd_rows(&file)
    }
}

impl<K: ListKind, R: BufRead> ImportRun for ListRun<K, R> {
    fn next(&mut self) -> Result<Option<Batch>, Failure> {
        let begun_at = self.rows_done;
        let mut items = Vec::with_capacity(BATCH);
        let mut notes = Notes::default();
        while items.len() < BATCH {
            let Some(row) = self.next_row(&mut notes)? else {
                break;
            };
            items.extend(self.item(&row, &mut notes)?);
            if items.is_empty() && self.rows_done - begun_at >= MAX_UNUSABLE {
                let place = format!("{}.xml: rows behind {begun_at}", self.list.slug);
                return Err(malformed(
                    place,
                    "a usable row",
                    format!("{MAX_UNUSABLE} rows with none of it"),
                ));
            }
        }
        self.all_notes.add(&notes);
        // Only the last batch is shorter. Check the whole list before it counts as complete.
        if items.len() < BATCH {
            self.check()?;
        }
        if self.rows_done == begun_at {
            return Ok(None);
        }
        Ok(Some(Batch {
            items,
            companies: Vec::new(),
            cursor: format!("{} {}", self.list_date, self.rows_done),
            list_date: Some(self.list_date.clone()),
            progress: None,
            notes: notes.fields(),
        }))
    }
}

fn is_wanted(wanted: &[String], column: &str) -> bool {
    wanted.iter().any(|wanted| wanted == column)
}

fn column_names(row: &Row) -> String {
    row.keys()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ")
}
