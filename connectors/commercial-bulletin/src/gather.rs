//! What a batch gathers: the records of its rows, and what to count.

use std::collections::{BTreeMap, BTreeSet};

use lustra_sdk::{Batch, Failure, Field, Item, Notes, malformed, records};

use crate::cursor::Cursor;
use crate::feed::{self, Row};
use crate::record::{self, Entry, Unreadable};
use crate::table::{Said, Table};

/// From so many notices of a batch on, none of which can be read, the mirror has another form.
const TELLING: u64 = 100;

/// What a batch gathers.
pub struct Gathered {
    items: Vec<Item>,
    /// The rows taken.
    pub rows: usize,
    /// Those of them that have another form.
    odd: u64,
    notices: u64,
    /// Those of them that cannot be read or name nobody in a way that an IČO is named.
    untold: u64,
    notes: BTreeMap<&'static str, u64>,
    has_records: bool,
    /// The companies of the rows of this batch, which the store does not have yet.
    seen: BTreeMap<u64, Vec<String>>,
}

impl Gathered {
    /// Nothing yet. `has_records`: earlier runs left records that rows may contradict.
    #[must_use]
    pub fn new(has_records: bool) -> Self {
        Self {
            items: Vec::new(),
            rows: 0,
            odd: 0,
            notices: 0,
            untold: 0,
            notes: BTreeMap::new(),
            has_records,
            seen: BTreeMap::new(),
        }
    }

    fn note(&mut self, name: &'static str, count: u64) {
        if count > 0 {
            *self.notes.entry(name).or_default() += count;
        }
    }

    /// Takes a row of another form: it is not lost, and what was said before is better than nothing.
    ///
    /// # Errors
    /// None in fact: texts are always JSON.
    pub fn add_odd(&mut self, id: u64) -> Result<(), Failure> {
        self.rows += 1;
        self.odd += 1;
        self.notices += 1;
        self.note("odd_rows", 1);
        let unreadable = Unreadable {
            form: None,
            mark: None,
            number: None,
            why: "another form".to_owned(),
        };
        let items = self.items(id, Said::Unreadable(unreadable))?;
        self.items.extend(items);
        Ok(())
    }

    /// Takes a row: what it says now, and the end of what it said before. One whose issue has no date is odd.
    ///
    /// # Errors
    /// What the host refused.
    pub fn add<T: Table>(&mut self, row: &Row<T>, cursor: &mut Cursor) -> Result<(), Failure> {
        let issued = match row.issued() {
            Ok(issued) => issued,
            Err(Failure::Malformed(_)) => return self.add_odd(row.id),
            Err(failure) => return Err(failure),
        };
        self.rows += 1;
        if let Some(issued) = &issued {
            cursor.note_issue(&issued.published_at);
        }
        let reading = T::read(row, issued)?;
        for (name, count) in reading.notes {
            self.note(name, count);
        }
        self.notices += u64::from(!matches!(reading.said, Said::Nothing));
        let is_unreadable = matches!(reading.said, Said::Unreadable(_));
        let mut items = self.items(row.id, reading.said)?;
        let now: BTreeSet<&str> = items.iter().map(|item| item.key.as_str()).collect();
        let gone: Vec<Item> = if is_unreadable {
            // What was said before is better than nothing.
            Vec::new()
        } else {
            let before = self.before(row)?.into_iter();
            before
                .map(|ico| record::removed(row.id, &ico))
                .filter(|item| {
                    item.as_ref()
                        .map_or(true, |item| !now.contains(item.key.as_str()))
                })
                .collect::<Result<_, Failure>>()?
        };
        self.note("no_longer_about", gone.len() as u64);
        let companies = items
            .iter()
            .map(|item| item.ico.clone().unwrap_or_default());
        self.seen.insert(row.id, companies.collect());
        items.extend(gone);
        // Of the same key in one batch the last counts.
        self.items.extend(items);
        Ok(())
    }

    /// The companies that earlier readings of the row were about. A row that was never changed had none.
    fn before<T: Table>(&self, row: &Row<T>) -> Result<BTreeSet<String>, Failure> {
        let mut before: BTreeSet<String> = self
            .seen
            .get(&row.id)
            .cloned()
            .into_iter()
            .flatten()
            .collect();
        if self.has_records && row.created_at != row.updated_at {
            before.extend(record::stored_companies(T::DATASET, row.id)?);
        }
        Ok(before)
    }

    /// The records of what a row says. One that cannot be read does not stop the list, and is not lost.
    fn items(&mut self, id: u64, said: Said) -> Result<Vec<Item>, Failure> {
        match said {
            Said::Nothing => Ok(Vec::new()),
            Said::Odd => {
                self.untold += 1;
                Ok(Vec::new())
            }
            Said::Unreadable(unreadable) => {
                self.untold += 1;
                let item = records::item(record::prefix(id), None, &unreadable)?;
                Ok(vec![item])
            }
            Said::About(companies) => {
                let item = |(ico, entry): &(String, Entry)| {
                    records::item(format!("{id}/{ico}"), Some(ico), entry)
                };
                companies.iter().map(item).collect()
            }
        }
    }

    /// One notice may be broken; where none can be read, or many rows have another form, the mirror's form has changed.
    ///
    /// # Errors
    /// [`Failure::Malformed`] in that case; as [`Notes::check_odd_rows`].
    pub fn check<T: Table>(&self) -> Result<(), Failure> {
        let rows = self.rows as u64;
        let what = format!("answer of {}", feed::UPSTREAM);
        if self.odd > 0 && self.odd == rows {
            let expected = format!("rows with {} and bulletin_issue", T::MEMBERS);
            return Err(malformed(what, expected, format!("{rows} of another form")));
        }
        Notes::resumed(rows, self.odd).check_odd_rows(&what)?;
        if self.notices < TELLING || self.untold < self.notices {
            return Ok(());
        }
        Err(malformed(
            format!("answer of {}: {}", feed::UPSTREAM, T::TELLING),
            "a notice that can be read",
            format!("{} notices, none of which can be read", self.notices),
        ))
    }

    /// The batch, with the record of how far the bulletin was read.
    ///
    /// # Errors
    /// None in fact: texts and numbers are always JSON.
    pub fn batch(mut self, cursor: &Cursor) -> Result<Batch, Failure> {
        self.items.push(record::read_so_far(cursor)?);
        Ok(Batch {
            items: self.items,
            companies: Vec::new(),
            cursor: cursor.to_text()?,
            list_date: cursor.until.clone(),
            progress: None,
            notes: self
                .notes
                .into_iter()
                .map(|(name, count)| Field {
                    name: name.to_owned(),
                    value: count.to_string(),
                })
                .collect(),
        })
    }
}
