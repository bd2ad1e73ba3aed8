//! Lists as UTF-8, whichever of the two charsets in use they came in.
//!
//! The charset is settled at the first letters beyond ASCII: mostly UTF-8 sequences, or mostly bytes that are none,
//! which is windows-1250. What later contradicts UTF-8 becomes U+FFFD, so that readers of rows can tell which rows are
//! damaged: one damaged row must not cost the list.

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

/// A reader of UTF-8 over a list.
pub struct Decoded<R> {
    input: R,
    charset: Charset,
    /// The beginning of a character whose rest has not come yet.
    tail: Vec<u8>,
    ready: Vec<u8>,
    taken: usize,
}

/// Reads a list as UTF-8.
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

/// What the bytes say of the charset. A character that is cut off by the end of the piece says nothing yet.
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

/// How many bytes are whole characters of UTF-8 or no characters at all: without one that the end of the piece cuts off.
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

/// Decodes a list that is in memory as [`decoded`] does, without a byte order mark.
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

    /// Gives one byte at a time.
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
    fn both_charsets_are_told_apart_however_the_bytes_arrive() {
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
    fn broken_bytes_are_replaced_and_the_rest_is_kept() {
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
