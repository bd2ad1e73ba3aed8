//! The last two good components of each connector on disk, so that a start after a bad deploy still serves.
//!
//! A component counts as good once it serves, until it is rolled back. Bytes are used only if their digest still
//! matches.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use lustra_store::ConnectorId;
use serde::{Deserialize, Serialize};

use super::cache;

const MOST: usize = 2;

/// Index entry of one connector.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Record {
    /// Name of the file that the component came from.
    pub(super) file: String,
    /// Digests of good components, newest first.
    pub(super) good: Vec<String>,
    /// Digest of the component that was rolled back last, with the reason.
    #[serde(default, rename = "taken_back")]
    pub(super) rolled_back: Option<(String, String)>,
    /// Whether an operator took that component back. It is not loaded again until it is released.
    #[serde(default)]
    pub(super) held: bool,
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
        let index = match std::fs::read(directory.join("index.json")) {
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
        if forgiven {
            record.held = false;
        }
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
        self.reject(id, digest, why, false);
    }

    /// Like [`Self::roll_back`], until [`Self::release`].
    pub(super) fn hold(&self, id: &ConnectorId, digest: &str, why: &str) {
        self.reject(id, digest, why, true);
    }

    /// Lets the held component be loaded again. `false`: none is held.
    pub(super) fn release(&self, id: &ConnectorId) -> bool {
        let mut index = self.lock();
        let Some(record) = index.get_mut(id).filter(|record| record.held) else {
            return false;
        };
        record.held = false;
        record.rolled_back = None;
        log_if_failed(self.write(&index));
        true
    }

    /// Whether an operator took this component back.
    pub(super) fn is_held(&self, id: &ConnectorId, digest: &str) -> bool {
        let index = self.lock();
        let held = index.get(id).filter(|record| record.held);
        let rejected = held.and_then(|record| record.rolled_back.as_ref());
        rejected.is_some_and(|(bad, _)| bad == digest)
    }

    /// Whether the bytes of a component are saved.
    pub(super) fn has(&self, id: &ConnectorId, digest: &str) -> bool {
        self.component(id, digest).is_file()
    }

    fn reject(&self, id: &ConnectorId, digest: &str, why: &str, held: bool) {
        let mut index = self.lock();
        let record = index.entry(id.clone()).or_default();
        record.good.retain(|good| good != digest);
        record.rolled_back = Some((digest.to_owned(), why.to_owned()));
        record.held = held;
        log_if_failed(self.write(&index));
        drop(std::fs::remove_file(self.component(id, digest)));
    }

    /// Removes a connector whose component was deleted.
    pub(super) fn forget(&self, id: &ConnectorId) {
        let mut index = self.lock();
        if index.remove(id).is_some() {
            log_if_failed(self.write(&index));
            log_if_failed(std::fs::remove_dir_all(self.directory.join(id.as_str())));
        }
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

    fn write(&self, index: &BTreeMap<ConnectorId, Record>) -> io::Result<()> {
        let text = serde_json::to_vec_pretty(index).map_err(io::Error::other)?;
        std::fs::create_dir_all(&self.directory)?;
        replace(&self.directory.join("index.json"), &text)
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

/// Logs a failed write. The component serves anyway.
fn log_if_failed(written: io::Result<()>) {
    if let Err(error) = written {
        tracing::warn!(%error, "the last known good components could not be saved; after a bad deploy a start might not serve");
    }
}
