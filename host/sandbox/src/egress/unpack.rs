//! Unpacks gzip and Brotli streams and zip entries, chunk by chunk.
//!
//! The readers of the libraries resume after `WouldBlock`, which `Input` returns when it has no chunk.

use std::io::{self, BufRead, Read};

use brotli_decompressor::Decompressor;
use bytes::{Buf, Bytes};
use flate2::Crc;
use flate2::bufread::{DeflateDecoder, MultiGzDecoder};
use http::HeaderMap;
use http::header::CONTENT_ENCODING;

use super::failure::EgressFailure;
use super::layers::{Decoder, PIECE, Step};

/// The first bytes of every gzip stream: the magic number and the only compression method.
pub(super) const GZIP_MAGIC: [u8; 3] = [0x1f, 0x8b, 8];

/// Bytes that the Brotli decoder copies from its input at once.
const BROTLI_BUFFER: usize = 16 * 1024;

/// A `content-encoding` that the host decodes (RFC 9110, section 8.4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ContentEncoding {
    Gzip,
    /// RFC 7932.
    Brotli,
}

impl ContentEncoding {
    /// What requests accept.
    pub(super) const ACCEPTED: &str = "gzip, br";

    /// The encoding of a response. `None` if it has none, or one that was not accepted.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        match headers.get(CONTENT_ENCODING)?.as_bytes() {
            b"gzip" => Some(Self::Gzip),
            b"br" => Some(Self::Brotli),
            _ => None,
        }
    }

    pub(super) fn decoder(self, label: String) -> Box<dyn Decoder> {
        match self {
            Self::Gzip => Box::new(Unpacked::gzip(label)),
            Self::Brotli => Box::new(Unpacked::brotli(label)),
        }
    }
}

