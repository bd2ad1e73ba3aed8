//! Makes an archive of a store that may be in use.

use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempDir};
use time::OffsetDateTime;

use super::archive::{BILLING, MAIN, Reader, Writer};
use super::manifest::{Manifest, SecretsKey};
use super::verify::{check, files_in};
use super::{BackupError, Progress, SECRETS_KEY, Stage, folder_of, require_space};
use crate::billing::verify::Findings;
use crate::config::Config;
use crate::store::backup::{SqliteFiles, schema_of};

/// A finished backup.
#[derive(Debug)]
pub struct Created {
    pub manifest: Manifest,
    /// Size of the archive.
    pub bytes: u64,
    /// The ledger in the archive.
    pub ledger: Findings,
}

/// Writes a backup of the store to `output` and verifies it. An existing file is replaced only with `force`, and only
/// by a verified backup. Hosts and commands may use the store meanwhile.
///
/// # Errors
/// A [`BackupError`].
pub async fn create(
    config: &Config,
    output: &Path,
    force: bool,
    now: OffsetDateTime,
    progress: Progress,
) -> Result<Created, BackupError> {
    let files = SqliteFiles::of(&config.store_url()).ok_or(BackupError::Postgres)?;
    if output.exists() && !force {
        return Err(BackupError::Exists(output.to_owned()));
    }
    for file in [&files.main, &files.billing] {
        if !file.exists() {
            return Err(BackupError::NoStore(file.clone()));
        }
    }
    let key = if config.notifications.secrets_key.is_some() {
        SecretsKey::Settings
    } else if config.data.join(SECRETS_KEY).exists() {
        SecretsKey::Included
    } else {
        SecretsKey::None
    };
    let source = Source {
        files,
        key,
        key_file: config.data.join(SECRETS_KEY),
        folder: folder_of(output).to_owned(),
        now,
    };
    let reporting = progress.clone();
    let (archive, manifest, source) = tokio::task::spawn_blocking(move || {
        let (archive, manifest) = source.write(&reporting)?;
        Ok::<_, BackupError>((archive, manifest, source))
    })
    .await??;
    let unpacked = private_folder(&source.folder)?;
    let reporting = progress.clone();
    let (archive, unpacked) = tokio::task::spawn_blocking(move || {
        let file = archive
            .reopen()
            .map_err(BackupError::file(archive.path()))?;
        Reader::open(file, archive.path())?.unpack(unpacked.path(), &reporting)?;
        Ok::<_, BackupError>((archive, unpacked))
    })
    .await??;
    let checked = check(unpacked.path(), &progress).await?;
    let bytes = archive.as_file().metadata();
    let bytes = bytes.map_err(BackupError::file(output))?.len();
    if !checked.mistakes.is_empty() {
        let kept = unverified(output);
        keep(archive, &kept, true)?;
        let mistakes = checked.mistakes;
        return Err(BackupError::Unsound { kept, mistakes });
    }
    keep(archive, output, force)?;
    Ok(Created {
        manifest,
        bytes,
        ledger: checked.ledger,
    })
}

/// What goes into an archive.
struct Source {
    files: SqliteFiles,
    key: SecretsKey,
    key_file: PathBuf,
    /// Where the archive and temporary copies are written.
    folder: PathBuf,
    now: OffsetDateTime,
}

impl Source {
    /// Copies the files and writes the archive to a temporary file beside its final place.
    fn write(&self, progress: &Progress) -> Result<(NamedTempFile, Manifest), BackupError> {
        let size = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
        // The copies, and at worst an archive that is as large.
        let needed = (size(&self.files.main) + size(&self.files.billing)) * 2;
        require_space(&self.folder, needed)?;
        let copies = private_folder(&self.folder)?;
        let to = files_in(copies.path());
        self.files
            .copy(&to, |done, all| progress(Stage::Copying, done, all))?;
        let (main, billing) = (schema_of(&to.main)?, schema_of(&to.billing)?);
        let mut manifest = Manifest::new((&main, &billing), self.key, self.now);
        let failed = BackupError::file(&self.folder);
        // Temporary files have the mode 0600.
        let archive = NamedTempFile::with_prefix_in(".lustra-backup-", &self.folder);
        let archive = archive.map_err(&failed)?;
        let total = size(&to.main) + size(&to.billing);
        let mut writer = Writer::new(archive.as_file(), total, progress.clone());
        let mut files = vec![(MAIN, to.main.as_path()), (BILLING, to.billing.as_path())];
        if self.key == SecretsKey::Included {
            files.push((SECRETS_KEY, self.key_file.as_path()));
        }
        for (name, path) in files {
            manifest.files.push(writer.add(name, path)?);
        }
        writer.finish(&manifest).map_err(&failed)?;
        archive.as_file().sync_all().map_err(&failed)?;
        Ok((archive, manifest))
    }
}

/// A temporary directory that only its owner can enter.
fn private_folder(beside: &Path) -> Result<TempDir, BackupError> {
    let made = tempfile::Builder::new()
        .prefix(".lustra-backup-")
        .tempdir_in(beside);
    made.map_err(BackupError::file(beside))
}

/// Name under which an archive with mistakes is kept.
fn unverified(output: &Path) -> PathBuf {
    let mut name = output.file_name().unwrap_or_default().to_owned();
    name.push(".unverified");
    output.with_file_name(name)
}

/// Renames the temporary archive to its final name.
fn keep(archive: NamedTempFile, to: &Path, force: bool) -> Result<(), BackupError> {
    let persisted = if force {
        archive.persist(to)
    } else {
        // The name may have been taken since the check at the beginning.
        archive.persist_noclobber(to)
    };
    persisted
        .map(drop)
        .map_err(|failed| BackupError::file(to)(failed.error))?;
    // The rename must survive a power failure.
    let folder = std::fs::File::open(folder_of(to));
    let synced = folder.and_then(|folder| folder.sync_all());
    synced.map_err(BackupError::file(to))
}
