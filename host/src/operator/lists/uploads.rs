//! Files that were sent to this host and wait for their check or for the operator.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use time::OffsetDateTime;

use crate::datasets::{ImportPreview, Progress};

/// Connector and dataset.
type Key = (String, String);

/// The newest file that was sent for each list. Clones share them.
#[derive(Clone, Default)]
pub(in crate::operator) struct Uploads(Arc<Mutex<BTreeMap<Key, Upload>>>);

/// A file that was sent.
#[derive(Debug, Clone)]
pub(in crate::operator) struct Upload {
    /// Name of the file on the operator's machine.
    pub(in crate::operator) name: String,
    pub(in crate::operator) bytes: u64,
    /// SHA-256 in hexadecimal; empty while it is received.
    pub(in crate::operator) digest: String,
    pub(in crate::operator) sent_at: OffsetDateTime,
    pub(in crate::operator) state: UploadState,
}

#[derive(Debug, Clone)]
pub(in crate::operator) enum UploadState {
    Receiving,
    Checking(Progress),
    /// Why it must not be used.
    Rejected(String),
    /// It may replace the other file.
    Accepted(ImportPreview),
}

impl Upload {
    /// Whether it is being received or checked.
    pub(in crate::operator) fn is_under_way(&self) -> bool {
        match self.state {
            UploadState::Receiving | UploadState::Checking(_) => true,
            UploadState::Rejected(_) | UploadState::Accepted(_) => false,
        }
    }
}

impl Uploads {
    pub(in crate::operator) fn get(&self, connector: &str, dataset: &str) -> Option<Upload> {
        let key = (connector.to_owned(), dataset.to_owned());
        self.all().get(&key).cloned()
    }

    /// Begins an upload in place of one that has ended. `None`: one is under way.
    pub(in crate::operator) fn reserve(
        &self,
        connector: &str,
        dataset: &str,
        now: OffsetDateTime,
    ) -> Option<Reservation> {
        let key = (connector.to_owned(), dataset.to_owned());
        let mut all = self.all();
        if all.get(&key).is_some_and(Upload::is_under_way) {
            return None;
        }
        let upload = Upload {
            name: String::new(),
            bytes: 0,
            digest: String::new(),
            sent_at: now,
            state: UploadState::Receiving,
        };
        all.insert(key.clone(), upload);
        Some(Reservation {
            uploads: self.clone(),
            key,
        })
    }

    /// Removes an upload that has ended. `None`: there is none, or it is under way.
    pub(in crate::operator) fn remove(&self, connector: &str, dataset: &str) -> Option<Upload> {
        let key = (connector.to_owned(), dataset.to_owned());
        let mut all = self.all();
        let ended = all.get(&key).is_some_and(|upload| !upload.is_under_way());
        ended.then(|| all.remove(&key)).flatten()
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<Key, Upload>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An upload under way. If it is dropped before it has ended, the upload is gone.
pub(in crate::operator) struct Reservation {
    uploads: Uploads,
    key: Key,
}

impl Reservation {
    pub(in crate::operator) fn update(&self, change: impl FnOnce(&mut Upload)) {
        if let Some(upload) = self.uploads.all().get_mut(&self.key) {
            change(upload);
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut all = self.uploads.all();
        if all.get(&self.key).is_some_and(Upload::is_under_way) {
            all.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interrupted_upload_makes_room_for_another() {
        let uploads = Uploads::default();
        let now = OffsetDateTime::UNIX_EPOCH;
        let first = uploads.reserve("a", "list", now).expect("none is there");
        assert!(uploads.reserve("a", "list", now).is_none());
        assert!(uploads.remove("a", "list").is_none());
        drop(first);
        assert!(uploads.get("a", "list").is_none());
        let second = uploads.reserve("a", "list", now).expect("none is there");
        second.update(|upload| upload.state = UploadState::Rejected("empty".to_owned()));
        drop(second);
        assert!(uploads.get("a", "list").is_some(), "its result is shown");
        assert!(uploads.remove("a", "list").is_some());
    }
}
