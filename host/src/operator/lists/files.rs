//! The files of a list: the one that is read, the one before, and the one that was sent.
//!
//! All three are in one folder, so that one replaces another in one step: a reader sees the old file or the new one.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};
use time::OffsetDateTime;
use tokio::io::AsyncWriteExt;
use tokio::task::spawn_blocking;

use crate::connectors::cache::hex;

/// Ending of the file that was sent and waits to be taken.
const SENT: &str = ".sent";
/// Ending of the file before.
const PREVIOUS: &str = ".previous";
/// Ending of a file that is about to get another name.
const MOVING: &str = ".moving";

/// Bytes read at a time.
const PIECE: usize = 64 << 10;

/// A file as it is on the disk.
#[derive(Debug, Clone)]
pub(in crate::operator) struct StoredFile {
    pub(in crate::operator) bytes: u64,
    pub(in crate::operator) changed: Option<OffsetDateTime>,
}

impl StoredFile {
    /// Tells the file from the other ones of a list: its size in bytes and the time of its change in nanoseconds.
    pub(in crate::operator) fn tag(&self) -> String {
        let changed = self.changed.map(OffsetDateTime::unix_timestamp_nanos);
        format!("{}-{}", self.bytes, changed.unwrap_or_default())
    }
}

/// Why a file was not replaced.
#[derive(Debug, thiserror::Error)]
pub(in crate::operator) enum TakeError {
    /// The file on the disk is not the one that was checked.
    #[error("the file is gone, or it is another one by now")]
    OtherFile,
    #[error("no earlier file is kept")]
    NoPrevious,
    #[error("{}: {error}", place.display())]
    Disk { place: PathBuf, error: io::Error },
}

fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.file_name().map_or_else(OsString::new, OsString::from);
    name.push(ending);
    file.with_file_name(name)
}

/// The file that is replaced: a link stays a link, and the file that it leads to changes.
fn real(file: &Path) -> PathBuf {
    fs::canonicalize(file).unwrap_or_else(|_missing| file.to_owned())
}

fn at<T>(place: &Path, result: io::Result<T>) -> Result<T, TakeError> {
    result.map_err(|error| TakeError::Disk {
        place: place.to_owned(),
        error,
    })
}

/// What is known of a file. `None`: it does not exist or is not a regular file.
pub(in crate::operator) fn stored(file: &Path) -> Option<StoredFile> {
    let metadata = fs::metadata(file).ok().filter(fs::Metadata::is_file)?;
    Some(StoredFile {
        bytes: metadata.len(),
        changed: metadata.modified().ok().map(OffsetDateTime::from),
    })
}

/// The file before. `None`: none is kept.
pub(in crate::operator) fn previous_of(file: &Path) -> Option<StoredFile> {
    stored(&beside(&real(file), PREVIOUS))
}

/// A file that is being received.
pub(in crate::operator) struct Received {
    pub(in crate::operator) path: PathBuf,
    file: tokio::fs::File,
    digest: Sha256,
    pub(in crate::operator) bytes: u64,
}

/// Begins to receive a file that is to replace another. The folder is created if only the last part of its path is
/// missing.
pub(in crate::operator) async fn receive(file: &Path) -> Result<Received, TakeError> {
    let path = beside(&real(file), SENT);
    let opened = {
        let path = path.clone();
        spawn_blocking(move || {
            if let Some(folder) = path.parent().filter(|folder| !folder.exists()) {
                fs::create_dir(folder)?;
            }
            File::create(&path)
        })
    };
    let opened = opened.await.map_err(io::Error::other).flatten();
    Ok(Received {
        file: tokio::fs::File::from_std(at(&path, opened)?),
        path,
        digest: Sha256::new(),
        bytes: 0,
    })
}

impl Received {
    pub(in crate::operator) async fn write(&mut self, chunk: &[u8]) -> Result<(), TakeError> {
        self.digest.update(chunk);
        self.bytes += chunk.len() as u64;
        at(&self.path, self.file.write_all(chunk).await)
    }

    /// Ends the file on the disk. Returns its digest.
    pub(in crate::operator) async fn end(mut self) -> Result<String, TakeError> {
        at(&self.path, self.file.flush().await)?;
        at(&self.path, self.file.sync_all().await)?;
        Ok(hex(&self.digest.finalize()))
    }
}

/// Held while files replace each other, which takes several steps.
static REPLACING: Mutex<()> = Mutex::new(());

/// Lets the file that was sent replace the other one, if it still has this digest.
pub(in crate::operator) fn take(file: &Path, digest: &str) -> Result<(), TakeError> {
    let _replacing = REPLACING.lock().unwrap_or_else(PoisonError::into_inner);
    let file = real(file);
    let sent = beside(&file, SENT);
    if digest_of(&sent).as_deref() != Some(digest) {
        return Err(TakeError::OtherFile);
    }
    if let Ok(metadata) = fs::metadata(&file) {
        keep(&file, &beside(&file, PREVIOUS))?;
        at(&sent, fs::set_permissions(&sent, metadata.permissions()))?;
    }
    at(&file, fs::rename(&sent, &file))?;
    sync_folder(&file)
}

