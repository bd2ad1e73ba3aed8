//! Chooses the charset of a body and decodes it to UTF-8, chunk by chunk.
//!
//! Bytes that are invalid in the charset are a failure; a replacement character would be a guess.

use bytes::{Buf, Bytes};
use encoding_rs::{Decoder as Encoded, DecoderResult, Encoding, UTF_8};

use super::failure::{EgressFailure, Refusal};
use super::layers::{Decoder, PIECE, Step};

/// Chooses as the contract defines: the requested charset, else the byte order mark, else the content-type, else UTF-8.
pub(super) fn choose(
    asked: Option<&str>,
    head: &[u8],
    declared: Option<&str>,
    label: &str,
) -> Result<&'static Encoding, EgressFailure> {
    if let Some(asked) = asked {
        let unknown = || Refusal::Charset {
            label: asked.chars().take(60).collect(),
        };
        return Ok(Encoding::for_label_no_replacement(asked.as_bytes()).ok_or_else(unknown)?);
    }
    if let Some((encoding, _length)) = Encoding::for_bom(head) {
        return Ok(encoding);
    }
    let Some(declared) = declared else {
        return Ok(UTF_8);
    };
    Encoding::for_label_no_replacement(declared.as_bytes()).ok_or_else(|| {
        EgressFailure::Malformed {
            what: format!("{label}: content-type"),
            expected: "a known charset".to_owned(),
            found: declared.chars().take(60).collect(),
        }
    })
}

/// The charset parameter of the content-type header.
pub(super) fn declared(headers: &[(String, String)]) -> Option<String> {
    let (_, content_type) = headers.iter().find(|(name, _)| name == "content-type")?;
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']);
        let named = name.trim().eq_ignore_ascii_case("charset") && !value.is_empty();
        named.then(|| value.to_owned())
    })
}

/// Decoder to UTF-8. Drops the charset's byte order mark.
pub(super) struct Text {
    decoder: Encoded,
    label: String,
    chunk: Bytes,
    taken: u64,
    closed: bool,
    ended: bool,
}

impl Text {
    pub(super) fn new(encoding: &'static Encoding, label: String) -> Self {
        Self {
            decoder: encoding.new_decoder_with_bom_removal(),
            label,
            chunk: Bytes::new(),
            taken: 0,
            closed: false,
            ended: false,
        }
    }

    fn malformed(&self, read: usize, length: u8, after: u8) -> EgressFailure {
        let end = read.saturating_sub(usize::from(after));
        let begin = end.saturating_sub(usize::from(length));
        let bytes = self.chunk.get(begin..end).unwrap_or_default();
        let offset = (self.taken + end as u64).saturating_sub(u64::from(length));
        let found = if bytes.is_empty() {
            // The character began in an earlier chunk.
            format!("a character that is cut short at offset {offset}")
        } else {
            format!("the bytes {bytes:02x?} at offset {offset}")
        };
        EgressFailure::Malformed {
            what: self.label.clone(),
            expected: format!("text in {}", self.decoder.encoding().name()),
            found,
        }
    }
}

impl Decoder for Text {
    fn feed(&mut self, chunk: Bytes) {
        self.chunk = chunk;
    }

    fn close(&mut self) {
        self.closed = true;
    }

    fn step(&mut self) -> Result<Step, EgressFailure> {
        if self.ended {
            return Ok(Step::End);
        }
        if self.chunk.is_empty() && !self.closed {
            return Ok(Step::Hungry);
        }
        let mut piece = vec![0; PIECE];
        let (result, read, written) =
            self.decoder
                .decode_to_utf8_without_replacement(&self.chunk, &mut piece, self.closed);
        if let DecoderResult::Malformed(length, after) = result {
            return Err(self.malformed(read, length, after));
        }
        self.chunk.advance(read);
        self.taken += read as u64;
        self.ended = self.closed && result == DecoderResult::InputEmpty;
        if written > 0 {
            piece.truncate(written);
            return Ok(Step::Piece(piece.into()));
        }
        Ok(if self.ended { Step::End } else { Step::Hungry })
    }
}
