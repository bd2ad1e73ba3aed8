//! Replaces files as a group: the old ones are moved aside first and moved back if anything fails.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, fcntl_lock};
use rustix::io::Errno;

use super::{BackupError, folder_of};
use crate::store::backup::SqliteFiles;

/// Directory, beside the store, of the files that a restore replaces.
const ASIDE: &str = "replaced-by-restore";

/// Endings of the files that `SQLite` keeps beside a database.
const COMPANIONS: [&str; 3] = ["", "-wal", "-shm"];

/// Locks on the files of a store that no other process has open. `SQLite` holds a shared lock of the same kind on a
/// database in WAL mode as long as it is open, so a process that opens the files meanwhile waits or fails.
#[derive(Debug)]
pub(super) struct StoreFileLocks {
    /// Closing a file ends its lock.
    _locked: Vec<File>,
}

impl StoreFileLocks {
    /// Locks the existing files. The files themselves may be damaged; only the locks count.
    ///
    /// # Errors
    /// [`BackupError::InUse`] if a process has one of them open.
    pub(super) fn acquire(files: &SqliteFiles) -> Result<Self, BackupError> {
        let mut locked = Vec::new();
        for path in [&files.main, &files.billing] {
            let opened = OpenOptions::new().read(true).write(true).open(path);
            let file = match opened {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                opened => opened.map_err(BackupError::file(path))?,
            };
            match fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => locked.push(file),
                Err(Errno::AGAIN | Errno::ACCESS) => {
                    return Err(BackupError::InUse(path.clone()));
                }
                Err(error) => return Err(BackupError::file(path)(error.into())),
            }
        }
        Ok(Self { _locked: locked })
    }
}

/// The replacement of a store's files.
pub(super) struct Swap<'a> {
    pub(super) files: &'a SqliteFiles,
    /// The new files, on the same file system.
    pub(super) new: &'a SqliteFiles,
    /// The new key file and its place.
    pub(super) key: Option<(PathBuf, PathBuf)>,
}

impl Swap<'_> {
    /// Moves the old files aside and the new ones into their place. On failure the old files are moved back.
    pub(super) fn run(&self) -> Result<(), BackupError> {
        let aside = folder_of(&self.files.main).join(ASIDE);
        if aside.exists() {
            return Err(BackupError::Interrupted(aside));
        }
        std::fs::create_dir(&aside).map_err(BackupError::file(&aside))?;
        let mut done = Vec::new();
        let swapped = self.steps(&aside, &mut done);
        if let Err(error) = swapped {
            for (from, to) in done.iter().rev() {
                // If this fails too, the files are in the directory that the next restore names.
                if let Err(error) = std::fs::rename(to, from) {
                    tracing::error!(%error, "{} could not be moved back to {}", to.display(), from.display());
                    return Err(BackupError::Interrupted(aside));
                }
            }
            drop(std::fs::remove_dir(&aside));
            return Err(error);
        }
        for folder in [folder_of(&self.files.main), folder_of(&self.files.billing)] {
            let synced = File::open(folder).and_then(|folder| folder.sync_all());
            synced.map_err(BackupError::file(folder))?;
        }
        std::fs::remove_dir_all(&aside).map_err(BackupError::file(&aside))
    }

    fn steps(&self, aside: &Path, done: &mut Vec<(PathBuf, PathBuf)>) -> Result<(), BackupError> {
        let mut move_file = |from: PathBuf, to: PathBuf| -> Result<(), BackupError> {
            match std::fs::rename(&from, &to) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                Err(error) => Err(BackupError::file(&from)(error)),
                Ok(()) => {
                    done.push((from, to));
                    Ok(())
                }
            }
        };
        let name = |path: &Path| path.file_name().unwrap_or_default().to_owned();
        for file in [&self.files.main, &self.files.billing] {
            for ending in COMPANIONS {
                let from = with_ending(file, ending);
                let to = aside.join(name(&from));
                move_file(from, to)?;
            }
        }
        if let Some((_, place)) = &self.key {
            keep_key(place, &aside.join(name(place)))?;
        }
        for (from, to) in [
            (&self.new.main, &self.files.main),
            (&self.new.billing, &self.files.billing),
        ] {
            move_file(from.clone(), to.clone())?;
        }
        if let Some((from, place)) = &self.key {
            // The data directory may be on another file system than the database. The rename is the last step, so that
            // it needs no way back.
            let new = with_ending(place, ".restored");
            let copied = std::fs::copy(from, &new).and_then(|_| std::fs::rename(&new, place));
            copied.map_err(BackupError::file(place))?;
        }
        Ok(())
    }
}

/// Keeps a copy of the old key. It stays in its place until the new one replaces it.
fn keep_key(place: &Path, to: &Path) -> Result<(), BackupError> {
    match std::fs::copy(place, to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(BackupError::file(place)(error))
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(ending);
    path.into()
}