/// Lets the file before, which has this tag, replace the present one, which becomes the one before.
pub(in crate::operator) fn take_back(file: &Path, tag: &str) -> Result<(), TakeError> {
    let _replacing = REPLACING.lock().unwrap_or_else(PoisonError::into_inner);
    let file = real(file);
    let (previous, moving) = (beside(&file, PREVIOUS), beside(&file, MOVING));
    let kept = stored(&previous).ok_or(TakeError::NoPrevious)?;
    if kept.tag() != tag {
        return Err(TakeError::OtherFile);
    }
    let had_file = stored(&file).is_some();
    if had_file {
        keep(&file, &moving)?;
    }
    at(&file, fs::rename(&previous, &file))?;
    if had_file {
        at(&previous, fs::rename(&moving, &previous))?;
    }
    sync_folder(&file)
}

/// Deletes the file that was sent.
pub(in crate::operator) fn discard(file: &Path) {
    let sent = beside(&real(file), SENT);
    if let Err(error) = fs::remove_file(&sent)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(%error, "{} could not be deleted", sent.display());
    }
}

/// Gives a file a second name, or copies it where the file system has no second names. The first name stays, so that
/// readers always find the file.
fn keep(file: &Path, name: &Path) -> Result<(), TakeError> {
    let temporary = beside(name, MOVING);
    if let Err(error) = fs::remove_file(&temporary)
        && error.kind() != io::ErrorKind::NotFound
    {
        return at(&temporary, Err(error));
    }
    if fs::hard_link(file, &temporary).is_err() {
        at(&temporary, fs::copy(file, &temporary))?;
    }
    at(name, fs::rename(&temporary, name))
}

/// Makes new names last through a power failure.
fn sync_folder(file: &Path) -> Result<(), TakeError> {
    let Some(folder) = file.parent() else {
        return Ok(());
    };
    at(
        folder,
        File::open(folder).and_then(|folder| folder.sync_all()),
    )
}

/// The digest of a file. `None`: it cannot be read.
fn digest_of(file: &Path) -> Option<String> {
    let mut file = File::open(file).ok()?;
    let (mut digest, mut piece) = (Sha256::new(), vec![0; PIECE]);
    loop {
        let read = file.read(&mut piece).ok()?;
        if read == 0 {
            return Some(hex(&digest.finalize()));
        }
        digest.update(&piece[..read]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn send(file: &Path, text: &str) -> String {
        let mut received = receive(file).await.expect("a folder of the test");
        received
            .write(text.as_bytes())
            .await
            .expect("a folder of the test");
        received.end().await.expect("a folder of the test")
    }

    #[tokio::test]
    async fn taken_file_replaces_and_keeps_the_other() {
        let folder = tempfile::tempdir().expect("tests can write");
        let file = folder.path().join("lists/own.csv");
        let read = || fs::read_to_string(&file).expect("it is there");
        let first = send(&file, "first").await;
        assert!(stored(&file).is_none(), "a sent file is not used yet");
        take(&file, &first).expect("it was sent");
        assert!(previous_of(&file).is_none());
        assert!(matches!(take_back(&file, ""), Err(TakeError::NoPrevious)));
        let second = send(&file, "second").await;
        assert_eq!(read(), "first");
        assert!(matches!(take(&file, &first), Err(TakeError::OtherFile)));
        take(&file, &second).expect("it was sent");
        assert!(matches!(take(&file, &second), Err(TakeError::OtherFile)));
        assert_eq!(read(), "second");
        let tag = || previous_of(&file).expect("one is kept").tag();
        let tag_of_first = tag();
        take_back(&file, &tag_of_first).expect("the first is kept");
        assert_eq!(read(), "first");
        let repeated = take_back(&file, &tag_of_first);
        assert!(matches!(repeated, Err(TakeError::OtherFile)));
        take_back(&file, &tag()).expect("the second is kept");
        assert_eq!(read(), "second");
        send(&file, "third").await;
        discard(&file);
        let names = fs::read_dir(folder.path().join("lists")).expect("it is there");
        assert_eq!(names.count(), 2, "the file and the one before");
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn link_to_a_list_stays_a_link() {
        let folder = tempfile::tempdir().expect("tests can write");
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "first").expect("tests can write");
        std::os::unix::fs::symlink(&real, &link).expect("tests can write");
        let digest = send(&link, "second").await;
        take(&link, &digest).expect("it was sent");
        assert_eq!(fs::read_to_string(&real).ok().as_deref(), Some("second"));
        assert!(link.is_symlink());
    }
}
