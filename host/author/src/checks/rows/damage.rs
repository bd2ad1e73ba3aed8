//! Makes one row of a register's answer odd: an item of a JSON list, an element of XML or HTML, or a line of a table.
//!
//! Answers may be packed as ZIP or gzip. Only the row changes, never the text around it.

mod json;

use std::io::{Cursor, Read, Write};
use std::ops::Range;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

/// The highest number of unpacked bytes of one answer.
const MAX_UNPACKED: u64 = 64 << 20;

/// Separators between the cells of a line.
const SEPARATORS: [char; 4] = [';', '\t', '|', ','];

/// How the row is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Damage {
    /// A digit of its company number becomes a letter.
    Number,
    /// The month of its first date becomes 99.
    Date,
    /// A JSON item becomes a number, an element of XML becomes a text, and a row of a table gets an additional cell.
    Form,
    /// A JSON item loses its members, and an element or a line its last cell.
    Cell,
    /// The row is removed. This is not damage; it shows which records come from the row.
    Removal,
}

impl Damage {
    pub(super) const ALL: [Self; 4] = [Self::Number, Self::Date, Self::Form, Self::Cell];
}

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Number => "a row with an unreadable company number",
            Self::Date => "a row with an unreadable date",
            Self::Form => "a row of another form",
            Self::Cell => "a row that lacks a cell",
            Self::Removal => "a missing row",
        })
    }
}

/// Company numbers of a list.
#[derive(Debug, Default)]
pub(super) struct Numbers<'a> {
    pub(super) all: Vec<&'a str>,
    /// The numbers that identify a row.
    pub(super) of_rows: Vec<&'a str>,
}

/// An answer with one odd row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Damaged {
    pub(super) body: Vec<u8>,
    /// Company number in the row; `None` if the answer has none of the numbers.
    pub(super) ico: Option<String>,
}

/// Damages one row of an answer: a row of one of these companies, if the answer has one. `None` if the answer has no
/// list, or the row has nothing to damage.
pub(super) fn damaged(body: &[u8], numbers: &Numbers<'_>, damage: Damage) -> Option<Damaged> {
    if body.starts_with(b"PK\x03\x04") {
        let mut entries = unzipped(body)?;
        // In a workbook, only the sheets have rows. A shared text may belong to several rows.
        let is_workbook = entries.iter().any(|(name, _)| name.starts_with("xl/"));
        let has_rows = |name: &str| !is_workbook || name.starts_with("xl/worksheets/");
        let mut with_rows = entries.iter_mut().filter(|(name, _)| has_rows(name));
        let ico = with_rows.find_map(|(_, bytes)| {
            let damaged = damaged_text(bytes, numbers, damage)?;
            *bytes = damaged.body;
            Some(damaged.ico)
        })?;
        let body = zipped(&entries)?;
        return Some(Damaged { body, ico });
    }
    if body.starts_with(b"\x1f\x8b") {
        let mut text = Vec::new();
        let mut unpacked = GzDecoder::new(body).take(MAX_UNPACKED);
        unpacked.read_to_end(&mut text).ok()?;
        let damaged = damaged_text(&text, numbers, damage)?;
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(&damaged.body).ok()?;
        let body = packed.finish().ok()?;
        return Some(Damaged { body, ..damaged });
    }
    damaged_text(body, numbers, damage)
}

fn damaged_text(body: &[u8], numbers: &Numbers<'_>, damage: Damage) -> Option<Damaged> {
    let present: Vec<(&str, usize)> = numbers
        .of_rows
        .iter()
        .filter_map(|ico| Some((*ico, position(body, ico.as_bytes())?)))
        .collect();
    let middle = present.get(present.len() / 2).copied();
    let ico = middle.map(|(ico, _)| ico);
    let body = match body.trim_ascii_start().first()? {
        b'{' | b'[' => json::with_odd_item(body, ico, damage)?,
        first => {
            let at = middle.map_or(body.len() / 2, |(_, at)| at);
            let row = if *first == b'<' {
                // A row may name other companies, but it belongs to one company only.
                let known = match numbers.of_rows.as_slice() {
                    [_] => &numbers.all,
                    _ => &numbers.of_rows,
                };
                let others = known.iter().filter(|other| Some(**other) != ico);
                let others: Vec<&str> = others.copied().collect();
                // Without numbers, rows cannot be distinguished from other elements, except in a sheet.
                if ico.is_none() && position(body, b"<sheetData").is_none() {
                    return None;
                }
                Row::element(body, at, &others)?
            } else {
                Row::line(body, at)?
            };
            row.damaged(body, ico, damage)?
        }
    };
    Some(Damaged {
        body,
        ico: ico.map(str::to_owned),
    })
}

