//! Replaces the files of a store by those of an archive.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::archive::Reader;
use super::manifest::{Manifest, SecretsKey};
use super::swap::{StoreFileLocks, Swap};
use super::verify::{check, files_in};
use super::{BackupError, Progress, SECRETS_KEY, folder_of, require_space};
use crate::billing::verify::Findings;
use crate::config::Config;
use crate::store::Store;
use crate::store::backup::SqliteFiles;

/// What a restore may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RestoreOptions {
    /// Replace an existing store.
    pub force: bool,
}

/// A finished restore.
#[derive(Debug)]
pub struct Restored {
    pub manifest: Manifest,
    /// The main file of the restored store.
    pub store: PathBuf,
    /// Whether a store existed and was replaced.
    pub replaced: bool,
    /// The restored ledger. Its mistakes were in the archive.
    pub ledger: Findings,
}

/// Restores the archive into the store of the settings. The digests are verified, and the copies are opened and
/// checked, before any file of the store changes. The replaced files are kept aside until the new ones are in place.
///
/// # Errors
/// A [`BackupError`]; the store is then as it was.
pub async fn restore(
    config: &Config,
    archive: &Path,
    options: RestoreOptions,
    progress: Progress,
) -> Result<Restored, BackupError> {
    let files = SqliteFiles::of(&config.store_url()).ok_or(BackupError::Postgres)?;
    let (data, folder) = (config.data.clone(), folder_of(&files.main).to_owned());
    for needed in [&data, &folder] {
        std::fs::create_dir_all(needed).map_err(BackupError::file(needed))?;
    }
    let exists = files.main.exists() || files.billing.exists();
    if exists && !options.force {
        return Err(BackupError::StoreExists(files.main));
    }
    // Held to the end: no server can open the files that are about to be replaced.
    let locks = StoreFileLocks::acquire(&files)?;
    let (from, at, reporting) = (archive.to_owned(), folder.clone(), progress.clone());
    let (unpacked, manifest) = tokio::task::spawn_blocking(move || {
        let file = File::open(&from).map_err(BackupError::file(&from))?;
        let mut reader = Reader::open(file, &from)?;
        refuse_newer(&reader.manifest)?;
        require_space(&at, reader.manifest.bytes())?;
        let unpacked = tempfile::Builder::new()
            .prefix(".lustra-restore-")
            .tempdir_in(&at)
            .map_err(BackupError::file(&at))?;
        reader.unpack(unpacked.path(), &reporting)?;
        Ok::<_, BackupError>((unpacked, reader.manifest))
    })
    .await??;
    let checked = check(unpacked.path(), &progress).await?;
    // Mistakes of the ledger were copied from the store; those of the files cannot be repaired by anything else.
    if checked.mistakes.len() > checked.ledger.mistakes.len() {
        return Err(BackupError::NotABackup {
            path: archive.to_owned(),
            why: checked.mistakes.join("; "),
        });
    }
    // A store may have been created since the beginning.
    if !exists && files.main.exists() {
        return Err(BackupError::StoreExists(files.main));
    }
    let new = files_in(unpacked.path());
    let key = (manifest.secrets_key == SecretsKey::Included)
        .then(|| (unpacked.path().join(SECRETS_KEY), data.join(SECRETS_KEY)));
    Swap {
        files: &files,
        new: &new,
        key,
    }
    .run()?;
    drop(locks);
    // The name index follows revisions that the restored store counts again. It is rebuilt at the start.
    let search = data.join("search");
    match std::fs::remove_dir_all(&search) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(BackupError::file(&search)(error));
        }
        Ok(()) | Err(_) => {}
    }
    Ok(Restored {
        manifest,
        store: files.main,
        replaced: exists,
        ledger: checked.ledger,
    })
}

fn refuse_newer(manifest: &Manifest) -> Result<(), BackupError> {
    let schema = Store::schema_of_program();
    if manifest.schema <= schema {
        return Ok(());
    }
    Err(BackupError::NewerSchema {
        archive: manifest.schema,
        made_by: manifest.program.clone(),
        program: env!("CARGO_PKG_VERSION"),
        schema,
    })
}
