//! Reads a body as a zip archive, and the files in it.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use tokio::io::AsyncWriteExt;

use super::super::archive::{Archive, ArchiveError, spool};
use super::super::failure::{EgressFailure, Refusal, glimpse};
use super::super::source::{Disk, Source};
use super::super::unpack::ArchiveEntry;
use super::Body;

/// Bytes that are enough to recognise a body's format or to quote it in a failure.
const HEAD: usize = 200;

impl Body {
    /// Spools the rest as a zip archive and returns the names of its files, without folders.
    pub async fn unzip(&mut self) -> Result<Vec<String>, EgressFailure> {
        self.peek(4).await?;
        let head = self.rest.slice(..self.rest.len().min(HEAD));
        let limits = self.allowance.limits();
        let most = limits.archive_entries;
        let file = spool(limits.spool.clone()).await;
        let mut file = tokio::fs::File::from_std(file.map_err(|error| self.spool_failed(&error))?);
        while let Some(chunk) = self.next().await? {
            self.allowance.take_spool(chunk.len() as u64)?;
            let written = file.write_all(&chunk).await;
            written.map_err(|error| self.spool_failed(&error))?;
        }
        file.flush()
            .await
            .map_err(|error| self.spool_failed(&error))?;
        let archive = Archive::open(file.into_std().await, most).await;
        let archive = archive.map_err(|error| self.no_archive(&error, || glimpse(&head)))?;
        let names = archive.names.clone();
        self.archive = Some(archive);
        Ok(names)
    }

    /// Opens one file of the archive, after `unzip`. Any number of entries may be open at the same time.
    pub async fn entry(&mut self, name: &str) -> Result<Self, EgressFailure> {
        let archive = self.archive.as_ref().ok_or(Refusal::NoArchive)?;
        let found = archive.find(name).await;
        let found = found.map_err(|error| {
            let nothing = || error.to_string();
            self.no_archive(&error, nothing)
        })?;
        let short_name: String = name.chars().take(HEAD).collect();
        let Some(slice) = found else {
            let first: Vec<&str> = archive.names.iter().take(10).map(String::as_str).collect();
            let names: String = first.join(", ").chars().take(HEAD).collect();
            return Err(self.malformed(&format!("a file {short_name} in the archive"), names));
        };
        let label = format!("{}: {short_name}", self.label);
        let source = Disk::new(Arc::clone(&archive.file), slice.begin, slice.end);
        let allowance = Arc::clone(&self.allowance);
        let mut body = Self::new(Source::Disk(source), label.clone(), None, allowance);
        body.counted = false;
        body.origin = self.origin.clone();
        let entry = ArchiveEntry::new(slice.deflated, label, slice.crc, slice.size);
        body.layers.push(Box::new(entry), true, Bytes::new());
        Ok(body)
    }

    fn no_archive(&self, error: &ArchiveError, found: impl FnOnce() -> String) -> EgressFailure {
        match error {
            ArchiveError::Refused(refusal) => refusal.clone().into(),
            ArchiveError::NoArchive(_) => self.malformed("a zip archive", found()),
            ArchiveError::Spool(error) => self.spool_failed(error),
        }
    }

    /// Logs a failure of the host's own disk. The guest gets no details.
    fn spool_failed(&self, error: &io::Error) -> EgressFailure {
        let label = &self.label;
        tracing::error!(%error, "{label}: the archive could not be written to the spool folder");
        EgressFailure::Unavailable(format!("{label}: the host could not keep the archive"))
    }
}
