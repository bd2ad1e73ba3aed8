//! Reads CSV as people and programs write it: any usual delimiter and encoding.
//!
//! The `csv` crate is not used because an opening quote without its end would swallow the rest of the file. Here such a
//! quote is a character like any other.

use std::borrow::Cow;

use super::{Bounds, Collected, FileError, Row, kept};

/// Number of first lines from which the delimiter is chosen.
const FIRST_LINES: usize = 30;

/// Maximum line breaks within a quoted cell. A quoted text that ends later was not quoted.
const MAX_CELL_BREAKS: usize = 20;

const DELIMITERS: [u8; 3] = [b';', b',', b'\t'];

pub(super) fn rows(bytes: &[u8], bounds: Bounds) -> Result<Vec<Row>, FileError> {
    let text = decode(bytes);
    // Files of other programs have zero bytes; pages of HTML, such as saved error pages, begin with a tag.
    if text.contains('\0') || text.trim_start().starts_with('<') {
        return Err(FileError::OtherFormat);
    }
    let (declared, skipped) = declared(&text);
    let mut parser = Parser {
        text: &text,
        at: skipped,
        line: if skipped > 0 { 2 } else { 1 },
        delimiter: declared.unwrap_or_else(|| delimiter(&text)),
    };
    let mut rows = Collected::new(bounds);
    while !parser.is_over() {
        let number = parser.line;
        let cells = parser.row(bounds)?;
        rows.push(number, cells)?;
    }
    Ok(rows.rows)
}

/// Decodes UTF-8 with or without a byte order mark, UTF-16 with one, and windows-1250.
fn decode(bytes: &[u8]) -> Cow<'_, str> {
    if let Some((encoding, mark)) = encoding_rs::Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[mark..]).0;
    }
    let (mut fitting, mut broken) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        fitting += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    // A few damaged bytes do not change the encoding of the rest.
    if broken > fitting {
        return encoding_rs::WINDOWS_1250
            .decode_without_bom_handling(bytes)
            .0;
    }
    String::from_utf8_lossy(bytes)
}

/// The delimiter of a first line such as `sep=;`, which Excel writes, and the length of that line.
fn declared(text: &str) -> (Option<u8>, usize) {
    let line = text.lines().next().unwrap_or_default();
    match line.strip_prefix("sep=").map(str::as_bytes) {
        Some(&[delimiter]) if DELIMITERS.contains(&delimiter) => {
            let rest = &text[line.len()..];
            let end = rest.find('\n').map_or(rest.len(), |at| at + 1);
            (Some(delimiter), line.len() + end)
        }
        _ => (None, 0),
    }
}

/// The delimiter that occurs most often in the first lines. A comma before a space belongs to a name.
fn delimiter(text: &str) -> u8 {
    let count = |delimiter: u8| -> usize {
        let in_line = |line: &str| {
            let bytes = line.as_bytes();
            let is_delimiter = |at: &usize| {
                bytes[*at] == delimiter && !(delimiter == b',' && bytes.get(at + 1) == Some(&b' '))
            };
            (0..bytes.len()).filter(is_delimiter).count()
        };
        text.lines().take(FIRST_LINES).map(in_line).sum()
    };
    let counts = DELIMITERS.map(|delimiter| (delimiter, count(delimiter)));
    let mut best = (b';', 0);
    for (delimiter, found) in counts {
        if found > best.1 {
            best = (delimiter, found);
        }
    }
    best.0
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    /// Number of the line at `at`.
    line: usize,
    delimiter: u8,
}

impl Parser<'_> {
    fn is_over(&self) -> bool {
        self.at >= self.text.len()
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// Whether a cell may end here.
    fn is_end(&self, at: usize) -> bool {
        self.byte(at)
            .is_none_or(|byte| byte == self.delimiter || matches!(byte, b'\r' | b'\n'))
    }

    fn row(&mut self, bounds: Bounds) -> Result<Vec<String>, FileError> {
        let mut cells = Vec::new();
        loop {
            if cells.len() >= bounds.columns {
                return Err(FileError::TooManyColumns(bounds.columns));
            }
            let cell = self.quoted().unwrap_or_else(|| self.plain());
            cells.push(unguarded(&cell));
            match self.byte(self.at) {
                Some(byte) if byte == self.delimiter => self.at += 1,
                Some(b'\r') if self.byte(self.at + 1) == Some(b'\n') => {
                    self.at += 2;
                    break;
                }
                Some(_) => {
                    self.at += 1;
                    break;
                }
                None => break,
            }
        }
        self.line += 1;
        Ok(cells)
    }

    fn plain(&mut self) -> String {
        let start = self.at;
        while !self.is_end(self.at) {
            self.at += 1;
        }
        self.text[start..self.at].to_owned()
    }

    /// A quoted cell. `None` if there is none, or if its quote has no end.
    fn quoted(&mut self) -> Option<String> {
        if self.byte(self.at) != Some(b'"') {
            return None;
        }
        let (mut cell, mut breaks) = (String::new(), 0);
        let mut start = self.at + 1;
        let mut at = start;
        loop {
            match self.byte(at)? {
                b'\n' => {
                    breaks += 1;
                    if breaks > MAX_CELL_BREAKS {
                        return None;
                    }
                }
                b'"' => {
                    cell.push_str(&self.text[start..at]);
                    if self.byte(at + 1) != Some(b'"') {
                        break;
                    }
                    cell.push('"');
                    at += 1;
                    start = at + 1;
                }
                _ => {}
            }
            at += 1;
        }
        if !self.is_end(at + 1) {
            return None;
        }
        self.at = at + 1;
        self.line += breaks;
        Some(cell)
    }
}

