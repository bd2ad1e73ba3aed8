//! Collects the records and notes of a batch.

use std::collections::{BTreeMap, BTreeSet};

use lustra_sdk::{Batch, Failure, Field, Item, Notes, malformed, records};

use crate::cursor::Cursor;
use crate::feed;
use crate::record::{self, Entry, Unreadable};
use crate::row::Row;
use crate::table::{Said, Table};

/// If this many notices of a batch are all unreadable, the mirror's format has changed.
const TELLING: u64 = 100;

/// A batch under construction.
pub struct Gathered {
    items: Vec<Item>,
    /// Number of rows taken.
    pub rows: usize,
    /// Number of rows with another structure.
    odd: u64,
    notices: u64,
    /// Number of rows that are unreadable or name no company by a valid IČO.
    untold: u64,
    notes: BTreeMap<&'static str, u64>,
    has_records: bool,
    /// The companies of this batch's rows, which are not in the store yet.
    seen: BTreeMap<u64, Vec<String>>,
}

impl Gathered {
    /// An empty batch. `has_records`: earlier runs stored records that rows may contradict.
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

    /// Adds a row with another structure. It is stored as unreadable, and its earlier records stay. A row without an
    /// id is only counted.
    ///
    /// # Errors
    /// Never: texts are always valid JSON.
    pub fn add_odd(&mut self, id: Option<u64>) -> Result<(), Failure> {
        self.rows += 1;
        self.odd += 1;
        self.notices += 1;
        self.note("odd_rows", 1);
        let Some(id) = id else {
            self.untold += 1;
            return Ok(());
        };
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

    /// Adds a row: stores its current content and removes records of companies that it no longer names. A row
    /// whose issue has no date is odd.
    ///
    /// # Errors
    /// The host's refusal.
    pub fn add<T: Table>(&mut self, row: &Row<T>, cursor: &mut Cursor) -> Result<(), Failure> {
        let issued = match row.issued() {
            Ok(issued) => issued,
            Err(Failure::Malformed(_)) => return self.add_odd(Some(row.id)),
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
            // Keep the earlier records, since nothing newer is readable.
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
        // The last item with a key wins within a batch.
        self.items.extend(items);
        Ok(())
    }

    /// The companies of earlier versions of the row. A row that never changed has none.
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

    /// The records of a row. An unreadable row is stored as such and does not stop the import.
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

    /// A single broken notice is tolerated. If none is readable, or many rows are odd, the mirror's format has
    /// changed.
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

    /// The batch, including the record of how far the bulletin was read.
    ///
    /// # Errors
    /// Never: texts and numbers are always valid JSON.
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
