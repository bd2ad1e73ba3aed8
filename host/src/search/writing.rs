//! The index as its one writer has it: in a folder that no other process uses, with a note of what it was made from.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use tantivy::IndexWriter;

use super::follow::SearchError;
use super::index::{IndexError, NameIndex};
use super::schema::LAYOUT;
use crate::store::CompanyToFind;

/// What the index wants for each thread that writes.
const LEAST_OF_A_THREAD: usize = 15 << 20;

/// More processes than this in one data directory are a mistake.
const MOST_SLOTS: u32 = 64;

/// What is noted beside each commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Note {
    layout: u32,
    store: String,
    /// Every change up to it is in.
    pub(super) revision: i64,
}

/// An index and its writer.
pub(super) struct Writing {
    pub(super) index: Arc<NameIndex>,
    writer: IndexWriter,
    pub(super) note: Note,
    /// Companies that were put in since the last commit.
    pub(super) uncommitted: i64,
    pub(super) committed_at: Instant,
    /// Whether it was made from nothing.
    pub(super) made: bool,
    /// It was made from nothing when this was the store's newest revision, so companies up to it come once.
    new_until: i64,
    pub(super) slot: Arc<Slot>,
}

/// A folder that no other process uses. The system unlocks it when the process ends, however it ends.
pub(super) struct Slot {
    folder: PathBuf,
    _lock: File,
}

impl Writing {
    /// Opens the index below a directory, in the first folder that no other process uses, or makes it where it is none
    /// of this store and layout; in the given folder it is made anew. `newest` is the store's revision.
    pub(super) fn open(
        directory: &Path,
        slot: Option<Arc<Slot>>,
        store: String,
        newest: i64,
        bytes: usize,
    ) -> Result<Self, SearchError> {
        let fitting = |slot: &Slot| fitting(&slot.folder, &store, newest);
        let (slot, fitting) = match slot {
            Some(slot) => (slot, Err("it is damaged".to_owned())),
            None => {
                let slot = free_slot(directory)?;
                let fitting = fitting(&slot);
                (slot, fitting)
            }
        };
        let (index, note, made) = match fitting {
            Ok((index, note)) => (index, note, false),
            Err(why) => {
                let note = Note {
                    layout: LAYOUT,
                    store,
                    revision: 0,
                };
                (made_anew(&slot.folder, &why)?, note, true)
            }
        };
        // The most that pays: reading the companies takes about as long as one of them.
        let threads = if bytes >= 2 * LEAST_OF_A_THREAD { 2 } else { 1 };
        let writer = index.writer(threads, bytes)?;
        Ok(Self {
            index: Arc::new(index),
            writer,
            note,
            uncommitted: 0,
            committed_at: Instant::now(),
            made,
            new_until: if made { newest } else { 0 },
            slot,
        })
    }

    /// Puts companies in, as of the next commit; `reached` is the revision of the last.
    pub(super) fn put(
        &mut self,
        companies: &[CompanyToFind],
        reached: i64,
    ) -> Result<(), IndexError> {
        self.index.put(&self.writer, companies, self.new_until)?;
        self.uncommitted += i64::try_from(companies.len()).unwrap_or(i64::MAX);
        self.note.revision = reached;
        Ok(())
    }

    /// Makes what was put in survive, and lets questions see it.
    pub(super) fn commit(&mut self) -> Result<(), IndexError> {
        let note = serde_json::to_string(&self.note).expect("texts and numbers become JSON");
        let mut prepared = self.writer.prepare_commit()?;
        prepared.set_payload(&note);
        prepared.commit()?;
        self.index.reload()?;
        self.uncommitted = 0;
        self.committed_at = Instant::now();
        Ok(())
    }
}

fn free_slot(directory: &Path) -> io::Result<Arc<Slot>> {
    std::fs::create_dir_all(directory)?;
    for number in 0..MOST_SLOTS {
        let lock = File::create(directory.join(format!("{number}.lock")))?;
        match lock.try_lock() {
            Ok(()) => {
                return Ok(Arc::new(Slot {
                    folder: directory.join(number.to_string()),
                    _lock: lock,
                }));
            }
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    let why = format!("{MOST_SLOTS} processes use {}", directory.display());
    Err(io::Error::other(why))
}

/// An empty index in a folder, whatever was there.
fn made_anew(folder: &Path, why: &str) -> Result<NameIndex, SearchError> {
    if folder.exists() {
        tracing::warn!("the search index is made again: {why}");
        std::fs::remove_dir_all(folder)?;
    }
    std::fs::create_dir_all(folder)?;
    Ok(NameIndex::create(folder)?)
}

/// The index of a folder, where it can be gone on with; else why not.
fn fitting(folder: &Path, store: &str, newest: i64) -> Result<(NameIndex, Note), String> {
    let index = NameIndex::open(folder).map_err(|error| error.to_string())?;
    let note = index.note().map_err(|error| error.to_string())?;
    let note = note.and_then(|note| serde_json::from_str::<Note>(&note).ok());
    let note = note.ok_or("it was never finished")?;
    if note.layout != LAYOUT {
        return Err(format!("it has layout {}, not {LAYOUT}", note.layout));
    }
    if note.store != store {
        return Err("it is that of another store".to_owned());
    }
    if note.revision > newest {
        return Err("the store was put back to an earlier state".to_owned());
    }
    Ok((index, note))
}
