//! A body that arrives while it is read.
//!
//! Bytes go from the source, where they are counted and hashed, through the decoders to the reader. One chunk is in
//! memory at a time, except in `read_all` and `text`, which have a limit of their own.
//! Invariant: after a failure every read repeats it, so that a broken body never looks like a short one.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;
use tokio::io::AsyncWriteExt;
use tokio::task::spawn_blocking;
use uuid::Uuid;

use super::allowance::Allowance;
use super::archive::{Archive, ArchiveError, spool};
use super::charset::{self, Text};
use super::failure::{EgressFailure, Refusal, glimpse};
use super::layers::{Layers, Step};
use super::source::{Disk, Memory, Source, Wire};
use super::unpack::{Entry, GZIP_MAGIC, Gunzip};
use crate::tape::Tee;

/// Enough of a body to recognise it or to show what it is instead.
const HEAD: usize = 200;

/// After so much decoding other tasks have their turn.
const DECODED_AT_ONCE: Duration = Duration::from_millis(1);
/// Checking the characters of a larger text takes more than about a millisecond.
const CHECKED_AT_ONCE: usize = 1 << 20;

/// Which answer a fact came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// Given by the host when the answer came.
    pub id: String,
    /// SHA-256, in hexadecimal, of the bytes that arrived so far, after a transparent `content-encoding`.
    pub digest: String,
    pub fetched_at: OffsetDateTime,
}

/// The answer that bytes belong to. An archive's entries share their archive's.
#[derive(Clone)]
struct Origin {
    id: String,
    digest: Sha256,
    fetched_at: OffsetDateTime,
}

/// The body of an answer, or one file of an archive in it.
pub struct Body {
    /// Upstream, path and entry, for failures.
    label: String,
    source: Source,
    /// False for an entry: its archive's bytes were counted when they came.
    counted: bool,
    received: u64,
    layers: Layers,
    /// Decoded and not yet given.
    rest: Bytes,
    origin: Origin,
    declared_charset: Option<String>,
    is_text: bool,
    archive: Option<Archive>,
    allowance: Arc<Allowance>,
    failed: Option<EgressFailure>,
    /// How long the decoders have worked since other tasks had their turn.
    decoding: Duration,
    /// Hears the bytes as they arrive, where the call is recorded.
    tee: Option<Tee>,
}

impl std::fmt::Debug for Body {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Body")
            .field("label", &self.label)
            .field("received", &self.received)
            .field("failed", &self.failed)
            .finish_non_exhaustive()
    }
}

impl Body {
    pub(super) fn from_wire(
        wire: Wire,
        label: String,
        headers: &[(String, String)],
        allowance: Arc<Allowance>,
    ) -> Self {
        let charset = charset::declared(headers);
        let mut source = Source::Wire(Box::new(wire));
        if source.announced() == Some(0) {
            source = Source::Spent;
        }
        Self::new(source, label, charset, allowance)
    }

    pub(super) fn new(
        source: Source,
        label: String,
        declared_charset: Option<String>,
        allowance: Arc<Allowance>,
    ) -> Self {
        Self {
            label,
            source,
            counted: true,
            received: 0,
            layers: Layers::default(),
            rest: Bytes::new(),
            origin: Origin {
                id: Uuid::new_v4().to_string(),
                digest: Sha256::new(),
                fetched_at: OffsetDateTime::now_utc(),
            },
            declared_charset,
            is_text: false,
            archive: None,
            allowance,
            failed: None,
            decoding: Duration::ZERO,
            tee: None,
        }
    }

    /// A body that an earlier call read, in pieces of at most `chunk` bytes where that is given. Limits hold for it
    /// as for any other.
    pub fn recorded(
        bytes: Bytes,
        complete: bool,
        chunk: Option<usize>,
        label: String,
        headers: &[(String, String)],
        allowance: Arc<Allowance>,
    ) -> Self {
        let charset = charset::declared(headers);
        let source = Source::Memory(Memory::new(bytes, complete, chunk));
        Self::new(source, label, charset, allowance)
    }

    /// Lets somebody hear the bytes as they arrive.
    pub fn tee(&mut self, tee: Tee) {
        if matches!(self.source, Source::Spent) {
            tee.end();
        }
        self.tee = Some(tee);
    }

