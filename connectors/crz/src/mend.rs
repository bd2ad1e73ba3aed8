//! Repairs almost valid XML, because some of the register's files are not well-formed.
//!
//! Repaired are HTML entities, unescaped ampersands and less-than signs, control characters, and single invalid
//! UTF-8 bytes. Not repaired are mismatched tags and truncated files, because contracts would be lost
//! unnoticed, and files in another charset, because names would be garbled.

use std::io::{self, Read};

use lustra_sdk::entities::{LONGEST, named, numbered};
use lustra_sdk::{Failure, http, malformed};

/// Size of one read in bytes.
const CHUNK: usize = 64 * 1024;
/// Maximum number of bytes before the root. A file without a root there does not come from the register.
const MAX_HEAD_BYTES: usize = 4 * CHUNK;
/// A file with more broken characters is in another charset.
const MAX_REPLACED: u64 = 200;
/// A file with this many broken characters, and fewer valid non-ASCII ones, is in another charset too. Shorter
/// files are checked to their end.
const MIN_SAMPLE: u64 = 20;

/// A file whose first bytes were inspected.
pub enum Opened<R> {
    /// The file is empty.
    Empty,
    /// The file is XML whose root has the expected name.
    File(Mended<R>),
}

/// A reader that repairs the output of another one.
pub struct Mended<R> {
    input: R,
    /// Bytes that were read but not inspected yet.
    raw: Vec<u8>,
    is_at_end: bool,
    ready: Vec<u8>,
    taken: usize,
    is_in_cdata: bool,
    /// Number of invalid, and of valid, non-ASCII characters.
    replaced: u64,
    whole: u64,
}

impl<R: Read> Mended<R> {
    /// Inspects a file's first bytes; `what` names it in failures.
    ///
    /// # Errors
    /// [`Failure::Unavailable`] for an HTML page, [`Failure::Malformed`] for another root or none, and the
    /// upstream's failure.
    pub fn open(what: &str, input: R, root: &str) -> Result<Opened<R>, Failure> {
        let mut mended = Self {
            input,
            raw: Vec::new(),
            is_at_end: false,
            ready: Vec::new(),
            taken: 0,
            is_in_cdata: false,
            replaced: 0,
            whole: 0,
        };
        let found = loop {
            let filled = mended.fill();
            filled.map_err(|error| http::of_io(what, &error))?;
            match root_of(&mended.raw) {
                Some(name) => break name,
                None if mended.is_at_end && mended.raw.is_empty() => return Ok(Opened::Empty),
                None if mended.is_at_end || mended.raw.len() > MAX_HEAD_BYTES => {
                    let head = String::from_utf8_lossy(&mended.raw);
                    return Err(malformed(what, format!("the element {root}"), head));
                }
                None => {}
            }
        };
        if found.eq_ignore_ascii_case("html") {
            return Err(Failure::Unavailable(format!(
                "{what} is a page of HTML instead of XML"
            )));
        }
        if found != root {
            return Err(malformed(what, format!("the root element {root}"), found));
        }
        if mended.raw.starts_with(b"\xef\xbb\xbf") {
            mended.raw.drain(..3);
        }
        Ok(Opened::File(mended))
    }

    fn fill(&mut self) -> io::Result<()> {
        let before = self.raw.len();
        self.raw.resize(before + CHUNK, 0);
        let read = loop {
            match self.input.read(&mut self.raw[before..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.raw
            .truncate(before + read.as_ref().copied().unwrap_or(0));
        self.is_at_end = read? == 0;
        Ok(())
    }

    /// Repairs the available bytes up to a position that depends on the bytes after it.
    fn mend(&mut self) {
        let mut at = 0;
        while let Some(rest) = self.raw.get(at..).filter(|rest| !rest.is_empty()) {
            let step = if self.is_in_cdata {
                of_cdata(rest, self.is_at_end)
            } else {
                of_text(rest, self.is_at_end)
            };
            let Some(step) = step else { break };
            self.ready.extend_from_slice(step.gives);
            self.replaced += u64::from(step.character == Character::Replaced);
            self.whole += u64::from(step.character == Character::Whole);
            self.is_in_cdata = step.is_in_cdata;
            at += step.takes;
        }
        self.raw.drain(..at);
    }

    /// True if the part read so far is not UTF-8 but another charset.
    fn is_in_another_charset(&self) -> bool {
        let is_told = self.replaced >= MIN_SAMPLE || (self.is_at_end && self.replaced > 0);
        self.replaced > MAX_REPLACED || (is_told && self.replaced > self.whole)
    }
}

impl<R: Read> Read for Mended<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.ready.len() {
            self.ready.clear();
            self.taken = 0;
            loop {
                self.mend();
                if self.is_in_another_charset() {
                    let why = format!("{} characters that are not UTF-8", self.replaced);
                    return Err(io::Error::new(io::ErrorKind::InvalidData, why));
                }
                // Release a short file only after all of it was inspected.
                if self.ready.len() >= CHUNK || (self.is_at_end && self.raw.is_empty()) {
                    break;
                }
                self.fill()?;
            }
        }
        let piece = &self.ready[self.taken..];
        let count = piece.len().min(into.len());
        into[..count].copy_from_slice(&piece[..count]);
        self.taken += count;
        Ok(count)
    }
}

/// The output for the next bytes.
struct Step<'a> {
    takes: usize,
    gives: &'a [u8],
    character: Character,
    is_in_cdata: bool,
}

