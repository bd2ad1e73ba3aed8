//! Reads CSV tables by column name.

use std::cell::Cell;
use std::io::{BufRead, Chain, Cursor, Read};
use std::rc::Rc;

use self::quotes::{Quotes, joined_rows};
use super::text::fold;
use crate::{Failure, Notes, http, malformed};

pub(crate) mod quotes;

/// A wanted column: the folded words that its header may contain (`ico`, `nazov`), and whether
/// the table is unreadable without it.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// The header of the column contains one of these words, folded. A header that equals a word
    /// wins over one that contains it.
    pub names: &'static [&'static str],
    /// A table without this column is `malformed`.
    pub required: bool,
}

/// Maximum length of the header line in bytes, longer than that of any register. Stops a file
/// without line ends from being read whole as its first line.
const MAX_HEADER_BYTES: u64 = 64 * 1024;

/// The input with its first line put back after inspection.
type WithHeader<R> = Chain<Cursor<Vec<u8>>, Watched<R>>;

/// What is known about the end of an input.
#[derive(Debug, Clone, Copy)]
struct Tail {
    last_byte: u8,
    is_over: bool,
    quotes: Quotes,
}

/// An input that records whether its last byte is a line end and whether a quote is open: a list
/// cut off within a row has no line end there, or an open quote.
struct Watched<R> {
    input: R,
    tail: Rc<Cell<Tail>>,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let count = self.input.read(into)?;
        let mut tail = self.tail.get();
        let bytes = into.get(..count).unwrap_or_default();
        match bytes.last() {
            Some(last) => tail.last_byte = *last,
            None => tail.is_over = !into.is_empty(),
        }
        tail.quotes.read(bytes);
        self.tail.set(tail);
        Ok(count)
    }
}

/// A table whose columns were located by their headers.
pub struct Table<R> {
    what: String,
    rows: csv::ByteRecordsIntoIter<WithHeader<R>>,
    places: Vec<Option<usize>>,
    width: usize,
    delimiter: u8,
    read: u64,
    tail: Rc<Cell<Tail>>,
}

/// A row with all its cells, in table order.
struct Raw {
    cells: csv::ByteRecord,
    /// The row ends the input without a line end.
    is_cut_off: bool,
}