    /// Up to `max` bytes; an empty answer is the end. For a `max` of 0 it is empty as well.
    pub async fn read(&mut self, max: usize) -> Result<Bytes, EgressFailure> {
        if max == 0 {
            return Ok(Bytes::new());
        }
        let mut chunk = self.next().await?.unwrap_or_default();
        if chunk.len() > max {
            self.rest = chunk.split_off(max);
        }
        Ok(chunk)
    }

    /// The rest in one piece, if it is within the limit for one.
    pub async fn read_all(&mut self) -> Result<Bytes, EgressFailure> {
        if self.layers.is_empty() {
            let announced = self.source.announced().unwrap_or(0);
            self.allowance
                .check_piece(announced.saturating_add(self.rest.len() as u64))?;
        }
        let Some(first) = self.next().await? else {
            return Ok(Bytes::new());
        };
        self.allowance.check_piece(first.len() as u64)?;
        let Some(second) = self.next().await? else {
            return Ok(first);
        };
        let mut whole = BytesMut::from(first);
        whole.extend_from_slice(&second);
        loop {
            self.allowance.check_piece(whole.len() as u64)?;
            match self.next().await? {
                Some(chunk) => whole.extend_from_slice(&chunk),
                None => return Ok(whole.freeze()),
            }
        }
    }

    /// The rest as text. After `decode` it is UTF-8 already, unless another charset is asked for.
    pub async fn text(&mut self, charset: Option<&str>) -> Result<String, EgressFailure> {
        if charset.is_some() || !self.is_text {
            self.decode(charset).await?;
        }
        let bytes = self.read_all().await?;
        let text = if bytes.len() > CHECKED_AT_ONCE {
            let checking = spawn_blocking(move || String::from_utf8(bytes.into()));
            checking.await.map_err(|_panic| {
                EgressFailure::Unavailable(format!("{}: the host failed", self.label))
            })?
        } else {
            String::from_utf8(bytes.into())
        };
        text.map_err(|error| EgressFailure::Malformed {
            // Only after a `read` that stopped within a character.
            what: self.label.clone(),
            expected: "text that begins with a whole character".to_owned(),
            found: format!(
                "no character at offset {}",
                error.utf8_error().valid_up_to()
            ),
        })
    }

    /// From here on reads give UTF-8 of a text in the charset, chosen as the contract says. Sequences of bytes that
    /// the charset doesn't have fail when they are read.
    pub async fn decode(&mut self, charset: Option<&str>) -> Result<(), EgressFailure> {
        self.layers.check_room()?;
        self.peek(3).await?;
        let declared = self.declared_charset.as_deref();
        let encoding = charset::choose(charset, &self.rest, declared, &self.label)?;
        let text = Box::new(Text::new(encoding, self.label.clone()));
        let first = std::mem::take(&mut self.rest);
        self.layers.push(text, false, first);
        self.is_text = true;
        Ok(())
    }

    /// From here on reads give the unpacked bytes of a gzip stream. A body that doesn't start as one stays readable.
    pub async fn gunzip(&mut self) -> Result<(), EgressFailure> {
        self.layers.check_room()?;
        self.peek(GZIP_MAGIC.len()).await?;
        if !self.rest.starts_with(&GZIP_MAGIC) {
            return Err(self.malformed("a gzip stream", glimpse(&self.rest)));
        }
        let gunzip = Box::new(Gunzip::new(self.label.clone()));
        let first = std::mem::take(&mut self.rest);
        self.layers.push(gunzip, true, first);
        self.is_text = false;
        Ok(())
    }

    /// Takes the rest as a zip archive and gives the names of its files, folders left out.
    pub async fn unzip(&mut self) -> Result<Vec<String>, EgressFailure> {
        self.peek(4).await?;
        let head = self.rest.slice(..self.rest.len().min(HEAD));
        let limits = self.allowance.limits();
        let most = limits.archive_entries;
        let file = spool(limits.spool.clone()).await;
        let mut file = tokio::fs::File::from_std(file.map_err(|error| self.unkept(&error))?);
        while let Some(chunk) = self.next().await? {
            self.allowance.take_spool(chunk.len() as u64)?;
            let written = file.write_all(&chunk).await;
            written.map_err(|error| self.unkept(&error))?;
        }
        file.flush().await.map_err(|error| self.unkept(&error))?;
        let archive = Archive::open(file.into_std().await, most).await;
        let archive = archive.map_err(|error| self.no_archive(&error, || glimpse(&head)))?;
        let names = archive.names.clone();
        self.archive = Some(archive);
        Ok(names)
    }

