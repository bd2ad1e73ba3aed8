//! The archive: a ZIP file with known names. Every content is compared with its digest when it is read.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use sha2::{Digest, Sha256};
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::manifest::{FORMAT, FileOfArchive, Manifest};
use super::{BackupError, Progress, SECRETS_KEY, Stage};
use crate::connectors::cache::hex;

/// Names of the files in every archive.
pub(super) const MAIN: &str = "lustra.db";
pub(super) const BILLING: &str = "lustra-billing.db";
const MANIFEST: &str = "manifest.json";

/// Longest accepted manifest.
const MAX_MANIFEST: u64 = 1 << 20;

/// Databases compress well at every level, and the low ones are several times faster.
const LEVEL: i64 = 2;

const BUFFER: usize = 1 << 18;

/// Writes an archive.
pub(super) struct Writer<'a> {
    zip: ZipWriter<&'a File>,
    done: u64,
    total: u64,
    progress: Progress,
}

impl<'a> Writer<'a> {
    /// `total` is the size of all files, for the progress.
    pub(super) fn new(file: &'a File, total: u64, progress: Progress) -> Self {
        Self {
            zip: ZipWriter::new(file),
            done: 0,
            total,
            progress,
        }
    }

    pub(super) fn add(&mut self, name: &str, path: &Path) -> Result<FileOfArchive, BackupError> {
        let failed = BackupError::file(path);
        let mut from = File::open(path).map_err(&failed)?;
        self.start(name).map_err(|error| failed(error.into()))?;
        let (mut digest, mut bytes) = (Sha256::new(), 0);
        let mut buffer = vec![0; BUFFER];
        loop {
            let read = from.read(&mut buffer).map_err(&failed)?;
            if read == 0 {
                break;
            }
            digest.update(&buffer[..read]);
            self.zip.write_all(&buffer[..read]).map_err(&failed)?;
            bytes += read as u64;
            self.done += read as u64;
            (self.progress)(Stage::Compressing, self.done, self.total);
        }
        Ok(FileOfArchive {
            name: name.to_owned(),
            bytes,
            sha256: hex(&digest.finalize()),
        })
    }

    fn start(&mut self, name: &str) -> Result<(), ZipError> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(LEVEL))
            .large_file(true)
            .unix_permissions(0o600);
        self.zip.start_file(name, options)
    }

    /// Writes the manifest and ends the archive.
    pub(super) fn finish(mut self, manifest: &Manifest) -> io::Result<()> {
        let text = serde_json::to_string_pretty(manifest)?;
        self.start(MANIFEST)?;
        self.zip.write_all(text.as_bytes())?;
        self.zip.finish()?;
        Ok(())
    }
}

/// An archive whose manifest was read.
pub(super) struct Reader<F: Read + Seek> {
    zip: ZipArchive<F>,
    pub(super) manifest: Manifest,
}

impl<F: Read + Seek> Reader<F> {
    /// Reads the manifest. `path` is the archive's name in errors.
    pub(super) fn open(file: F, path: &Path) -> Result<Self, BackupError> {
        let not_a_backup = |why: String| BackupError::NotABackup {
            path: path.to_owned(),
            why,
        };
        let mut zip = ZipArchive::new(file).map_err(|error| not_a_backup(error.to_string()))?;
        let mut text = String::new();
        {
            let entry = zip.by_name(MANIFEST);
            let entry = entry.map_err(|_absent| not_a_backup("it has no manifest".to_owned()))?;
            let read = entry.take(MAX_MANIFEST).read_to_string(&mut text);
            read.map_err(|error| not_a_backup(error.to_string()))?;
        }
        // The format decides how the rest reads.
        let format = serde_json::from_str::<serde_json::Value>(&text)
            .ok()
            .and_then(|manifest| manifest.get("format")?.as_u64());
        match format {
            Some(format) if format == u64::from(FORMAT) => {}
            Some(format) => {
                return Err(not_a_backup(format!(
                    "its format is {format}, and this program reads format {FORMAT}"
                )));
            }
            None => return Err(not_a_backup("its manifest is unreadable".to_owned())),
        }
        let manifest: Manifest = serde_json::from_str(&text)
            .map_err(|error| not_a_backup(format!("its manifest is unreadable: {error}")))?;
        let names: Vec<&str> = manifest
            .files
            .iter()
            .map(|file| file.name.as_str())
            .collect();
        let has_all = [MAIN, BILLING].iter().all(|name| names.contains(name));
        let is_known = |name: &&str| [MAIN, BILLING, SECRETS_KEY].contains(name);
        if !has_all || !names.iter().all(is_known) {
            return Err(not_a_backup("its manifest names other files".to_owned()));
        }
        Ok(Self { zip, manifest })
    }

    /// Unpacks all files into a directory and compares their sizes and digests. `progress` receives the bytes.
    pub(super) fn unpack(&mut self, folder: &Path, progress: &Progress) -> Result<(), BackupError> {
        let (total, mut done) = (self.manifest.bytes(), 0);
        for file in &self.manifest.files {
            let damaged = || BackupError::Digest {
                file: file.name.clone(),
            };
            let path = folder.join(&file.name);
            let failed = BackupError::file(&path);
            let mut to = private(&path).map_err(&failed)?;
            let entry = self.zip.by_name(&file.name).map_err(|_absent| damaged())?;
            // More than the manifest says is never unpacked.
            let mut entry = entry.take(file.bytes.saturating_add(1));
            let (mut digest, mut bytes) = (Sha256::new(), 0);
            let mut buffer = vec![0; BUFFER];
            loop {
                // A damaged stream fails here or by its checksum.
                let read = entry.read(&mut buffer).map_err(|_damaged| damaged())?;
                if read == 0 {
                    break;
                }
                digest.update(&buffer[..read]);
                to.write_all(&buffer[..read]).map_err(&failed)?;
                bytes += read as u64;
                done += read as u64;
                progress(Stage::Reading, done.min(total), total);
            }
            if bytes != file.bytes || hex(&digest.finalize()) != file.sha256 {
                return Err(damaged());
            }
            to.sync_all().map_err(&failed)?;
        }
        Ok(())
    }
}

/// Creates a file that only its owner can read.
fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