/// Input that arrives in chunks.
#[derive(Default)]
pub(super) struct Input {
    chunk: Bytes,
    closed: bool,
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let chunk = self.fill_buf()?;
        let count = chunk.len().min(buffer.len());
        buffer[..count].copy_from_slice(&chunk[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Input {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.chunk.is_empty() && !self.closed {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        Ok(&self.chunk)
    }

    fn consume(&mut self, amount: usize) {
        self.chunk.advance(amount.min(self.chunk.len()));
    }
}

/// A reader of a packed stream, with its input.
pub(super) trait Unpack: Read + Send {
    fn input(&mut self) -> &mut Input;
}

/// One or more gzip members.
impl Unpack for MultiGzDecoder<Input> {
    fn input(&mut self) -> &mut Input {
        self.get_mut()
    }
}

impl Unpack for Decompressor<Input> {
    fn input(&mut self) -> &mut Input {
        self.get_mut()
    }
}

/// A packed stream whose end is only known from its contents.
pub(super) struct Unpacked<R> {
    reader: R,
    label: String,
    /// What failures expect.
    expected: &'static str,
    given: u64,
    ended: bool,
}

impl Unpacked<MultiGzDecoder<Input>> {
    pub(super) fn gzip(label: String) -> Self {
        let reader = MultiGzDecoder::new(Input::default());
        Self::new(reader, label, "a whole gzip stream")
    }
}

impl Unpacked<Decompressor<Input>> {
    fn brotli(label: String) -> Self {
        let reader = Decompressor::new(Input::default(), BROTLI_BUFFER);
        Self::new(reader, label, "a whole Brotli stream")
    }
}

impl<R: Unpack> Unpacked<R> {
    fn new(reader: R, label: String, expected: &'static str) -> Self {
        Self {
            reader,
            label,
            expected,
            given: 0,
            ended: false,
        }
    }
}

impl<R: Unpack> Decoder for Unpacked<R> {
    fn feed(&mut self, chunk: Bytes) {
        self.reader.input().chunk = chunk;
    }

    fn close(&mut self) {
        self.reader.input().closed = true;
    }

    fn step(&mut self) -> Result<Step, EgressFailure> {
        if self.ended {
            return Ok(Step::End);
        }
        match piece(&mut self.reader) {
            Ok(None) => Ok(Step::Hungry),
            Ok(Some(piece)) if piece.is_empty() => {
                self.ended = true;
                Ok(Step::End)
            }
            Ok(Some(piece)) => {
                self.given += piece.len() as u64;
                Ok(Step::Piece(piece))
            }
            Err(error) => Err(broken(&self.label, self.expected, &error, self.given)),
        }
    }
}

/// The compression method of an entry.
enum Packed {
    Stored(Input),
    Deflated(Box<DeflateDecoder<Input>>),
}

/// One entry of a zip archive, checked against the size and checksum in the directory.
pub(super) struct ArchiveEntry {
    packed: Packed,
    label: String,
    crc: Crc,
    given: u64,
    expected_crc: u32,
    expected_size: u64,
    ended: bool,
}

impl ArchiveEntry {
    pub(super) fn new(
        deflated: bool,
        label: String,
        expected_crc: u32,
        expected_size: u64,
    ) -> Self {
        let packed = if deflated {
            Packed::Deflated(Box::new(DeflateDecoder::new(Input::default())))
        } else {
            Packed::Stored(Input::default())
        };
        Self {
            packed,
            label,
            crc: Crc::new(),
            given: 0,
            expected_crc,
            expected_size,
            ended: false,
        }
    }

    fn input(&mut self) -> &mut Input {
        match &mut self.packed {
            Packed::Stored(input) => input,
            Packed::Deflated(reader) => reader.get_mut(),
        }
    }

    fn finish(&mut self) -> Result<Step, EgressFailure> {
        self.ended = true;
        if self.given == self.expected_size && self.crc.sum() == self.expected_crc {
            return Ok(Step::End);
        }
        Err(EgressFailure::Malformed {
            what: self.label.clone(),
            expected: format!(
                "{} bytes with the checksum {:08x}",
                self.expected_size, self.expected_crc
            ),
            found: format!(
                "{} bytes with the checksum {:08x}",
                self.given,
                self.crc.sum()
            ),
        })
    }
}

impl Decoder for ArchiveEntry {
    fn feed(&mut self, chunk: Bytes) {
        self.input().chunk = chunk;
    }

    fn close(&mut self) {
        self.input().closed = true;
    }

    fn step(&mut self) -> Result<Step, EgressFailure> {
        if self.ended {
            return Ok(Step::End);
        }
        let piece = match &mut self.packed {
            Packed::Stored(input) => piece(input),
            Packed::Deflated(reader) => piece(reader),
        };
        match piece {
            Ok(None) => Ok(Step::Hungry),
            Ok(Some(piece)) if piece.is_empty() => self.finish(),
            Ok(Some(piece)) => {
                self.given += piece.len() as u64;
                self.crc.update(&piece);
                Ok(Step::Piece(piece))
            }
            Err(error) => Err(broken(
                &self.label,
                "a whole deflate stream",
                &error,
                self.given,
            )),
        }
    }
}

/// The next piece: `None` if input is missing, an empty piece at the end.
fn piece(reader: &mut impl Read) -> io::Result<Option<Bytes>> {
    let mut piece = vec![0; PIECE];
    match reader.read(&mut piece) {
        Ok(count) => {
            piece.truncate(count);
            Ok(Some(piece.into()))
        }
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        Err(error) => Err(error),
    }
}

fn broken(label: &str, expected: &str, error: &io::Error, given: u64) -> EgressFailure {
    let found = if error.kind() == io::ErrorKind::UnexpectedEof {
        format!("its end after {given} unpacked bytes")
    } else {
        format!("{error} after {given} unpacked bytes")
    };
    EgressFailure::Malformed {
        what: label.to_owned(),
        expected: expected.to_owned(),
        found,
    }
}
