//! The dataset `companies`: one file of the plan after the other, a batch for each thousand records.
//!
//! A batch never spans two files and its cursor names the file and the records read, so that a run resumed anywhere
//! gives exactly what is left. Several records of one IČO are all given; their fact `preference` tells them apart.

use std::io::BufReader;

use lustra_sdk::http::{BodyReader, Request};
use lustra_sdk::{Batch, Company, Failure, Field, ImportRun, failure, malformed};

use crate::bucket::File;
use crate::company::{self, Reading};
use crate::cursor::Cursor;
use crate::dump::{Dump, within};
use crate::plan::{self, Plan};

const DATASET: &str = "companies";
/// Records of a batch.
const BATCH: usize = 1_000;
/// From how many records on a field that all of them lack means that the register renamed it.
const TELLING: usize = 100;

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
    }))
}

struct Run {
    files: Vec<File>,
    /// The file that is read.
    at: usize,
    /// How many of its records were given.
    records: u64,
    /// The file, once it is open.
    dump: Option<Dump<BufReader<BodyReader>>>,
}

impl ImportRun for Run {
    fn next(&mut self) -> Result<Option<Batch>, Failure> {
        let Some(file) = self.files.get(self.at).cloned() else {
            return Ok(None);
        };
        // After a failure the file is closed, so that another call begins where the last batch ended.
        let mut dump = match self.dump.take() {
            Some(dump) => dump,
            None => begin(&file, self.records)?,
        };
        let read = Piece::read(&file, &mut dump)?;
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
            items: Vec::new(),
            companies: read.companies,
            cursor: cursor.to_string(),
            list_date: Some(list_date),
            progress: u16::try_from(self.at * 1_000 / self.files.len()).ok(),
            notes: notes(&[
                ("skipped-without-ico", read.without_ico),
                ("skipped-without-name", read.without_name),
            ]),
        }))
    }
}

/// Opens a file behind the records that were given before.
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

/// What one step read.
#[derive(Default)]
struct Piece {
    companies: Vec<Company>,
    without_ico: usize,
    without_name: usize,
}

impl Piece {
    fn read(file: &File, dump: &mut Dump<BufReader<BodyReader>>) -> Result<Self, Failure> {
        let mut piece = Self::default();
        for _ in 0..BATCH {
            let Some(record) = dump.next_record()? else {
                break;
            };
            let place = || format!("{}: record {}", file.key(), dump.records());
            match company::read(&record).map_err(|failure| within(&place(), failure))? {
                Reading::Company(company) => piece.companies.push(*company),
                Reading::WithoutIco => piece.without_ico += 1,
                Reading::WithoutName => piece.without_name += 1,
            }
        }
        piece.check(file)?;
        let evidence = dump.input().get_ref().body().evidence();
        for company in &mut piece.companies {
            company.evidence = vec![evidence.clone()];
        }
        Ok(piece)
    }

    /// A record may lack nearly anything, but a field that a whole batch lacks was renamed.
    fn check(&self, file: &File) -> Result<(), Failure> {
        let records = self.companies.len() + self.without_ico + self.without_name;
        if records < TELLING {
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

fn notes(counts: &[(&str, usize)]) -> Vec<Field> {
    counts
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| Field {
            name: (*name).to_owned(),
            value: count.to_string(),
        })
        .collect()
}
