//! Imports of the lists.
//!
//! Files are streamed. A resumed run reads the list from its beginning and returns no records until it reaches the
//! cursor's position. It continues only if the records that it skipped are those that the earlier run read.

use std::collections::VecDeque;
use std::io::BufRead;

use lustra_sdk::charset::decoded;
use lustra_sdk::failure::{list_changed, not_offered};
use lustra_sdk::http::{Body, Request};
use lustra_sdk::text::decode_utf8_or_windows_1250;
use lustra_sdk::{Batch, Failure, ImportRun, fingerprint, http, malformed, to_json};
use serde::{Deserialize, Serialize};

use crate::debt::{Debt, DebtRows, Keys, Notes};
use crate::portal::PortalRun;
use crate::settings::{Settings, UnionSource};
use crate::since::Since;
use crate::{operator_list, social_insurer, tax_list};

/// How many records a batch has.
const BATCH: usize = 1000;

/// The first bytes of a zip archive.
const ZIP_MAGIC: &[u8] = b"PK\x03\x04";

/// Starts a run over a dataset, or resumes one.
///
/// # Errors
/// The failure of the upstream or of the list's header; `list-changed` if the cursor belongs to another list.
pub fn open(dataset: &str, cursor: Option<&str>) -> Result<Box<dyn ImportRun>, Failure> {
    let run = match dataset {
        "social-insurer" => {
            let settings = Settings::read()?;
            let rows = social_insurer_rows(settings.social_insurer_page)?;
            ListRun::new("socpoist", rows, settings.social_insurer_minimum)
        }
        "tax-authority" => ListRun::new("fs-reports", tax_rows()?, 0).matched_by_name(),
        "dovera" => ListRun::new("dovera-list", operator_rows("dovera-list")?, 1),
        "vszp" => ListRun::new("vszp-list", operator_rows("vszp-list")?, 1),
        "union" => match Settings::read()?.union_source {
            UnionSource::File => ListRun::new("union-list", operator_rows("union-list")?, 1),
            UnionSource::Api => return Ok(Box::new(PortalRun::open(cursor)?)),
        },
        _ => return Err(not_offered(dataset)),
    };
    let run = run.resumed(cursor)?;
    Ok(Box::new(run.since(Since::of(dataset)?)))
}

/// A file of an unpacked archive, and the archive itself, which must live as long.
struct Entry<T> {
    rows: T,
    _archive: Body,
}

impl<T: DebtRows> DebtRows for Entry<T> {
    fn next_debt(&mut self, notes: &mut Notes) -> Result<Option<Debt>, Failure> {
        self.rows.next_debt(notes)
    }

    fn list_date(&self) -> Option<String> {
        self.rows.list_date()
    }
}

fn social_insurer_rows(page: String) -> Result<Box<dyn DebtRows>, Failure> {
    let page = Request::get("socpoist", page).fetch()?.body.bytes()?;
    let path = social_insurer::download_path(&decode_utf8_or_windows_1250(&page))?;
    let archive = Request::get("socpoist", path).fetch()?.body;
    let files = archive.unzip()?;
    let file = social_insurer::table_name(&files)?;
    let rows = social_insurer::Rows::open(file, decoded(archive.entry(file)?.reader()))?;
    Ok(Box::new(Entry {
        rows,
        _archive: archive,
    }))
}

fn tax_rows() -> Result<Box<dyn DebtRows>, Failure> {
    let archive = Request::get("fs-reports", "/ds_dsdd.zip").fetch()?.body;
    let files = archive.unzip()?;
    let rows = tax_list::Rows::new(decoded(
        archive.entry(tax_list::file_name(&files)?)?.reader(),
    ));
    Ok(Box::new(Entry {
        rows,
        _archive: archive,
    }))
}

/// The operator's file: a table, or an archive of tables that are read one after another.
fn operator_rows(upstream: &'static str) -> Result<Box<dyn DebtRows>, Failure> {
    let mut reader = Request::get(upstream, "").fetch()?.body.reader();
    let start = reader
        .fill_buf()
        .map_err(|error| http::of_io(upstream, &error))?;
    if !start.starts_with(ZIP_MAGIC) {
        return Ok(Box::new(operator_list::open(upstream, decoded(reader))?));
    }
    // Part of the body is already read, and an archive needs the whole body.
    let archive = Request::get(upstream, "").fetch()?.body;
    let mut files = archive.unzip()?;
    files.retain(|name| name.to_ascii_lowercase().ends_with(".csv"));
    files.sort_unstable();
    if files.is_empty() {
        return Err(malformed(format!("{upstream}: archive"), "a .csv", "none"));
    }
    Ok(Box::new(Tables {
        upstream,
        archive,
        files: files.into(),
        table: None,
        list_date: None,
    }))
}

/// The tables of an archive.
struct Tables {
    upstream: &'static str,
    archive: Body,
    files: VecDeque<String>,
    table: Option<Box<dyn DebtRows>>,
    list_date: Option<String>,
}

