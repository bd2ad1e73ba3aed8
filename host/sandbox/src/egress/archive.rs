//! Zip archives, spooled to an unnamed file while a call reads them.
//!
//! The zip crate reads the central directory. The host's own decoder unpacks the entries as slices of the file, because
//! the crate's reader borrows its archive and would block a thread for each open entry.
//! Invariant: the directory's size is checked before the crate allocates memory for it.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::spawn_blocking;
use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

use super::failure::Refusal;

/// Most bytes that the crate may read for the directory: per allowed entry, plus once for the search.
const READ_PER_ENTRY: u64 = 1024;
const READ_FOR_SEARCH: u64 = 1024 * 1024;
/// Size of the end record with the longest comment and of the zip64 records before it.
const TAIL: u64 = 22 + 0xffff + 20 + 56;

/// Why an archive could not be opened or an entry could not be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum ArchiveError {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("no archive")]
    NoArchive(#[from] ZipError),
    #[error("the archive could not be kept")]
    Spool(#[from] io::Error),
}

pub(super) struct Archive {
    pub(super) file: Arc<File>,
    zip: Arc<Mutex<ZipArchive<BufReader<Spool>>>>,
    indexes: HashMap<String, usize>,
    /// Names of files in directory order, without folders.
    pub(super) names: Vec<String>,
}

/// Position of an entry in the archive's file, with its unpacked size and checksum.
pub(super) struct Slice {
    pub(super) begin: u64,
    pub(super) end: u64,
    pub(super) deflated: bool,
    pub(super) crc: u32,
    pub(super) size: u64,
}

/// Creates an unnamed file that is deleted with its last handle.
pub(super) async fn spool(folder: PathBuf) -> io::Result<File> {
    spawn_blocking(move || tempfile::tempfile_in(folder))
        .await
        .map_err(io::Error::other)
        .flatten()
}

impl Archive {
    /// Reads the directory of the archive in `file`.
    pub(super) async fn open(file: File, most: usize) -> Result<Self, ArchiveError> {
        spawn_blocking(move || Self::read(file, most))
            .await
            .map_err(io::Error::other)?
    }

    /// Position of the entry with this name, or `None` if there is no such file.
    pub(super) async fn find(&self, name: &str) -> Result<Option<Slice>, ArchiveError> {
        let Some(index) = self.indexes.get(name).copied() else {
            return Ok(None);
        };
        let zip = Arc::clone(&self.zip);
        let slice = spawn_blocking(move || {
            let mut zip = zip.lock().unwrap_or_else(PoisonError::into_inner);
            slice(&mut zip, index)
        });
        Ok(Some(slice.await.map_err(io::Error::other)??))
    }

    fn read(file: File, most: usize) -> Result<Self, ArchiveError> {
        let length = file.metadata()?.len();
        if entries(&file, length)? > most as u64 {
            return Err(Refusal::Entries { limit: most }.into());
        }
        let file = Arc::new(file);
        let budget = Arc::new(AtomicU64::new(
            READ_FOR_SEARCH.saturating_add(READ_PER_ENTRY.saturating_mul(most as u64)),
        ));
        let reader = Spool {
            file: Arc::clone(&file),
            position: 0,
            length,
            budget: Arc::clone(&budget),
        };
        let zip = ZipArchive::new(BufReader::new(reader))?;
        budget.store(u64::MAX, Ordering::Relaxed);
        if zip.len() > most {
            return Err(Refusal::Entries { limit: most }.into());
        }
        let all = zip.file_names().zip(zip.file_names_raw());
        let all = all.map(|(name, raw)| match name {
            Ok(name) => name.into_owned(),
            Err(_encoding) => String::from_utf8_lossy(raw).into_owned(),
        });
        let files: Vec<(usize, String)> = all
            .enumerate()
            .filter(|(_, name)| !name.ends_with('/'))
            .collect();
        Ok(Self {
            names: files.iter().map(|(_, name)| name.clone()).collect(),
            indexes: files
                .into_iter()
                .map(|(index, name)| (name, index))
                .collect(),
            zip: Arc::new(Mutex::new(zip)),
            file,
        })
    }
}

fn slice(zip: &mut ZipArchive<BufReader<Spool>>, index: usize) -> Result<Slice, ArchiveError> {
    let entry = zip.by_index_raw(index)?;
    if entry.encrypted() {
        return Err(ZipError::UnsupportedArchive("the entry is encrypted").into());
    }
    let deflated = entry.compression() == CompressionMethod::Deflated;
    if !deflated && entry.compression() != CompressionMethod::Stored {
        return Err(
            ZipError::UnsupportedArchive("the entry is neither stored nor deflated").into(),
        );
    }
    let begin = entry.data_start().ok_or(ZipError::FileNotFound)?;
    Ok(Slice {
        begin,
        end: begin.saturating_add(entry.compressed_size()),
        deflated,
        crc: entry.crc32(),
        size: entry.size(),
    })
}

/// The highest entry count in any end record in the file's tail. Records that no reader accepts are skipped.
fn entries(file: &File, length: u64) -> io::Result<u64> {
    let size = length.min(TAIL);
    let mut tail = vec![0; usize::try_from(size).map_err(io::Error::other)?];
    file.read_exact_at(&mut tail, length - size)?;
    let mut most = 0;
    for position in 0..tail.len() {
        let record = &tail[position..];
        let announced = match record {
            [b'P', b'K', 5, 6, 0, 0, 0, 0, rest @ ..] => agreeing_count(rest, 2),
            [b'P', b'K', 6, 6, rest @ ..] => {
                rest.get(20..).and_then(|rest| agreeing_count(rest, 8))
            }
            _ => None,
        };
        most = most.max(announced.unwrap_or(0));
    }
    Ok(most)
}

/// The entry count of an end record, if its two copies (this disk, all disks) agree.
fn agreeing_count(record: &[u8], width: usize) -> Option<u64> {
    let first = record.get(..width)?;
    let second = record.get(width..2 * width)?;
    let number = first
        .iter()
        .rev()
        .fold(0, |sum, byte| (sum << 8) | u64::from(*byte));
    (first == second).then_some(number)
}

/// A reader of the archive's file with its own position.
pub(super) struct Spool {
    file: Arc<File>,
    position: u64,
    length: u64,
    budget: Arc<AtomicU64>,
}

impl Read for Spool {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.position)?;
        self.position += count as u64;
        let left = self.budget.load(Ordering::Relaxed);
        let Some(left) = left.checked_sub(count as u64) else {
            return Err(io::Error::other("the archive's directory is too large"));
        };
        self.budget.store(left, Ordering::Relaxed);
        Ok(count)
    }
}

impl Seek for Spool {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(offset) => self.length.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}
