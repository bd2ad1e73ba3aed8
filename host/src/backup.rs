//! Backups of a store on `SQLite`: one archive with both files, `secrets.key` and a manifest.
//!
//! [`create`] copies both files at one moment while hosts serve, and reads the finished archive again before it counts.
//! [`restore`] replaces the files of a data directory that no process uses. `PostgreSQL` has its own tools; the guide
//! *Backup and restore* describes them.
//! Invariant: neither changes the store that it reads, and a failed restore leaves the files as they were.

mod archive;
mod create;
mod manifest;
mod restore;
mod swap;
mod verify;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::store::StoreError;
use crate::store::backup::BackupError as CopyError;

pub use create::{Created, create};
pub use manifest::{Manifest, SecretsKey};
pub use restore::{RestoreOptions, Restored, restore};

/// Name of the key file, in the data directory and in the archive.
const SECRETS_KEY: &str = "secrets.key";

/// A part of the work, for progress displays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Copying,
    Compressing,
    /// Reading the archive and comparing its digests.
    Reading,
    /// Opening the copies and checking them.
    Checking,
}

impl Stage {
    /// Word for people.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Copying => "copying",
            Self::Compressing => "compressing",
            Self::Reading => "reading the archive",
            Self::Checking => "checking",
        }
    }
}

/// Receives the stage, what is done of it and the total of the stage, in units of the stage.
pub type Progress = Arc<dyn Fn(Stage, u64, u64) + Send + Sync>;

/// Errors of backups and restores.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error(
        "the store is on PostgreSQL, which has its own tools for backups: use pg_basebackup with WAL archiving, as the \
         guide \"Backup and restore\" describes, and copy secrets.key from the data directory"
    )]
    Postgres,
    #[error("{0} does not exist; there is nothing to back up")]
    NoStore(PathBuf),
    #[error("{0} exists; --force replaces it")]
    Exists(PathBuf),
    #[error("{path}: {error}")]
    File {
        path: PathBuf,
        #[source]
        error: io::Error,
    },
    #[error("the disk of {path} has {free_mib} MiB free, and about {needed_mib} MiB are needed")]
    NoSpace {
        path: PathBuf,
        free_mib: u64,
        needed_mib: u64,
    },
    #[error(transparent)]
    Copy(#[from] CopyError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{path} is not a backup of Lustra: {why}")]
    NotABackup { path: PathBuf, why: String },
    /// The archive was damaged after it was written.
    #[error(
        "{file} in the archive does not have the digest of the manifest; the archive is damaged"
    )]
    Digest { file: String },
    #[error(
        "the archive has schema {archive} (of lustra {made_by}), and this is lustra {program} with schema {schema}; \
         restore it with the newer program"
    )]
    NewerSchema {
        archive: i64,
        made_by: String,
        program: &'static str,
        schema: i64,
    },
    #[error(
        "the copy has mistakes, so it is kept as {kept} and does not count as a backup:\n{}", .mistakes.join("\n")
    )]
    Unsound {
        kept: PathBuf,
        mistakes: Vec<String>,
    },
    #[error("{0} is in use: stop the server and every other command that uses the store")]
    InUse(PathBuf),
    #[error("a store exists at {0}; --force replaces it")]
    StoreExists(PathBuf),
    #[error(
        "{0} has the files that an interrupted restore replaced: move them back or delete the directory, then try again"
    )]
    Interrupted(PathBuf),
    #[error("a background task ended: {0}")]
    Task(#[from] tokio::task::JoinError),
}

impl BackupError {
    fn file(path: &Path) -> impl Fn(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |error| Self::File {
            path: path.clone(),
            error,
        }
    }
}

/// Fails if a disk has less free space than needed.
fn require_space(folder: &Path, needed: u64) -> Result<(), BackupError> {
    const MIB: u64 = 1 << 20;
    // If the system does not say, writing fails later with its own error.
    let Ok(space) = rustix::fs::statvfs(folder) else {
        return Ok(());
    };
    let free = space.f_bavail.saturating_mul(space.f_frsize);
    if free >= needed {
        return Ok(());
    }
    Err(BackupError::NoSpace {
        path: folder.to_owned(),
        free_mib: free / MIB,
        needed_mib: needed.div_ceil(MIB),
    })
}

/// Directory of a file; the working directory if the path has none.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) | None => Path::new("."),
    }
}
