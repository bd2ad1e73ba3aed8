//! A response body, streamed while it is read.
//!
//! The source counts and hashes the bytes, the decoders transform them, and the reader receives them. One chunk is in
//! memory at a time, except in `read_all` and `text`, which have their own limit.
//! Invariant: after a failure every read repeats it, so that a truncated body never looks complete.

mod unzip;

use bytes::{Bytes, BytesMut};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use time::OffsetDateTime;
use tokio::task::spawn_blocking;
use uuid::Uuid;

use super::allowance::Allowance;
use super::archive::Archive;
use super::charset::{self, Text};
use super::failure::{EgressFailure, Refusal, glimpse};
use super::layers::{Layers, Step};
use super::source::{Memory, ResponseStream, Source};
use super::tee::Tee;
use super::unpack::{GZIP_MAGIC, Unpacked};

/// Texts above this size take more than about a millisecond to validate.
const MAX_INLINE_TEXT: usize = 1 << 20;

/// Identifies the response that a fact came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// Assigned by the host when the response arrives.
    pub id: String,
    /// SHA-256, in hexadecimal, of the bytes that arrived so far, after a transparent `content-encoding`.
    pub digest: String,
    pub fetched_at: OffsetDateTime,
}

/// The response that bytes belong to. The entries of an archive share the archive's origin.
#[derive(Clone)]
struct Origin {
    id: String,
    digest: Sha256,
    fetched_at: OffsetDateTime,
}

/// The body of a response, or one file of an archive in it.
pub struct Body {
    /// Upstream, path and entry, for failure messages.
    label: String,
    source: Source,
    /// False for an archive's entry, because the archive's bytes were already counted.
    counted: bool,
    received: u64,
    layers: Layers,
    /// Decoded bytes that have not been returned yet.
    rest: Bytes,
    origin: Origin,
    declared_charset: Option<String>,
    is_text: bool,
    archive: Option<Archive>,
    allowance: Arc<Allowance>,
    failed: Option<EgressFailure>,
    /// Receives a copy of the bytes as they arrive, when the call is recorded.
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
    pub(super) fn from_stream(
        stream: ResponseStream,
        label: String,
        headers: &[(String, String)],
        allowance: Arc<Allowance>,
    ) -> Self {
        let charset = charset::declared(headers);
        let mut source = Source::ResponseStream(Box::new(stream));
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
            tee: None,
        }
    }

    /// Replays a body that an earlier call read, in pieces of at most `chunk` bytes if given. The usual limits apply.
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

    /// Copies the bytes to `tee` as they arrive.
    pub fn tee(&mut self, tee: Tee) {
        if matches!(self.source, Source::Spent) {
            tee.end();
        }
        self.tee = Some(tee);
    }

    /// Reads up to `max` bytes. An empty result means the end, or that `max` is 0.
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

    /// Returns the rest in one piece, if it is within the piece limit.
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

    /// Returns the rest as text. After `decode` the body already is UTF-8 unless the caller asks for another charset.
    pub async fn text(&mut self, charset: Option<&str>) -> Result<String, EgressFailure> {
        if charset.is_some() || !self.is_text {
            self.decode(charset).await?;
        }
        let bytes = self.read_all().await?;
        let text = if bytes.len() > MAX_INLINE_TEXT {
            let checking = spawn_blocking(move || String::from_utf8(bytes.into()));
            checking.await.map_err(|_panic| {
                EgressFailure::Unavailable(format!("{}: the host failed", self.label))
            })?
        } else {
            String::from_utf8(bytes.into())
        };
        text.map_err(|error| EgressFailure::Malformed {
            // Only after a `read` that stopped inside a character.
            what: self.label.clone(),
            expected: "text that begins with a whole character".to_owned(),
            found: format!(
                "no character at offset {}",
                error.utf8_error().valid_up_to()
            ),
        })
    }

    /// Makes later reads return UTF-8, decoded from the charset that the contract's rules select. Byte sequences that
    /// are invalid in the charset fail when they are read.
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

    /// Makes later reads return the unpacked bytes of a gzip stream. A body that does not start as gzip stays readable.
    pub async fn gunzip(&mut self) -> Result<(), EgressFailure> {
        self.layers.check_room()?;
        self.peek(GZIP_MAGIC.len()).await?;
        if !self.rest.starts_with(&GZIP_MAGIC) {
            return Err(self.malformed("a gzip stream", glimpse(&self.rest)));
        }
        let gunzip = Box::new(Unpacked::gzip(self.label.clone()));
        let first = std::mem::take(&mut self.rest);
        self.layers.push(gunzip, true, first);
        self.is_text = false;
        Ok(())
    }

    /// Identifies the response by the bytes that have arrived so far.
    pub fn evidence(&self) -> Evidence {
        let digest = self.origin.digest.clone().finalize();
        Evidence {
            id: self.origin.id.clone(),
            digest: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
            fetched_at: self.origin.fetched_at,
        }
    }

    /// The next non-empty chunk, or `None` at the end.
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
            // Releases the connection and the permit at the upstream.
            self.source = Source::Spent;
        }
        next
    }

    async fn pull(&mut self) -> Result<Option<Bytes>, EgressFailure> {
        loop {
            match self.layers.step(&self.allowance).await? {
                Step::Working => {}
                Step::Piece(piece) if piece.is_empty() => {}
                Step::Piece(piece) => return Ok(Some(piece)),
                Step::End => return Ok(None),
                Step::Hungry => {
                    let chunk = self.source.next(&self.label).await?;
                    match (&chunk, &self.tee) {
                        (Some(chunk), Some(tee)) => tee.append(chunk),
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

    /// Buffers at least `count` bytes of the body, if it has that many.
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
}
