//! The last two good components of each connector on disk, so that a start after a bad deploy still serves.
//!
//! A component counts as good once it serves, until it is rolled back. Bytes are used only if their digest still
//! matches. Components that an operator rolled back are held: neither another rollback nor the deletion of the file
//! ends that, and it is on the disk before the operator's request is answered.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use lustra_store::ConnectorId;
use serde::{Deserialize, Serialize};

use super::cache;

const MOST: usize = 2;
/// Most components of a connector that operators hold at a time.
const MAX_HELD: usize = 32;

/// Index entry of one connector.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Record {
    /// Name of the file that the component came from.
    pub(super) file: String,
    /// Digests of good components, newest first.
    pub(super) good: Vec<String>,
    /// Digest of the component that failed its probation last, with the reason.
    #[serde(default, rename = "taken_back")]
    rolled_back: Option<(String, String)>,
    /// Components that an operator rolled back, each with the reason. None is loaded again until it is released.
    #[serde(default)]
    held_components: Vec<(String, String)>,
    /// Whether an operator rolled back the component in `rolled_back`. Only indexes of earlier programs have it.
    #[serde(default, rename = "held", skip_serializing)]
    is_rolled_back_held: bool,
}

impl Record {
    fn is_held(&self, digest: &str) -> bool {
        self.held_components.iter().any(|(held, _)| held == digest)
    }

    /// Moves the held component of an earlier program's index to the list.
    fn upgrade(&mut self) {
        if std::mem::take(&mut self.is_rolled_back_held) {
            self.held_components.extend(self.rolled_back.take());
        }
    }
}

