//! Sources of a body's bytes: a connection, a file, a slice of a spooled archive, or a recording.
//!
//! A source returns chunks and reports how it ended. Only a `content-encoding` is decoded here; `Body` applies the other
//! decoders, and limits.
//! Invariant: an end before the announced length is a failure.

use std::error::Error;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use reqwest::Response;
use tokio::task::spawn_blocking;

use super::allowance::Allowance;
use super::failure::EgressFailure;
use super::layers::{Layers, Step};
use super::rate_limits::UpstreamPermit;
use super::unpack::ContentEncoding;

/// Size of one file read. Larger than a decoder's piece, because each read is a round trip to another thread.
const DISK_CHUNK: u64 = 256 * 1024;

/// Returns chunks until it is spent.
pub(super) enum Source {
    ResponseStream(Box<ResponseStream>),
    Disk(Disk),
    Memory(Memory),
    /// Read to the end, failed, or taken by `unzip`.
    Spent,
}

impl Source {
    /// The next chunk, or `None` at the end.
    pub(super) async fn next(&mut self, label: &str) -> Result<Option<Bytes>, EgressFailure> {
        match self {
            Self::ResponseStream(stream) => stream.next(label).await,
            Self::Disk(disk) => disk.next(label).await,
            Self::Memory(memory) => memory.next(label),
            Self::Spent => Ok(None),
        }
    }

    /// Bytes still to come, if known.
    pub(super) fn announced(&self) -> Option<u64> {
        match self {
            Self::ResponseStream(stream) => stream.announced_rest(),
            Self::Disk(disk) => Some(disk.end.saturating_sub(disk.position)),
            Self::Memory(memory) => memory.bytes.as_ref().map(|bytes| bytes.len() as u64),
            Self::Spent => Some(0),
        }
    }
}

/// A body on a connection. It keeps its permit at the upstream until it is dropped.
pub(super) struct ResponseStream {
    response: Response,
    idle: Duration,
    /// Of the `content-encoding`.
    decoders: Layers,
    allowance: Arc<Allowance>,
    /// From `content-length`.
    announced: Option<u64>,
    /// Bytes on the connection.
    received: u64,
    permit: UpstreamPermit,
}

impl ResponseStream {
    pub(super) fn new(
        response: Response,
        label: &str,
        idle: Duration,
        allowance: Arc<Allowance>,
        permit: UpstreamPermit,
    ) -> Self {
        let mut decoders = Layers::default();
        if let Some(encoding) = ContentEncoding::of(response.headers()) {
            decoders.push(encoding.decoder(label.to_owned()), true, Bytes::new());
        }
        Self {
            announced: response.content_length(),
            response,
            idle,
            decoders,
            allowance,
            received: 0,
            permit,
        }
    }

    fn announced_rest(&self) -> Option<u64> {
        if !self.decoders.is_empty() {
            return None;
        }
        self.announced
            .map(|announced| announced.saturating_sub(self.received))
    }

    /// The next chunk after the `content-encoding`.
    async fn next(&mut self, label: &str) -> Result<Option<Bytes>, EgressFailure> {
        loop {
            match self.decoders.step(&self.allowance).await? {
                Step::Working => {}
                Step::Piece(piece) => {
                    self.permit.counts().received(piece.len());
                    return Ok(Some(piece));
                }
                Step::End => {
                    // The connection is used again only if the end of the response was read.
                    while !self.decoders.source_ended() {
                        let ignored = self.receive(label).await?;
                        self.decoders.feed(ignored);
                    }
                    return Ok(None);
                }
                Step::Hungry => {
                    let chunk = self.receive(label).await?;
                    // Servers declare an encoding of empty bodies too, which is not a valid stream.
                    if chunk.is_none() && self.received == 0 {
                        return Ok(None);
                    }
                    self.decoders.feed(chunk);
                }
            }
        }
    }