/// Removes what keeps a spreadsheet from calculating a text: `="00000019"` and a leading apostrophe.
fn unguarded(cell: &str) -> String {
    let cell = cell.trim_matches([' ', '\u{a0}']);
    let formula = cell
        .strip_prefix("=\"")
        .and_then(|rest| rest.strip_suffix('"'));
    let text = cell.strip_prefix('\'');
    let text = text.filter(|text| text.starts_with(super::csv::CALCULATED));
    kept(formula.or(text).unwrap_or(cell))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds {
        rows: 100,
        columns: 10,
        cells: 1_000,
        unpacked_bytes: 0,
    };

    fn read(bytes: &[u8]) -> Vec<(usize, String)> {
        let rows = rows(bytes, BOUNDS).expect("it is CSV");
        let joined = rows
            .into_iter()
            .map(|row| (row.number, row.cells.join("|")));
        joined.collect()
    }

    #[test]
    fn delimiters_and_encodings_are_recognised() {
        let text = "IČO;Názov\n00000124;\"Žaba; s. r. o.\"\n";
        let expected = [
            (1, "IČO|Názov".to_owned()),
            (2, "00000124|Žaba; s. r. o.".to_owned()),
        ];
        let utf_16 = text.encode_utf16().flat_map(u16::to_le_bytes);
        let utf_16: Vec<u8> = [0xff, 0xfe].into_iter().chain(utf_16).collect();
        let (old, ..) = encoding_rs::WINDOWS_1250.encode(text);
        let marked = [b"\xef\xbb\xbf", text.as_bytes()].concat();
        for bytes in [text.as_bytes(), &marked, &utf_16, &old] {
            assert_eq!(read(bytes), expected);
        }
        let others = text.replace(';', ",").replace("Žaba,", "Žaba;");
        assert_eq!(read(others.as_bytes()), expected);
        let tabs = text.replace(';', "\t").replace("Žaba\t", "Žaba;");
        assert_eq!(read(tabs.as_bytes()), expected);
        assert_eq!(read(b"sep=,\r\na;b,c\r\n"), [(2, "a;b|c".to_owned())]);
        let names = "Vzorostav, s. r. o.\nŽaba, a. s.\n";
        assert_eq!(
            read(names.as_bytes()),
            [(1, "Vzorostav, s. r. o.".into()), (2, "Žaba, a. s.".into())]
        );
    }

    #[test]
    fn quote_without_end_costs_no_other_row() {
        let mut text = "1;\"two\nlines\"\n2;\"open\n\n4;\"a\"b\n".to_owned();
        text.push_str(&"5;c\n".repeat(30));
        let read = read(text.as_bytes());
        assert_eq!(read.len(), 33);
        assert_eq!(read[0], (1, "1|two\nlines".to_owned()));
        assert_eq!(read[1], (3, "2|\"open".to_owned()));
        assert_eq!(read[2], (5, "4|\"a\"b".to_owned()));
        assert_eq!(read[3], (6, "5|c".to_owned()));
    }

    #[test]
    fn damaged_bytes_and_other_formats_are_told_apart() {
        let damaged = ["Žaba, ľad\n".as_bytes(), b"\xff\n", "čučoriedka".as_bytes()].concat();
        assert_eq!(read(&damaged)[2].1, "čučoriedka");
        for other in [b"%PDF\0\n".as_slice(), b" <html>", b"\xd0\xcf\x11\xe0\0"] {
            assert_eq!(rows(other, BOUNDS), Err(FileError::OtherFormat));
        }
        let guarded = "=\"00000019\";'+421;'s-Hertogenbosch\n";
        assert_eq!(
            read(guarded.as_bytes())[0].1,
            "00000019|+421|'s-Hertogenbosch"
        );
    }
}
