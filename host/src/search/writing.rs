//! The index with its single writer, in a folder that no other process uses, and a note about its origin.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tantivy::IndexWriter;

use super::error::SearchError;
use super::index::{IndexError, NameIndex};
use super::schema::LAYOUT;
use crate::store::CompanyToFind;

/// Minimum memory in bytes that the index engine requires per writing thread.
const MIN_BYTES_PER_THREAD: usize = 15 << 20;

/// Maximum processes per data directory; more are a mistake.
const MAX_SLOTS: u32 = 64;

/// Interval of commits while an import changes many companies. Each commit synchronises about twenty files and makes a
/// segment that is merged later: with one each half second, they took a third of the processor time of an import and
/// delayed durable writes to the same disk.
pub(super) const COMMIT_EVERY: Duration = Duration::from_secs(5);

/// The note stored with each commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Note {
    layout: u32,
    store: String,
    /// All changes up to this revision are included.
    pub(super) revision: i64,
}

pub(super) struct Writing {
    pub(super) index: Arc<NameIndex>,
    writer: IndexWriter,
    pub(super) note: Note,
    /// Companies written since the last commit.
    pub(super) uncommitted: i64,
    pub(super) committed_at: Instant,
    /// Whether the index was built from scratch.
    pub(super) made: bool,
    /// For a new index: the store's revision at its creation. Companies up to it are written only once.
    new_until: i64,
    pub(super) slot: Arc<Slot>,
}

/// A folder that no other process uses. The operating system releases the lock when the process ends in any way.
pub(super) struct Slot {
    folder: PathBuf,
    _lock: File,
}

impl Writing {
    /// Opens the index in the first free folder of a directory. Builds a new one if there is none, or if it belongs to
    /// another store or layout. With a given folder, rebuilds the index there. `newest` is the store's revision.
    pub(super) fn open(
        directory: &Path,
        slot: Option<Arc<Slot>>,
        store: String,
        newest: i64,
        bytes: usize,
    ) -> Result<Self, SearchError> {
        let reusable = |slot: &Slot| reusable(&slot.folder, &store, newest);
        let (slot, reusable) = match slot {
            Some(slot) => (slot, Err("it is damaged".to_owned())),
            None => {
                let slot = free_slot(directory)?;
                let reusable = reusable(&slot);
                (slot, reusable)
            }
        };
        let (index, note, made) = match reusable {
            Ok((index, note)) => (index, note, false),
            Err(why) => {
                let note = Note {
                    layout: LAYOUT,
                    store,
                    revision: 0,
                };
                (recreated(&slot.folder, &why)?, note, true)
            }
        };
        // More than two threads do not help: reading the companies takes about as long as one thread needs to index
        // them.
        let threads = if bytes >= 2 * MIN_BYTES_PER_THREAD {
            2
        } else {
            1
        };
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

    /// Writes companies, as of the next commit. `reached` is the revision of the last one.
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

    /// Commits the written companies and makes them visible to queries.
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
    for number in 0..MAX_SLOTS {
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
    let why = format!("{MAX_SLOTS} processes use {}", directory.display());
    Err(io::Error::other(why))
}

/// Creates an empty index in a folder and deletes what was there.
fn recreated(folder: &Path, why: &str) -> Result<NameIndex, SearchError> {
    if folder.exists() {
        tracing::warn!("rebuilding the search index: {why}");
        std::fs::remove_dir_all(folder)?;
    }
    std::fs::create_dir_all(folder)?;
    Ok(NameIndex::create(folder)?)
}

/// The existing index of a folder if it can be continued, otherwise the reason.
fn reusable(folder: &Path, store: &str, newest: i64) -> Result<(NameIndex, Note), String> {
    let index = NameIndex::open(folder).map_err(|error| error.to_string())?;
    let note = index.note().map_err(|error| error.to_string())?;
    let note = note.and_then(|note| serde_json::from_str::<Note>(&note).ok());
    let note = note.ok_or("it has no commit")?;
    if note.layout != LAYOUT {
        return Err(format!("it has layout {}, not {LAYOUT}", note.layout));
    }
    if note.store != store {
        return Err("it belongs to another store".to_owned());
    }
    if note.revision > newest {
        return Err("the store was restored to an earlier state".to_owned());
    }
    Ok((index, note))
}
