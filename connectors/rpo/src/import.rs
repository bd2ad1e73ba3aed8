//! The dataset `companies`: reads the planned files one by one, with a batch per thousand records. A batch has the
//! base companies, and their histories as the dataset's own records.
//!
//! A batch never spans two files, and its cursor names the file and the number of records read, so a resumed
//! run returns exactly the rest. All records of one IČO are returned; their fact `preference` decides between
//! them.

use std::io::BufReader;

use lustra_sdk::http::{BodyReader, Request};
use lustra_sdk::{Batch, Company, Failure, ImportRun, Item, Notes, failure, malformed};

use crate::bucket::File;
use crate::company::{self, Reading};
use crate::cursor::Cursor;
use crate::dump::{self, Dump};
use crate::history::History;
use crate::history::line::Line;
use crate::history::unknown::Unknown;
use crate::plan::{self, Plan};

/// The dataset of companies and their histories.
pub const DATASET: &str = "companies";
/// Most records of a batch.
const BATCH: usize = 1_000;
/// A batch ends behind this many bytes of histories. A usual one has 2 MB.
const BATCH_BYTES: usize = 4 << 20;
/// If a field is missing in all of at least this many records, the register renamed it.
const MIN_SAMPLE: usize = 100;

/// Starts or resumes a run; see [`lustra_sdk::Importer`].
pub fn open(dataset: &str, cursor: Option<&str>) -> Result<Box<dyn ImportRun>, Failure> {
    if dataset != DATASET {
        return Err(failure::not_offered(&format!("the dataset {dataset}")));
    }
    let cursor = match cursor {
        None => None,
        Some(text) => match Cursor::parse(text) {
            Some(cursor) => Some(cursor),
            None => {
                return Err(failure::list_changed(
                    "the cursor is not one of this version",
                ));
            }
        },
    };
    let Plan { files, records } = plan::plan(cursor.as_ref())?;
    Ok(Box::new(Run {
        files,
        at: 0,
        records,
        dump: None,
        all_notes: Notes::default(),
    }))
}

struct Run {
    files: Vec<File>,
    /// Index of the current file.
    at: usize,
    /// Number of its records returned so far.
    records: u64,
    /// The file, once it is open.
    dump: Option<Dump<BufReader<BodyReader>>>,
    /// Notes of the whole run. The share of odd records is computed from them.
    all_notes: Notes,
}

impl ImportRun for Run {
    fn next(&mut self) -> Result<Option<Batch>, Failure> {
        let Some(file) = self.files.get(self.at).cloned() else {
            return Ok(None);
        };
        // After a failure the file is closed, so that the next call resumes where the last batch ended.
        let mut dump = match self.dump.take() {
            Some(dump) => dump,
            None => begin(&file, self.records)?,
        };
        let read = Piece::read(&file, &mut dump)?;
        let mut all_notes = self.all_notes.clone();
        all_notes.add(&read.notes);
        all_notes.check_odd_rows(&file.key())?;
        self.all_notes = all_notes;
        let is_at_end = dump.is_at_end()?;
        if is_at_end && dump.records() == 0 && matches!(file, File::Init { .. }) {
            return Err(malformed(
                file.key(),
                "records in a part of a full dump",
                "none",
            ));
        }
        let list_date = dump.export_date().to_owned();
        self.records = dump.records();
        if is_at_end {
            self.at += 1;
            self.records = 0;
        } else {
            self.dump = Some(dump);
        }
        let cursor = match self.files.get(self.at) {
            Some(next) => Cursor::In {
                file: next.clone(),
                records: self.records,
            },
            None => Cursor::Done(file),
        };
        Ok(Some(Batch {
            items: read.histories,
            companies: read.companies,
            cursor: cursor.to_string(),
            list_date: Some(list_date),
            progress: u16::try_from(self.at * 1_000 / self.files.len()).ok(),
            notes: read.notes.fields(),
        }))
    }
}

