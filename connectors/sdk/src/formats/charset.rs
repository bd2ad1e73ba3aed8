//! Decodes lists to UTF-8 from either of the two charsets in use.
//!
//! The first letters beyond ASCII decide the charset: mostly valid UTF-8 sequences mean UTF-8,
//! mostly invalid ones mean windows-1250. Invalid UTF-8 further on becomes U+FFFD, so that row
//! readers can identify damaged rows: one damaged row must not fail the whole list.

use std::borrow::Cow;
use std::io::{self, BufReader, Read};

use super::text::decode_windows_1250;

const CHUNK: usize = 64 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Charset {
    NotSeenYet,
    Utf8,
    Windows1250,
}

/// A reader that decodes its input to UTF-8.
pub struct Decoded<R> {
    input: R,
    charset: Charset,
    /// An incomplete character at the end of the last piece.
    tail: Vec<u8>,
    ready: Vec<u8>,
    taken: usize,
}

/// Wraps a list in a reader that decodes it to UTF-8.
pub fn decoded<R: Read>(input: R) -> BufReader<Decoded<R>> {
    let decoded = Decoded {
        input,
        charset: Charset::NotSeenYet,
        tail: Vec::new(),
        ready: Vec::new(),
        taken: 0,
    };
    BufReader::with_capacity(CHUNK, decoded)
}

impl<R: Read> Decoded<R> {
    fn fill(&mut self) -> io::Result<()> {
        self.ready.clear();
        self.taken = 0;
        while self.ready.is_empty() {
            let mut bytes = std::mem::take(&mut self.tail);
            let before = bytes.len();
            bytes.resize(before + CHUNK, 0);
            let count = self.input.read(&mut bytes[before..])?;
            bytes.truncate(before + count);
            if bytes.is_empty() {
                return Ok(());
            }
            let ended = count == 0;
            if self.charset == Charset::NotSeenYet {
                self.charset = charset_of(&bytes, ended);
            }
            self.ready = match self.charset {
                Charset::Windows1250 => decode_windows_1250(&bytes).into_bytes(),
                Charset::NotSeenYet | Charset::Utf8 => {
                    let whole = if ended {
                        bytes.len()
                    } else {
                        whole_characters(&bytes)
                    };
                    self.tail = bytes.split_off(whole);
                    match String::from_utf8_lossy(&bytes) {
                        Cow::Borrowed(_) => bytes,
                        Cow::Owned(replaced) => replaced.into_bytes(),
                    }
                }
            };
        }
        Ok(())
    }
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.ready.len() {
            self.fill()?;
        }
        let piece = &self.ready[self.taken..];
        let count = piece.len().min(into.len());
        into[..count].copy_from_slice(&piece[..count]);
        self.taken += count;
        Ok(count)
    }
}

/// Guesses the charset from these bytes. A character cut off at the end of the piece does not
/// count.
fn charset_of(bytes: &[u8], ended: bool) -> Charset {
    let whole = if ended {
        bytes.len()
    } else {
        whole_characters(bytes)
    };
    let (mut fitting, mut broken) = (0_usize, 0_usize);
    for chunk in bytes[..whole].utf8_chunks() {
        fitting += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    match (fitting, broken) {
        (0, 0) => Charset::NotSeenYet,
        _ if fitting >= broken => Charset::Utf8,
        _ => Charset::Windows1250,
    }
}

/// Length of the bytes without an incomplete UTF-8 character at the end. Invalid bytes count as
/// complete.
fn whole_characters(bytes: &[u8]) -> usize {
    let is_unfinished = |count: &usize| {
        let begin = bytes.len().saturating_sub(*count);
        let end = bytes.get(begin..).unwrap_or_default();
        std::str::from_utf8(end)
            .err()
            .is_some_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
    };
    let unfinished = (1..=3).find(is_unfinished).unwrap_or_default();
    bytes.len().saturating_sub(unfinished)
}

/// Like [`decoded`], for a list in memory. Removes a byte order mark.
#[must_use]
pub fn decode(bytes: &[u8]) -> String {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match charset_of(bytes, true) {
        Charset::Windows1250 => decode_windows_1250(bytes),
        Charset::NotSeenYet | Charset::Utf8 => String::from_utf8_lossy(bytes).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns one byte per read.
    struct Drop<'a>(&'a [u8]);

    impl Read for Drop<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let Some((first, rest)) = self.0.split_first() else {
                return Ok(0);
            };
            into[0] = *first;
            self.0 = rest;
            Ok(1)
        }
    }

    fn read(bytes: &[u8]) -> io::Result<String> {
        let mut all = String::new();
        decoded(bytes).read_to_string(&mut all)?;
        let mut in_drops = String::new();
        decoded(Drop(bytes)).read_to_string(&mut in_drops)?;
        assert_eq!(all, in_drops);
        Ok(all)
    }

    #[test]
    fn charset_detection_ignores_chunk_boundaries() {
        assert_eq!(
            read("Žltý kôň, IČO".as_bytes()).expect("it is UTF-8"),
            "Žltý kôň, IČO"
        );
        assert_eq!(
            read(b"I\xc8O \x8elt\xfd").expect("it is windows-1250"),
            "IČO Žltý"
        );
        assert_eq!(read(b"plain").expect("it is ASCII"), "plain");
        assert_eq!(read(b"").expect("it is empty"), "");
    }

    #[test]
    fn invalid_bytes_become_replacement_characters() {
        let read = |bytes: &[u8]| read(bytes).expect("it is read");
        let bytes = ["IČO a názov".as_bytes(), b"\xff", "ľ".as_bytes()].concat();
        assert_eq!(read(&bytes), "IČO a názov\u{fffd}ľ");
        assert_eq!(decode(&bytes), "IČO a názov\u{fffd}ľ");
        assert_eq!(
            read(&"IČO ľ".as_bytes()[..6]),
            "IČO \u{fffd}",
            "cut off inside a character"
        );
        assert_eq!(decode(b"\xef\xbb\xbfI\xc8O"), "IČO");
    }
}