fn is_html(body: &[u8]) -> bool {
    let head = body.get(..body.len().min(1_000)).unwrap_or_default();
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    head.contains("<html") || head.contains("<!doctype html")
}

fn position(body: &[u8], part: &[u8]) -> Option<usize> {
    body.windows(part.len()).position(|window| window == part)
}

/// The text with a letter in its company number.
fn with_odd_number(text: &[u8], ico: Option<&str>) -> Option<Vec<u8>> {
    let at = position(text, ico?.as_bytes())?;
    replaced(text, at + 2..at + 3, b"x")
}

/// The text with the month 99 in its first date, such as `2025-06-05` or `5.6.2025`.
fn with_odd_date(text: &[u8]) -> Option<Vec<u8>> {
    let digits = |from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    (0..text.len()).find_map(|start| {
        let is_inside = start
            .checked_sub(1)
            .and_then(|before| text.get(before))
            .is_some_and(u8::is_ascii_digit);
        let first = digits(start);
        let month = start + first + 1;
        let sign = *text.get(start + first)?;
        let last = month + digits(month) + 1;
        let is_date = match (first, digits(month), digits(last)) {
            (4, 2, 2) => sign == b'-' && text.get(last - 1) == Some(&b'-'),
            (1 | 2, 1 | 2, 4) => sign == b'.' && text.get(last - 1) == Some(&b'.'),
            _ => false,
        };
        (is_date && !is_inside).then(|| replaced(text, month..last - 1, b"99"))?
    })
}

fn replaced(text: &[u8], range: Range<usize>, by: &[u8]) -> Option<Vec<u8>> {
    Some([text.get(..range.start)?, by, text.get(range.end..)?].concat())
}

/// The place of a row in a text.
struct Row {
    whole: Range<usize>,
    /// The last cell. `None` if its place is not known.
    cell: Option<Range<usize>>,
    /// The place that another form replaces, and the new text.
    form: Option<(Range<usize>, String)>,
}

impl Row {
    fn damaged(&self, body: &[u8], ico: Option<&str>, damage: Damage) -> Option<Vec<u8>> {
        let whole = body.get(self.whole.clone())?;
        match damage {
            Damage::Number => {
                let odd = with_odd_number(whole, ico)?;
                replaced(body, self.whole.clone(), &odd)
            }
            Damage::Date => replaced(body, self.whole.clone(), &with_odd_date(whole)?),
            Damage::Form => {
                let (place, other) = self.form.clone()?;
                replaced(body, place, other.as_bytes())
            }
            Damage::Cell => replaced(body, self.cell.clone()?, b""),
            Damage::Removal => replaced(body, self.whole.clone(), b""),
        }
    }

    /// The line at a place of a table whose first line has several cells.
    fn line(body: &[u8], at: usize) -> Option<Self> {
        let head_end = position(body, b"\n")?;
        let head = String::from_utf8_lossy(body.get(..head_end)?).into_owned();
        let separator = SEPARATORS
            .into_iter()
            .max_by_key(|sign| head.matches(*sign).count())
            .filter(|sign| head.contains(*sign))?;
        let at = at.max(head_end + 1);
        let before = body.get(..at)?;
        let start = before.iter().rposition(|byte| *byte == b'\n')? + 1;
        let rest = body.get(start..)?;
        let length = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
        let end = start + length.unwrap_or(rest.len());
        let line = String::from_utf8_lossy(body.get(start..end)?).into_owned();
        // A row with an open quote continues in the next line.
        if line.matches('"').count() % 2 == 1 {
            return None;
        }
        // A separator within quotes does not separate cells.
        let cell = if line.ends_with('"') {
            line.rfind(&format!("{separator}\""))
        } else {
            line.rfind(separator)
        };
        let last = rest.iter().position(|byte| *byte == b'\n');
        Some(Self {
            whole: start..last.map_or(body.len(), |last| start + last + 1),
            // The line may not be UTF-8, so the place is counted from its end.
            cell: cell.map(|cell| end - (line.len() - cell)..end),
            form: Some((end..end, format!("{separator}x"))),
        })
    }