/// Why a component was not held.
#[derive(Debug, thiserror::Error)]
pub(super) enum HoldError {
    #[error("{MAX_HELD} versions are held already")]
    TooMany,
    #[error("the index of last known good components could not be written")]
    NotWritten(#[source] io::Error),
}

/// The directory of last known good components.
#[derive(Debug)]
pub(super) struct LastKnownGood {
    directory: PathBuf,
    index: Mutex<BTreeMap<ConnectorId, Record>>,
}

impl LastKnownGood {
    /// Opens the directory. An unreadable index is logged and treated as empty.
    pub(super) fn open(directory: PathBuf) -> Self {
        let mut index: BTreeMap<ConnectorId, Record> = match std::fs::read(directory.join("index.json")) {
            Ok(text) => serde_json::from_slice(&text).unwrap_or_else(|error| {
                tracing::warn!(%error, "the index of last known good components is invalid; starting with an empty one");
                BTreeMap::new()
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => {
                tracing::warn!(%error, "the index of last known good components cannot be read");
                BTreeMap::new()
            }
        };
        index.values_mut().for_each(Record::upgrade);
        Self {
            directory,
            index: Mutex::new(index),
        }
    }

    pub(super) fn record(&self, id: &ConnectorId) -> Option<Record> {
        self.lock().get(id).cloned()
    }

    /// The connector that was once loaded from a file with this name.
    pub(super) fn id_of_file(&self, file: &Path) -> Option<ConnectorId> {
        let name = file.file_name()?.to_string_lossy();
        let index = self.lock();
        let found = index.iter().find(|(_, record)| record.file == name);
        found.map(|(id, _)| id.clone())
    }

    /// Saves a component that serves and removes the third newest.
    pub(super) fn put(&self, id: &ConnectorId, file: &Path, digest: &str, bytes: &[u8]) {
        let mut index = self.lock();
        let record = index.entry(id.clone()).or_default();
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        // Loading the component again after a rollback clears the rollback.
        let forgiven = record
            .rolled_back
            .take_if(|(bad, _)| bad == digest)
            .is_some();
        if !forgiven
            && record.good.first().is_some_and(|newest| newest == digest)
            && record.file == name
        {
            return;
        }
        record.file = name.into_owned();
        record.good.retain(|good| good != digest);
        record.good.insert(0, digest.to_owned());
        let gone = record.good.split_off(record.good.len().min(MOST));
        let written = std::fs::create_dir_all(self.directory.join(id.as_str()))
            .and_then(|()| replace(&self.component(id, digest), bytes))
            .and_then(|()| self.write(&index));
        log_if_failed(written);
        for digest in gone {
            log_if_failed(std::fs::remove_file(self.component(id, &digest)));
        }
    }

    /// Removes a component from the good ones and records the reason.
    pub(super) fn roll_back(&self, id: &ConnectorId, digest: &str, why: &str) {
        let mut index = self.lock();
        let record = index.entry(id.clone()).or_default();
        record.good.retain(|good| good != digest);
        record.rolled_back = Some((digest.to_owned(), why.to_owned()));
        log_if_failed(self.write(&index));
        drop(std::fs::remove_file(self.component(id, digest)));
    }

    /// Removes a component from the good ones, until [`Self::release`]. When this returns, that lasts through a power
    /// failure.
    ///
    /// # Errors
    /// Nothing has changed.
    pub(super) fn hold(&self, id: &ConnectorId, digest: &str, why: &str) -> Result<(), HoldError> {
        let mut index = self.lock();
        let before = index.get(id).cloned();
        let record = index.entry(id.clone()).or_default();
        if record.held_components.len() >= MAX_HELD && !record.is_held(digest) {
            return Err(HoldError::TooMany);
        }
        record.good.retain(|good| good != digest);
        record.held_components.retain(|(held, _)| held != digest);
        let held = (digest.to_owned(), why.to_owned());
        record.held_components.push(held);
        if let Err(error) = self.write(&index) {
            match before {
                Some(before) => index.insert(id.clone(), before),
                None => index.remove(id),
            };
            return Err(HoldError::NotWritten(error));
        }
        drop(std::fs::remove_file(self.component(id, digest)));
        Ok(())
    }

    /// Lets a held component be loaded again: this one, or all of the connector if it is not held. `false`: none is
    /// held.
    pub(super) fn release(&self, id: &ConnectorId, digest: Option<&str>) -> bool {
        let mut index = self.lock();
        let Some(record) = index.get_mut(id) else {
            return false;
        };
        let one = digest.filter(|digest| record.is_held(digest));
        let held = record.held_components.len();
        record
            .held_components
            .retain(|(held, _)| one.is_some_and(|one| held != one));
        if record.held_components.len() == held {
            return false;
        }
        log_if_failed(self.write(&index));
        true
    }

    /// Whether an operator rolled this component back and did not release it.
    pub(super) fn is_held(&self, id: &ConnectorId, digest: &str) -> bool {
        let index = self.lock();
        index.get(id).is_some_and(|record| record.is_held(digest))
    }

    /// Why this component was rolled back. `None`: it was not.
    pub(super) fn why_rolled_back(&self, id: &ConnectorId, digest: &str) -> Option<String> {
        let index = self.lock();
        let record = index.get(id)?;
        let mut rolled_back = record.held_components.iter().chain(&record.rolled_back);
        let found = rolled_back.find(|(bad, _)| bad == digest);
        found.map(|(_, why)| why.clone())
    }

    /// Whether the bytes of a component are saved.
    pub(super) fn has(&self, id: &ConnectorId, digest: &str) -> bool {
        self.component(id, digest).is_file()
    }

    /// Removes a connector whose component was deleted. While one of its components is held, its good components stay
    /// too, to serve when the held one is back in the directory.
    pub(super) fn forget(&self, id: &ConnectorId) {
        let mut index = self.lock();
        let Some(record) = index.get_mut(id) else {
            return;
        };
        if !record.held_components.is_empty() {
            if record.rolled_back.take().is_some() {
                log_if_failed(self.write(&index));
            }
            return;
        }
        index.remove(id);
        log_if_failed(self.write(&index));
        log_if_failed(std::fs::remove_dir_all(self.directory.join(id.as_str())));
    }

    /// The bytes of a saved component, if their digest still matches.
    pub(super) fn read(&self, id: &ConnectorId, digest: &str) -> Option<Vec<u8>> {
        let bytes = std::fs::read(self.component(id, digest)).ok()?;
        (cache::digest(&bytes) == digest).then_some(bytes)
    }

    fn component(&self, id: &ConnectorId, digest: &str) -> PathBuf {
        self.directory
            .join(id.as_str())
            .join(format!("{digest}.wasm"))
    }

    /// Writes the index; durably if a component is held.
    fn write(&self, index: &BTreeMap<ConnectorId, Record>) -> io::Result<()> {
        let text = serde_json::to_vec_pretty(index).map_err(io::Error::other)?;
        std::fs::create_dir_all(&self.directory)?;
        let file = self.directory.join("index.json");
        if index
            .values()
            .all(|record| record.held_components.is_empty())
        {
            return replace(&file, &text);
        }
        replace_durably(&file, &text)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<ConnectorId, Record>> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes a file atomically.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = path.with_extension("tmp");
    std::fs::write(&temporary, bytes)?;
    std::fs::rename(&temporary, path)
}

/// Like [`replace`], and lasts through a power failure.
fn replace_durably(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = path.with_extension("tmp");
    let mut file = File::create(&temporary)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    std::fs::rename(&temporary, path)?;
    match path.parent() {
        Some(directory) => File::open(directory)?.sync_all(),
        None => Ok(()),
    }
}

/// Logs a failed write. The component serves anyway.
fn log_if_failed(written: io::Result<()>) {
    if let Err(error) = written {
        tracing::warn!(%error, "the last known good components could not be saved; after a bad deploy a start might not serve");
    }
}
