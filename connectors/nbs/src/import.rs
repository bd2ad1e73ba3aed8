//! Imports of the lists.
//!
//! A list of the bank is read as a whole and merged with the records of the last import, in the order of keys. A
//! resumed run reads the list again, as of the day on which the run began. It continues only if the result is the same.
//! The operator's list of agents has no history of its own: its ties get theirs in the import of institutions.

use std::io::Read as _;

use lustra_sdk::failure::list_changed;
use lustra_sdk::http::{Body, Request, Response, of_io};
use lustra_sdk::snapshot::Snapshot;
use lustra_sdk::text::decode_utf8_or_windows_1250;
use lustra_sdk::{
    Batch, Failure, ImportRun, Item, fingerprint, malformed, records, runtime, to_json,
};
use serde::{Deserialize, Serialize};

use crate::dataset::Dataset;
use crate::entity::Entity;
use crate::history::{self, Licences};
use crate::licence::{Held, Notes, Unreadable, anyones_row};
use crate::names::{AGENTS, UPSTREAM};
use crate::settings::Settings;
use crate::{agents, entities, institutions, links, psd2, published, ties};

/// The size of a batch.
const BATCH: usize = 1_000;

/// The records of a run, and what was counted for them.
type Records = (Vec<Item>, Notes);

/// The position of a run.
#[derive(Debug, Serialize, Deserialize)]
struct RunCursor {
    /// The day on which the run began. It is the end of vanished licences, however long the run takes.
    day: String,
    /// The number of records returned so far.
    given: usize,
    /// Fingerprint of all records of the run.
    mark: String,
}

/// Starts a run over a list, or resumes one.
///
/// # Errors
/// The upstream's failure; [`Failure::Malformed`] for another text or a part of the list only; [`list_changed`] if the
/// cursor belongs to another list.
pub fn open(dataset: Dataset, cursor: Option<&str>) -> Result<Box<dyn ImportRun>, Failure> {
    match dataset {
        Dataset::Institutions => with_history(cursor, institution_records),
        Dataset::Psd2Services => with_history(cursor, service_records),
        Dataset::Agents => {
            let list = bytes(AGENTS, fetched(dataset)?.body)?;
            let (items, notes) = agents::read(&list, &Settings::read()?.agents_columns)?;
            Snapshot::of(items, notes, None).open(cursor)
        }
    }
}

/// Starts or resumes a run over the records that a list and its history give as of a day.
fn with_history(
    cursor: Option<&str>,
    records: fn(&str) -> Result<Records, Failure>,
) -> Result<Box<dyn ImportRun>, Failure> {
    let position = cursor
        .map(|cursor| {
            serde_json::from_str::<RunCursor>(cursor).map_err(|error| {
                list_changed(format!("the cursor is not one of this version: {error}"))
            })
        })
        .transpose()?;
    let day = position
        .as_ref()
        .map_or_else(runtime::today, |position| position.day.clone());
    let (items, notes) = records(&day)?;
    let mut run = ListRun::new(day, items, notes);
    if let Some(position) = position {
        run.skip_to(&position)?;
    }
    Ok(Box::new(run))
}

/// The entities of today's list and of earlier ones.
fn institution_records(day: &str) -> Result<Records, Failure> {
    let list = institutions::read(&unpacked(fetched(Dataset::Institutions)?)?)?;
    let mut notes = list.notes;
    let before = published::entities()?;
    let listed = entities::recognised(list.entries, &before);
    entities::check(&listed, &before, Settings::read()?.most_vanished_percent)?;
    let mut entities = entities::carried_on(listed, before, &list.unreadable, day);
    ties::merge(&mut entities, ties::published()?.as_ref(), day, &mut notes);
    links::link(&mut entities);
    entities.values_mut().for_each(Entity::settle);
    // Each entity is freed as soon as its record is built: with their ties they are large.
    let items = entities
        .into_iter()
        .map(|(id, entity)| records::item(id, entity.ico.as_deref(), &entity));
    Ok((with_unreadable(items, &list.unreadable)?, notes))
}

/// The payment services of today's list and of earlier ones.
fn service_records(day: &str) -> Result<Records, Failure> {
    let response = fetched(Dataset::Psd2Services)?;
    // The charset is not known. Text that is not UTF-8 can only be in the other charset in use.
    let text = decode_utf8_or_windows_1250(&bytes("api/psd2", response.body)?);
    let settings = Settings::read()?;
    let list = psd2::read(&text, &settings.psd2_members)?;
    let before = published_services()?;
    let still_listed = history::still_listed(&list.entries, &before);
    history::check_vanished(
        Dataset::Psd2Services.id(),
        still_listed,
        settings.most_vanished_percent,
    )?;
    let licences = history::carried_on(list.entries, before, &list.unreadable, day);
    let items = licences
        .iter()
        .map(|(key, held)| records::item(key, Some(&held.ico), &held.licence));
    Ok((with_unreadable(items, &list.unreadable)?, list.notes))
}