    /// The contents of one file of the archive, after `unzip`. Any number may be open, each at its own place.
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
        let entry = Entry::new(slice.deflated, label, slice.crc, slice.size);
        body.layers.push(Box::new(entry), true, Bytes::new());
        Ok(body)
    }

    /// Which answer this is, by the bytes that came so far.
    pub fn evidence(&self) -> Evidence {
        let digest = self.origin.digest.clone().finalize();
        Evidence {
            id: self.origin.id.clone(),
            digest: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
            fetched_at: self.origin.fetched_at,
        }
    }

    /// The next chunk that isn't empty; none at the end.
    async fn next(&mut self) -> Result<Option<Bytes>, EgressFailure> {
        if !self.rest.is_empty() {
            return Ok(Some(std::mem::take(&mut self.rest)));
        }
        if let Some(failure) = &self.failed {
            return Err(failure.clone());
        }
        let next = self.pull().await;
        if let Err(failure) = &next {
            self.failed = Some(failure.clone());
        }
        if !matches!(next, Ok(Some(_))) {
            // Gives the connection back, and the turn at the upstream.
            self.source = Source::Spent;
        }
        next
    }

    async fn pull(&mut self) -> Result<Option<Bytes>, EgressFailure> {
        loop {
            let began = Instant::now();
            let step = self.layers.step(&self.allowance)?;
            self.decoding += began.elapsed();
            // Decoders never wait by themselves, so a long archive would keep its thread.
            if self.decoding > DECODED_AT_ONCE {
                self.decoding = Duration::ZERO;
                tokio::task::yield_now().await;
            }
            match step {
                Step::Working => {}
                Step::Piece(piece) if piece.is_empty() => {}
                Step::Piece(piece) => return Ok(Some(piece)),
                Step::End => return Ok(None),
                Step::Hungry => {
                    let chunk = self.source.next(&self.label).await?;
                    match (&chunk, &self.tee) {
                        (Some(chunk), Some(tee)) => tee.hear(chunk),
                        (None, Some(tee)) => tee.end(),
                        (Some(_) | None, None) => {}
                    }
                    if let Some(chunk) = &chunk {
                        self.count(chunk)?;
                    }
                    self.layers.feed(chunk);
                }
            }
        }
    }

    fn count(&mut self, chunk: &Bytes) -> Result<(), Refusal> {
        if !self.counted {
            return Ok(());
        }
        let length = chunk.len() as u64;
        self.received += length;
        self.allowance.check_body(self.received)?;
        self.allowance.take_bytes(length)?;
        self.origin.digest.update(chunk);
        Ok(())
    }

    /// Makes at least so many bytes of the body ready, if it has them.
    async fn peek(&mut self, count: usize) -> Result<(), EgressFailure> {
        let mut ready = BytesMut::new();
        while let Some(chunk) = self.next().await? {
            if ready.is_empty() && chunk.len() >= count {
                self.rest = chunk;
                return Ok(());
            }
            ready.extend_from_slice(&chunk);
            if ready.len() >= count {
                break;
            }
        }
        self.rest = ready.freeze();
        Ok(())
    }

    fn malformed(&self, expected: &str, found: String) -> EgressFailure {
        EgressFailure::Malformed {
            what: self.label.clone(),
            expected: expected.to_owned(),
            found,
        }
    }

    fn no_archive(&self, error: &ArchiveError, found: impl FnOnce() -> String) -> EgressFailure {
        match error {
            ArchiveError::Refused(refusal) => refusal.clone().into(),
            ArchiveError::NoArchive(_) => self.malformed("a zip archive", found()),
            ArchiveError::Spool(error) => self.unkept(error),
        }
    }

    /// The host's own disk failed. The guest learns no more than that.
    fn unkept(&self, error: &io::Error) -> EgressFailure {
        let label = &self.label;
        tracing::error!(%error, "{label}: the archive could not be kept in the spool folder");
        EgressFailure::Unavailable(format!("{label}: the host could not keep the archive"))
    }
}
