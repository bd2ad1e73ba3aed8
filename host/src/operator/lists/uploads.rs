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
    /// It replaces the other file now.
    Taking(ImportPreview),
}

impl Upload {
    /// Whether it is being received, checked or taken.
    pub(in crate::operator) fn is_under_way(&self) -> bool {
        match self.state {
            UploadState::Receiving | UploadState::Checking(_) | UploadState::Taking(_) => true,
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

    /// Begins to take the accepted upload with this digest. `None`: there is none, or it is being taken.
    pub(in crate::operator) fn take(
        &self,
        connector: &str,
        dataset: &str,
        digest: &str,
    ) -> Option<Taking> {
        let key = (connector.to_owned(), dataset.to_owned());
        let mut all = self.all();
        let upload = all.get_mut(&key).filter(|upload| upload.digest == digest)?;
        let UploadState::Accepted(preview) = &upload.state else {
            return None;
        };
        upload.state = UploadState::Taking(preview.clone());
        Some(Taking {
            uploads: self.clone(),
            upload: upload.clone(),
            key,
        })
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

/// An upload that is being taken. If it is dropped before [`Self::end`], the upload may be taken again.
pub(in crate::operator) struct Taking {
    uploads: Uploads,
    key: Key,
    upload: Upload,
}

impl Taking {
    pub(in crate::operator) fn upload(&self) -> &Upload {
        &self.upload
    }

    /// Removes the upload: its file has replaced the other one.
    pub(in crate::operator) fn end(self) {
        self.uploads.all().remove(&self.key);
    }
}

impl Drop for Taking {
    fn drop(&mut self) {
        if let Some(upload) = self.uploads.all().get_mut(&self.key)
            && let UploadState::Taking(preview) = &upload.state
        {
            upload.state = UploadState::Accepted(preview.clone());
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

    #[test]
    fn upload_is_taken_once_at_a_time() {
        let uploads = Uploads::default();
        let reserved = uploads.reserve("a", "list", OffsetDateTime::UNIX_EPOCH);
        reserved.expect("none is there").update(|upload| {
            upload.digest = "1".to_owned();
            upload.state = UploadState::Accepted(ImportPreview {
                records: 1,
                added: 1,
                changed: 0,
                removed: 0,
                skipped: 0,
                list_date: None,
            });
        });
        assert!(uploads.take("a", "list", "2").is_none(), "another digest");
        let taking = uploads.take("a", "list", "1").expect("it is accepted");
        assert!(uploads.take("a", "list", "1").is_none());
        assert!(uploads.remove("a", "list").is_none());
        drop(taking);
        let again = uploads.take("a", "list", "1").expect("it was not taken");
        again.end();
        assert!(uploads.get("a", "list").is_none());
    }
}