impl DebtRows for Tables {
    fn next_debt(&mut self, notes: &mut Notes) -> Result<Option<Debt>, Failure> {
        loop {
            if let Some(table) = &mut self.table
                && let Some(debt) = table.next_debt(notes)?
            {
                self.list_date = self.list_date.take().or_else(|| table.list_date());
                return Ok(Some(debt));
            }
            let Some(file) = self.files.pop_front() else {
                return Ok(None);
            };
            let input = decoded(self.archive.entry(&file)?.reader());
            self.table = Some(Box::new(operator_list::open(
                &format!("{}: {file}", self.upstream),
                input,
            )?));
        }
    }

    fn list_date(&self) -> Option<String> {
        self.list_date.clone()
    }
}

/// The position of a run in a file.
#[derive(Serialize, Deserialize)]
struct RunCursor {
    /// The number of records returned so far.
    records: u64,
    /// Fingerprint of those records.
    mark: String,
}

/// A run over a file.
struct ListRun {
    what: &'static str,
    rows: Box<dyn DebtRows>,
    minimum: u64,
    matched_by_name: bool,
    since: Option<Since>,
    keys: Keys,
    records: u64,
    with_ico: u64,
    mark: u64,
    all_notes: Notes,
    ended: bool,
}

impl ListRun {
    fn new(what: &'static str, rows: Box<dyn DebtRows>, minimum: u64) -> Self {
        Self {
            what,
            rows,
            minimum,
            matched_by_name: false,
            since: None,
            keys: Keys::default(),
            records: 0,
            with_ico: 0,
            mark: 0,
            all_notes: Notes::default(),
            ended: false,
        }
    }

    fn matched_by_name(self) -> Self {
        Self {
            matched_by_name: true,
            ..self
        }
    }

    fn since(self, since: Since) -> Self {
        Self {
            since: Some(since),
            ..self
        }
    }

    /// Skips the records that the run before the cursor returned.
    fn resumed(mut self, cursor: Option<&str>) -> Result<Self, Failure> {
        let Some(cursor) = cursor else {
            return Ok(self);
        };
        let changed = || {
            list_changed(format!(
                "{} is not the list that the run was begun on",
                self.what
            ))
        };
        let Ok(position) = serde_json::from_str::<RunCursor>(cursor) else {
            return Err(changed());
        };
        while self.records < position.records {
            if self.step(&mut Notes::default())?.is_none() {
                return Err(list_changed(format!(
                    "{} is shorter than the run had come",
                    self.what
                )));
            }
        }
        if format!("{:016x}", self.mark) == position.mark {
            Ok(self)
        } else {
            Err(list_changed(format!(
                "{} is not the list that the run was begun on",
                self.what
            )))
        }
    }

    /// The next entry with its key.
    fn step(&mut self, notes: &mut Notes) -> Result<Option<(String, Debt)>, Failure> {
        let mut step_notes = Notes::default();
        let debt = self.rows.next_debt(&mut step_notes)?;
        self.all_notes.add(&step_notes);
        notes.add(&step_notes);
        let Some(debt) = debt else { return Ok(None) };
        let key = self.keys.of(&debt);
        self.records += 1;
        self.with_ico += u64::from(debt.ico.is_some());
        self.mark = fingerprint(self.mark, key.as_bytes());
        self.mark = fingerprint(self.mark, debt.content(None)?.as_bytes());
        Ok(Some((key, debt)))
    }

    /// Checks the demands on a whole list. If one is not met, the run does not complete.
    fn check(&self) -> Result<(), Failure> {
        self.all_notes.check_odd_rows(self.what)?;
        if self.records == 0 {
            return Err(malformed(self.what, "a debtor", "a list without any"));
        }
        if self.with_ico < self.minimum {
            return Err(malformed(
                format!("{}: rows with an IČO", self.what),
                format!("at least {}", self.minimum),
                format!("{} of {}", self.with_ico, self.records),
            ));
        }
        Ok(())
    }
}

impl ImportRun for ListRun {
    fn next(&mut self) -> Result<Option<Batch>, Failure> {
        let (mut items, mut notes) = (Vec::with_capacity(BATCH), Notes::default());
        while !self.ended && items.len() < BATCH {
            match self.step(&mut notes)? {
                Some((key, debt)) => {
                    let list_date = self.rows.list_date();
                    let since = self.since.as_ref();
                    let since = since.and_then(|since| {
                        since.date(&key, debt.ico.as_deref(), list_date.as_deref())
                    });
                    items.push(debt.into_item(key, self.matched_by_name, since)?);
                }
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
            mark: format!("{:016x}", self.mark),
        };
        Ok(Some(Batch {
            items,
            companies: Vec::new(),
            cursor: to_json(&position)?,
            list_date: self.rows.list_date(),
            progress: None,
            notes: notes.fields(),
        }))
    }
}