/// The records of a list, with a placeholder for each company whose row could not be read, and one for all rows that
/// identify no subject.
fn with_unreadable(
    items: impl Iterator<Item = Result<Item, Failure>>,
    unreadable: &Unreadable,
) -> Result<Vec<Item>, Failure> {
    let placeholders = unreadable
        .icos
        .iter()
        .map(|ico| records::unreadable_row(format!("{ico}|unreadable"), ico));
    let anyones = unreadable.is_anyones.then(anyones_row);
    items.chain(placeholders).chain(anyones).collect()
}

fn fetched(dataset: Dataset) -> Result<Response, Failure> {
    let (upstream, path) = dataset.place();
    Request::get(upstream, path).fetch()
}

/// Unpacks the archive's only JSON file. Ignores the content type of the answer: whatever can be unpacked is an
/// archive.
fn unpacked(response: Response) -> Result<String, Failure> {
    let is_page = response
        .header("content-type")
        .is_some_and(|kind| kind.trim_start().starts_with("text/html"));
    let archive = response.body;
    let names = archive.unzip().map_err(|failure| match failure {
        Failure::Malformed(_) if is_page => Failure::Unavailable(format!(
            "{UPSTREAM} answered with a page of HTML instead of an archive"
        )),
        Failure::Malformed(_)
        | Failure::Unavailable(_)
        | Failure::Throttled(_)
        | Failure::Misconfigured(_)
        | Failure::Refused(_)
        | Failure::Other(_) => failure,
    })?;
    let is_json = |name: &&String| name.to_ascii_lowercase().ends_with(".json");
    let files: Vec<&String> = names.iter().filter(is_json).collect();
    let [file] = files.as_slice() else {
        return Err(malformed(
            "api/json: archive",
            "one file .json",
            names.join(", "),
        ));
    };
    text("api/json", archive.entry(file)?)
}

/// Reads a body in pieces, since it may be larger than the host's limit for one piece.
fn bytes(what: &str, body: Body) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    body.reader()
        .read_to_end(&mut bytes)
        .map_err(|error| of_io(what, &error))?;
    Ok(bytes)
}

/// A body that is text in UTF-8.
fn text(what: &str, body: Body) -> Result<String, Failure> {
    let text = String::from_utf8(bytes(what, body)?)
        .map_err(|error| malformed(what, "text in UTF-8", error.utf8_error().to_string()))?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

/// The payment services of the last complete import.
fn published_services() -> Result<Licences, Failure> {
    let mut licences = Licences::new();
    records::each_of_key(Dataset::Psd2Services.id(), "", |stored| {
        if !records::is_unreadable_row(&stored) {
            let held = Held::of(&stored)?;
            licences.insert(stored.key, held);
        }
        Ok(())
    })?;
    Ok(licences)
}

/// A run over the merged result of a list and its history.
struct ListRun {
    day: String,
    items: Vec<Item>,
    mark: String,
    notes: Notes,
    given: usize,
}

impl ListRun {
    fn new(day: String, items: Vec<Item>, notes: Notes) -> Self {
        let mark = items.iter().fold(0, |mark, item| {
            fingerprint(
                fingerprint(mark, item.key.as_bytes()),
                item.content.as_bytes(),
            )
        });
        Self {
            day,
            items,
            mark: format!("{mark:016x}"),
            notes,
            given: 0,
        }
    }

    fn skip_to(&mut self, position: &RunCursor) -> Result<(), Failure> {
        if position.mark != self.mark || position.given > self.items.len() {
            return Err(list_changed(
                "the list, or what was published of it, is not the one that the run was begun on",
            ));
        }
        self.given = position.given;
        Ok(())
    }
}

impl ImportRun for ListRun {
    fn next(&mut self) -> Result<Option<Batch>, Failure> {
        let rest = self.items.get(self.given..).unwrap_or_default();
        let items: Vec<Item> = rest.iter().take(BATCH).cloned().collect();
        if items.is_empty() {
            return Ok(None);
        }
        // Reported with the first batch only: the host adds up the notes of batches.
        let notes = match self.given {
            0 => self.notes.fields(),
            _ => Vec::new(),
        };
        self.given += items.len();
        let position = RunCursor {
            day: self.day.clone(),
            given: self.given,
            mark: self.mark.clone(),
        };
        Ok(Some(Batch {
            items,
            companies: Vec::new(),
            cursor: to_json(&position)?,
            // The files contain no date.
            list_date: None,
            progress: u16::try_from(self.given * 1_000 / self.items.len()).ok(),
            notes,
        }))
    }
}
