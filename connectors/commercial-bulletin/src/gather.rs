//! What a batch gathers: the records of its rows, and what to count.

use std::collections::{BTreeMap, BTreeSet};

use lustra_sdk::{Batch, Failure, Field, Item, malformed, records};

use crate::cursor::Cursor;
use crate::feed::{self, Row};
use crate::notice::{self, FileName};
use crate::record::{self, Entry, Unreadable};

/// From so many notices of a batch on, none of which can be read, the mirror has another form.
const TELLING: u64 = 100;

/// What a batch gathers.
pub struct Gathered {
    items: Vec<Item>,
    /// The rows taken.
    pub rows: usize,
    notices: u64,
    unreadable: u64,
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
            notices: 0,
            unreadable: 0,
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

    /// Takes a row: what it says now, and the end of what it said before.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for an issue without a date, and what the host refused.
    pub fn add(&mut self, row: &Row, cursor: &mut Cursor) -> Result<(), Failure> {
        self.rows += 1;
        let published_at = row.published_at()?;
        if let Some(published_at) = &published_at {
            cursor.note_issue(published_at);
        }
        let unreadable = self.unreadable;
        let mut items = self.read(row, published_at.as_deref())?;
        let now: BTreeSet<&str> = items.iter().map(|item| item.key.as_str()).collect();
        let gone: Vec<Item> = if self.unreadable > unreadable {
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
    fn before(&self, row: &Row) -> Result<BTreeSet<String>, Failure> {
        let mut before: BTreeSet<String> = self
            .seen
            .get(&row.id)
            .cloned()
            .into_iter()
            .flatten()
            .collect();
        if self.has_records && row.created_at != row.updated_at {
            before.extend(record::stored_companies(row.id)?);
        }
        Ok(before)
    }

    fn read(&mut self, row: &Row, published_at: Option<&str>) -> Result<Vec<Item>, Failure> {
        let file = FileName::parse(&row.file_name);
        let content = row
            .content
            .as_deref()
            .filter(|content| !content.trim().is_empty());
        if content.is_none() && !file.is_form {
            self.note("attachments", 1);
            return Ok(Vec::new());
        }
        self.notices += 1;
        let issue = row.bulletin_issue.as_ref();
        let number = issue.map(|issue| format!("{}/{}", issue.number, issue.year));
        let (Some(content), Some(number), Some(published_at)) = (content, &number, published_at)
        else {
            let why = if content.is_none() {
                "without content"
            } else {
                "without an issue"
            };
            return self.unreadable(row.id, file, number, why);
        };
        let Ok(notice) = notice::read(&file, content) else {
            return self.unreadable(
                row.id,
                file,
                Some(number.clone()),
                "no XML that can be read",
            );
        };
        self.note("odd_ids", notice.odd_ids);
        self.note("ambiguous_ids", notice.ambiguous_ids);
        self.note("unknown_forms", u64::from(notice.is_unknown));
        self.note("without_company", u64::from(notice.subjects.is_empty()));
        let entry = |subject: &notice::Subject| {
            let entry = Entry {
                form: file.form.clone(),
                number: number.clone(),
                mark: file.mark.clone(),
                published_at: published_at.to_owned(),
                heading: notice.heading.clone(),
                role: subject.role.word().to_owned(),
            };
            records::item(
                format!("{}/{}", row.id, subject.ico),
                Some(&subject.ico),
                &entry,
            )
        };
        notice.subjects.iter().map(entry).collect()
    }

    /// A notice that cannot be read does not stop the list, and is not lost.
    fn unreadable(
        &mut self,
        id: u64,
        file: FileName,
        number: Option<String>,
        why: &str,
    ) -> Result<Vec<Item>, Failure> {
        self.note("unreadable", 1);
        self.unreadable += 1;
        let unreadable = Unreadable {
            form: file.form,
            mark: file.mark,
            number,
            why: why.to_owned(),
        };
        let item = records::item(record::prefix(id), None, &unreadable)?;
        Ok(vec![item])
    }

    /// One notice may be broken; where none can be read, the mirror's form has changed.
    ///
    /// # Errors
    /// [`Failure::Malformed`] in that case.
    pub fn check(&self) -> Result<(), Failure> {
        if self.notices < TELLING || self.unreadable < self.notices {
            return Ok(());
        }
        Err(malformed(
            format!("answer of {}: content and bulletin_issue", feed::UPSTREAM),
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