/// Opens a file and skips the records returned earlier.
fn begin(file: &File, records: u64) -> Result<Dump<BufReader<BodyReader>>, Failure> {
    let response = Request::get(plan::UPSTREAM, format!("/{}", file.key())).fetch()?;
    response.body.gunzip()?;
    let mut dump = Dump::begin(&file.key(), response.body.reader())?;
    if !dump.skip(records)? {
        return Err(failure::list_changed(format!(
            "{} has fewer than {records} records",
            file.key()
        )));
    }
    Ok(dump)
}

/// The result of one step.
#[derive(Default)]
struct Piece {
    companies: Vec<Company>,
    /// One record for each company, by the register's id.
    histories: Vec<Item>,
    /// Size of the histories.
    bytes: usize,
    without_ico: usize,
    without_name: usize,
    notes: Notes,
}

impl Piece {
    fn read(file: &File, dump: &mut Dump<BufReader<BodyReader>>) -> Result<Self, Failure> {
        let mut piece = Self::default();
        for _ in 0..BATCH {
            if piece.bytes > BATCH_BYTES {
                break;
            }
            let Some(json) = dump.next_line()? else {
                break;
            };
            piece.notes.row();
            if let Err(failure) = json.and_then(|json| piece.add_line(json)) {
                if !matches!(failure, Failure::Malformed(_)) {
                    return Err(failure);
                }
                let failure = dump::within(&dump.place(), failure);
                piece.notes.odd_row("unreadable-records", &failure);
            }
        }
        piece.check(file)?;
        let evidence = dump.input().get_ref().body().evidence();
        for company in &mut piece.companies {
            company.evidence = vec![evidence.clone()];
        }
        Ok(piece)
    }

    fn add_line(&mut self, json: &str) -> Result<(), Failure> {
        let line = Line::read(json)?;
        match company::read(&line.record)? {
            Reading::Company(company) => {
                let history = line.history(company.terminated_date.as_deref());
                self.add(*company, history)?;
            }
            Reading::WithoutIco => {
                self.without_ico += 1;
                self.notes.count("skipped-without-ico");
            }
            Reading::WithoutName => {
                self.without_name += 1;
                self.notes.count("skipped-without-name");
            }
        }
        Ok(())
    }

    fn add(&mut self, company: Company, mut history: History) -> Result<(), Failure> {
        let content = history.content()?;
        let unknown = Unknown::of(&history);
        for (note, count) in [
            ("unreadable-history-rows", history.unreadable),
            ("dropped-history-rows", history.dropped),
            ("unknown-functions", unknown.functions),
            ("unknown-rules-of-acting", unknown.rules),
        ] {
            if let Some(count) = count {
                self.notes.count_many(note, count.get().into());
            }
        }
        self.bytes += content.len();
        let key = company.register_id.clone().unwrap_or_default();
        self.histories.push(Item {
            key,
            ico: Some(company.ico.clone()),
            name: None,
            city: None,
            postal_code: None,
            content,
            removed: false,
        });
        self.companies.push(company);
        Ok(())
    }

    /// A record may lack almost any field, but a field that a whole batch lacks was renamed.
    fn check(&self, file: &File) -> Result<(), Failure> {
        let records = self.companies.len() + self.without_ico + self.without_name;
        if records < MIN_SAMPLE {
            return Ok(());
        }
        let lost = |field: &str| {
            Err(malformed(
                file.key(),
                field,
                format!("none in {records} records"),
            ))
        };
        let is_in_one = |has: fn(&Company) -> bool| self.companies.iter().any(has);
        if self.without_ico == records {
            lost("/identifiers")
        } else if self.companies.is_empty() {
            lost("/fullNames")
        } else if !is_in_one(|company| company.legal_form_code.is_some()) {
            lost("/legalForms")
        } else if !is_in_one(|company| company.address.city.is_some()) {
            lost("/addresses")
        } else if !is_in_one(|company| {
            company
                .facts
                .iter()
                .any(|fact| fact.name == "source_register_code")
        }) {
            lost("/sourceRegister")
        } else {
            Ok(())
        }
    }
}