/// The non-ASCII character of a step, if any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Character {
    None,
    /// A valid UTF-8 character.
    Whole,
    /// An invalid byte that was replaced.
    Replaced,
}

impl<'a> Step<'a> {
    fn plain(bytes: &'a [u8]) -> Self {
        Self::of(bytes.len(), bytes)
    }

    fn of(takes: usize, gives: &'a [u8]) -> Self {
        Self {
            takes,
            gives,
            character: Character::None,
            is_in_cdata: false,
        }
    }
}

const CDATA: &[u8] = b"<![CDATA[";
const CDATA_END: &[u8] = b"]]>";

/// `None` if more bytes are needed to decide.
fn of_text(rest: &[u8], is_at_end: bool) -> Option<Step<'_>> {
    let is_plain = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'%' | b'\''..=b';' | b'='..=0x7f);
    let plain = rest.iter().take_while(|byte| is_plain(byte)).count();
    if plain > 0 {
        return Some(Step::plain(&rest[..plain]));
    }
    let first = *rest.first()?;
    match first {
        b'&' => of_ampersand(rest, is_at_end),
        b'<' if rest.len() < CDATA.len() && !is_at_end => None,
        b'<' if rest.starts_with(CDATA) => Some(Step {
            is_in_cdata: true,
            ..Step::plain(CDATA)
        }),
        b'<' => {
            let begins_a_tag = |byte: &u8| byte.is_ascii_alphabetic() || b"/!?_".contains(byte);
            let is_tag = rest.get(1).is_some_and(begins_a_tag);
            Some(Step::of(1, if is_tag { b"<" } else { b"&lt;" }))
        }
        0..0x20 => Some(Step::of(1, b" ")),
        0x20..=0xff => of_character(rest, is_at_end),
    }
}

/// XML entities and numeric references stay, an HTML entity becomes its character, and any other ampersand is
/// escaped.
fn of_ampersand(rest: &[u8], is_at_end: bool) -> Option<Step<'_>> {
    let behind = &rest[1..];
    let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'#';
    let length = behind
        .iter()
        .take(LONGEST + 1)
        .take_while(is_of_name)
        .count();
    if length == behind.len() && length <= LONGEST && !is_at_end {
        return None;
    }
    let stray = Step::of(1, b"&amp;");
    if behind.get(length) != Some(&b';') || length == 0 {
        return Some(stray);
    }
    let (whole, name) = (&rest[..length + 2], &behind[..length]);
    let Ok(name) = std::str::from_utf8(name) else {
        return Some(stray);
    };
    let is_of_xml = matches!(name, "amp" | "lt" | "gt" | "quot" | "apos");
    if is_of_xml || numbered(name).is_some() {
        return Some(Step::plain(whole));
    }
    Some(match named(name) {
        Some(text) => Step::of(whole.len(), text.as_bytes()),
        None => stray,
    })
}

fn of_character(rest: &[u8], is_at_end: bool) -> Option<Step<'_>> {
    let head = &rest[..rest.len().min(4)];
    let valid = match std::str::from_utf8(head) {
        Ok(text) => text.chars().next().map_or(0, char::len_utf8),
        Err(error) if error.valid_up_to() > 0 => {
            let valid = std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default();
            valid.chars().next().map_or(0, char::len_utf8)
        }
        // The rest of the character may not have arrived yet.
        Err(error) if error.error_len().is_none() && !is_at_end => return None,
        Err(_) => 0,
    };
    Some(if valid > 0 {
        Step {
            character: Character::Whole,
            ..Step::plain(&rest[..valid])
        }
    } else {
        Step {
            character: Character::Replaced,
            ..Step::of(1, "\u{fffd}".as_bytes())
        }
    })
}

fn of_cdata(rest: &[u8], is_at_end: bool) -> Option<Step<'_>> {
    let end = rest
        .windows(CDATA_END.len())
        .position(|window| window == CDATA_END);
    match end {
        Some(at) => Some(Step::plain(&rest[..at + CDATA_END.len()])),
        None if is_at_end => Some(Step {
            is_in_cdata: true,
            ..Step::plain(rest)
        }),
        // The last bytes may be the start of the end marker.
        None if rest.len() < CDATA_END.len() => None,
        None => Some(Step {
            is_in_cdata: true,
            ..Step::plain(&rest[..rest.len() - (CDATA_END.len() - 1)])
        }),
    }
}

/// The name of the first element, once it is complete.
fn root_of(head: &[u8]) -> Option<String> {
    let mut at = 0;
    loop {
        at += head.get(at..)?.iter().position(|byte| *byte == b'<')?;
        let rest = head.get(at + 1..)?;
        match rest.first()? {
            b'!' if rest.starts_with(b"!--") => {
                at += find(rest, b"-->")?;
            }
            b'!' | b'?' => at += find(rest, b">")?,
            _ => {
                let is_of_name = |byte: &u8| !byte.is_ascii_whitespace() && !b"/>".contains(byte);
                let end = rest.iter().position(|byte| !is_of_name(byte))?;
                let name = String::from_utf8_lossy(rest.get(..end)?);
                return Some(name.rsplit(':').next().unwrap_or_default().to_owned());
            }
        }
    }
}

/// The position after a text.
fn find(text: &[u8], piece: &[u8]) -> Option<usize> {
    let at = text
        .windows(piece.len())
        .position(|window| window == piece)?;
    Some(at + piece.len())
}

#[cfg(test)]
mod tests;