    /// The outermost element around a place that has a neighbour of the same name and does not contain the other
    /// numbers.
    fn element(body: &[u8], at: usize, others: &[&str]) -> Option<Self> {
        elements_around(body, at)
            .into_iter()
            .filter_map(|(name, whole)| {
                let tag = format!("<{name}");
                let closing = format!("</{name}>");
                let before = body.get(..whole.start)?.trim_ascii_end();
                let behind = body.get(whole.end..)?.trim_ascii_start();
                if !before.ends_with(closing.as_bytes()) && !behind.starts_with(tag.as_bytes()) {
                    return None;
                }
                let inner = body.get(whole.clone())?;
                if others
                    .iter()
                    .any(|other| position(inner, other.as_bytes()).is_some())
                {
                    return None;
                }
                let content = whole.start + position(inner, b">")? + 1..whole.end - closing.len();
                let cell = last_child(body, &content);
                // An element of HTML or of a sheet without cells is not a row.
                let form = match name.as_str() {
                    "tr" | "row" => cell.clone().and_then(|cell| {
                        let cell = String::from_utf8_lossy(body.get(cell)?).into_owned();
                        Some((content.end..content.end, cell))
                    }),
                    _ => (!is_html(body)).then(|| (content, "7".to_owned())),
                };
                Some(Self { whole, cell, form })
            })
            .max_by_key(|row| row.whole.len())
    }
}

/// Names and places of the elements around a place. Elements that are not closed, as HTML allows, are skipped.
fn elements_around(body: &[u8], at: usize) -> Vec<(String, Range<usize>)> {
    let mut open: Vec<(String, usize)> = Vec::new();
    let mut around = Vec::new();
    let mut from = 0;
    while let Some(start) = body.get(from..).and_then(|rest| position(rest, b"<")) {
        let start = from + start;
        let Some(length) = body.get(start..).and_then(|rest| position(rest, b">")) else {
            break;
        };
        let end = start + length + 1;
        from = end;
        let tag =
            String::from_utf8_lossy(body.get(start + 1..end - 1).unwrap_or_default()).into_owned();
        if let Some(name) = tag.strip_prefix('/') {
            let name = name.trim_end();
            if let Some(place) = open.iter().rposition(|(opened, _)| opened == name) {
                let begun = open.get(place).map(|(_, begun)| *begun);
                open.truncate(place);
                around.extend(
                    begun
                        .filter(|begun| (*begun..end).contains(&at))
                        .map(|begun| (name.to_owned(), begun..end)),
                );
            }
        } else if !tag.starts_with(['?', '!']) && !tag.ends_with('/') {
            let name = tag.split_ascii_whitespace().next().unwrap_or_default();
            open.push((name.to_owned(), start));
        }
    }
    around
}

/// The last element in a place that ends with a closing tag.
fn last_child(body: &[u8], content: &Range<usize>) -> Option<Range<usize>> {
    let inner = body.get(content.clone())?.trim_ascii_end();
    let end = content.start + inner.len();
    // The element before the last closing tag.
    let children = elements_around(body.get(..end)?, end.checked_sub(1)?);
    let (_, child) = children.into_iter().next()?;
    (child.end == end && child.start >= content.start).then_some(child)
}

fn unzipped(body: &[u8]) -> Option<Vec<(String, Vec<u8>)>> {
    let mut archive = ZipArchive::new(Cursor::new(body)).ok()?;
    let (mut entries, mut left) = (Vec::new(), MAX_UNPACKED);
    for number in 0..archive.len() {
        let mut entry = archive.by_index(number).ok()?;
        let mut bytes = Vec::new();
        left = left.checked_sub(entry.by_ref().take(left).read_to_end(&mut bytes).ok()? as u64)?;
        entries.push((entry.name().ok()?.into_owned(), bytes));
    }
    Some(entries)
}

fn zipped(entries: &[(String, Vec<u8>)]) -> Option<Vec<u8>> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        writer
            .start_file(name.as_str(), SimpleFileOptions::default())
            .ok()?;
        writer.write_all(bytes).ok()?;
    }
    Some(writer.finish().ok()?.into_inner())
}

#[cfg(test)]
mod tests;