    async fn receive(&mut self, label: &str) -> Result<Option<Bytes>, EgressFailure> {
        let chunk = tokio::time::timeout(self.idle, self.response.chunk()).await;
        match chunk {
            Ok(Ok(Some(chunk))) => {
                self.received += chunk.len() as u64;
                // A long stream may unpack to nothing.
                self.allowance.check_body(self.received)?;
                Ok(Some(chunk))
            }
            Ok(Ok(None)) => match self.announced {
                Some(announced) if announced > self.received => Err(self.ended(label)),
                Some(_) | None => Ok(None),
            },
            Ok(Err(_broken)) => Err(self.ended(label)),
            Err(_elapsed) => {
                self.permit.broke_off(label);
                let (received, idle) = (self.received, self.idle);
                Err(EgressFailure::Unavailable(format!(
                    "{label}: no data for {idle:?} after {received} bytes"
                )))
            }
        }
    }

    fn ended(&self, label: &str) -> EgressFailure {
        self.permit.broke_off(label);
        ended(label, self.received, self.announced)
    }
}

/// The bytes of a response that an earlier call read.
pub(super) struct Memory {
    bytes: Option<Bytes>,
    complete: bool,
    chunk: Option<usize>,
}

impl Memory {
    pub(super) fn new(bytes: Bytes, complete: bool, chunk: Option<usize>) -> Self {
        Self {
            bytes: Some(bytes).filter(|bytes| !bytes.is_empty()),
            complete,
            chunk: chunk.filter(|chunk| *chunk > 0),
        }
    }

    fn next(&mut self, label: &str) -> Result<Option<Bytes>, EgressFailure> {
        match self.bytes.take() {
            Some(mut bytes) => {
                if let Some(chunk) = self.chunk
                    && chunk < bytes.len()
                {
                    self.bytes = Some(bytes.split_off(chunk));
                }
                Ok(Some(bytes))
            }
            None if self.complete => Ok(None),
            None => Err(EgressFailure::Unavailable(format!(
                "{label}: not recorded: the rest of the body"
            ))),
        }
    }
}

/// A slice of a file.
pub(super) struct Disk {
    file: Arc<File>,
    begin: u64,
    position: u64,
    end: u64,
}

impl Disk {
    pub(super) fn new(file: Arc<File>, begin: u64, end: u64) -> Self {
        Self {
            file,
            begin,
            position: begin,
            end,
        }
    }

    async fn next(&mut self, label: &str) -> Result<Option<Bytes>, EgressFailure> {
        let wanted = self.end.saturating_sub(self.position).min(DISK_CHUNK);
        let Ok(wanted @ 1..) = usize::try_from(wanted) else {
            return Ok(None);
        };
        let (file, position) = (Arc::clone(&self.file), self.position);
        let read = spawn_blocking(move || read_at(&file, position, wanted)).await;
        let chunk = read
            .map_err(io::Error::other)
            .flatten()
            .map_err(|error| EgressFailure::Unavailable(format!("{label}: {}", error.kind())))?;
        if chunk.is_empty() {
            let received = self.position - self.begin;
            return Err(ended(label, received, Some(self.end - self.begin)));
        }
        self.position += chunk.len() as u64;
        Ok(Some(chunk))
    }
}

fn read_at(file: &File, position: u64, wanted: usize) -> io::Result<Bytes> {
    let mut chunk = vec![0; wanted];
    let read = file.read_at(&mut chunk, position)?;
    chunk.truncate(read);
    Ok(chunk.into())
}

fn ended(label: &str, received: u64, announced: Option<u64>) -> EgressFailure {
    EgressFailure::Unavailable(match announced {
        Some(announced) => format!("{label}: ended after {received} of {announced} bytes"),
        None => format!("{label}: broke off after {received} bytes"),
    })
}

/// The innermost cause. The outer ones repeat the URL with its query.
pub fn root_cause(error: &(dyn Error + 'static)) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause
        .downcast_ref::<reqwest::Error>()
        .map_or_else(|| cause.to_string(), message_without_url)
}

/// The client error's own text, without causes and without the URL.
fn message_without_url(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        "timed out".to_owned()
    } else if error.is_connect() {
        "could not connect".to_owned()
    } else {
        "the request failed".to_owned()
    }
}