impl<R: BufRead> Table<R> {
    /// Reads the header line. The delimiter is whichever of `,`, `;` and tab occurs most often in
    /// the header.
    ///
    /// The input is UTF-8 (see [`crate::http::Body::decode`]). `what` names the file in failures.
    ///
    /// # Errors
    /// [`Failure::Malformed`] if a required column is missing, [`Failure::Unavailable`] for an
    /// HTML page.
    pub fn open(what: &str, mut input: R, columns: &[Column]) -> Result<Self, Failure> {
        // A stream may arrive byte by byte, so collect the whole line first. Some HTML pages
        // start with empty lines.
        let mut start = Vec::new();
        loop {
            let left = MAX_HEADER_BYTES.saturating_sub(start.len() as u64);
            let read = input.by_ref().take(left).read_until(b'\n', &mut start);
            let read = read.map_err(|error| http::of_io(what, &error))?;
            if read == 0 || !start.trim_ascii().is_empty() {
                break;
            }
        }
        let line = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&start);
        if line.trim_ascii_start().starts_with(b"<") {
            return Err(Failure::Unavailable(format!(
                "{what} is a page of HTML instead of a table"
            )));
        }
        let count = |delimiter: u8| line.iter().filter(|byte| **byte == delimiter).count();
        let delimiter = [b';', b',', b'\t']
            .into_iter()
            .max_by_key(|delimiter| count(*delimiter))
            .unwrap_or(b',');
        let mut quotes = Quotes::new(delimiter);
        quotes.read(line);
        let tail = Rc::new(Cell::new(Tail {
            last_byte: 0,
            is_over: false,
            quotes,
        }));
        let watched = Watched {
            input,
            tail: Rc::clone(&tail),
        };
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .flexible(true)
            .from_reader(Cursor::new(start).chain(watched));
        let headers = reader
            .byte_headers()
            .map_err(|error| of_csv(what, 0, &error))?
            .clone();
        let folded: Vec<String> = headers
            .iter()
            .map(|header| fold(&String::from_utf8_lossy(header)))
            .collect();
        let mut places = Vec::with_capacity(columns.len());
        for column in columns {
            let equal = folded
                .iter()
                .position(|header| column.names.contains(&header.as_str()));
            let place = equal.or_else(|| {
                folded
                    .iter()
                    .position(|header| column.names.iter().any(|name| header.contains(name)))
            });
            if place.is_none() && column.required {
                return Err(malformed(
                    format!("{what}: header"),
                    format!("a column named like {}", column.names.join(" or ")),
                    folded.join(" | "),
                ));
            }
            places.push(place);
        }
        Ok(Self {
            what: what.to_owned(),
            rows: reader.into_byte_records(),
            places,
            width: folded.len(),
            delimiter,
            read: 0,
            tail,
        })
    }

    /// The next row: the wanted columns in the requested order, an empty text where the row has
    /// none.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for a row with another number of cells than the header and for a
    /// list that ends within a row, or the error that ended the input.
    pub fn next_row(&mut self) -> Result<Option<Vec<String>>, Failure> {
        let Some(row) = self.next_raw()? else {
            return Ok(None);
        };
        if row.cells.len() != self.width {
            return Err(self.other_width(&row));
        }
        Ok(Some(self.wanted(&row)))
    }

    /// The next readable row, for lists that tolerate odd rows. Rows with another number of cells
    /// than the header and rows with undecodable bytes in a wanted cell are skipped and counted
    /// as [`Notes::OTHER_WIDTH`] and [`Notes::UNREADABLE_BYTES`]. Rows that a stray quote joined
    /// are all skipped and counted as [`Notes::OTHER_WIDTH`]. Starts the row in `notes`; call
    /// [`Notes::check_odd_rows`] at the end of the list.
    ///
    /// # Errors
    /// The error that ended the input, and [`Failure::Malformed`] for a list that ends within a
    /// row.
    pub fn next_readable(&mut self, notes: &mut Notes) -> Result<Option<Vec<String>>, Failure> {
        while let Some(row) = self.next_raw()? {
            if row.is_cut_off && row.cells.len() < self.width {
                return Err(self.other_width(&row));
            }
            let joined = joined_rows(row.cells.iter(), self.width, self.delimiter);
            notes.row();
            if row.cells.len() != self.width || joined > 0 {
                notes.odd(Notes::OTHER_WIDTH);
                for _ in 0..joined {
                    notes.row();
                    notes.odd(Notes::OTHER_WIDTH);
                }
                continue;
            }
            let cells = self.wanted(&row);
            if cells.iter().any(|cell| cell.contains('\u{fffd}')) {
                notes.odd(Notes::UNREADABLE_BYTES);
                continue;
            }
            return Ok(Some(cells));
        }
        Ok(None)
    }

    /// The next row that is not blank.
    fn next_raw(&mut self) -> Result<Option<Raw>, Failure> {
        loop {
            let cells = self.rows.next();
            // A complete row is returned before the end of the input is reached.
            let tail = self.tail.get();
            if tail.is_over && tail.quotes.are_open() {
                return Err(malformed(
                    format!("{}: after row {}", self.what, self.read),
                    "whole rows",
                    "a list that ends within a row: a quote is not closed",
                ));
            }
            let Some(cells) = cells else {
                return Ok(None);
            };
            self.read += 1;
            let cells = cells.map_err(|error| of_csv(&self.what, self.read, &error))?;
            let is_blank = cells
                .get(0)
                .is_some_and(|cell| cell.trim_ascii().is_empty());
            if cells.len() == 1 && is_blank {
                continue;
            }
            let is_cut_off = tail.is_over && !matches!(tail.last_byte, b'\n' | b'\r');
            return Ok(Some(Raw { cells, is_cut_off }));
        }
    }

    fn wanted(&self, row: &Raw) -> Vec<String> {
        let cell = |place: &Option<usize>| {
            place
                .and_then(|at| row.cells.get(at))
                .map(|cell| String::from_utf8_lossy(cell).into_owned())
                .unwrap_or_default()
        };
        self.places.iter().map(cell).collect()
    }

    fn other_width(&self, row: &Raw) -> Failure {
        malformed(
            format!("{}: row {}", self.what, self.read),
            format!("{} columns", self.width),
            // Quote the number of cells, not the row, which may contain a person's name.
            format!("{} columns", row.cells.len()),
        )
    }

    /// Number of rows read so far.
    pub fn rows_read(&self) -> u64 {
        self.read
    }
}

fn of_csv(what: &str, row: u64, error: &csv::Error) -> Failure {
    if let csv::ErrorKind::Io(io) = error.kind() {
        return http::of_io(what, io);
    }
    malformed(format!("{what}: row {row}"), "a CSV row", error.to_string())
}

/// Opens a table over bytes in memory; see [`Table::open`].
///
/// # Errors
/// As [`Table::open`].
pub fn of_text<'a>(
    what: &str,
    text: &'a str,
    columns: &[Column],
) -> Result<Table<&'a [u8]>, Failure> {
    Table::open(what, text.as_bytes(), columns)
}

#[cfg(test)]
mod tests;
