//! Reads tables from spreadsheets (CSV or XLSX) by column name.
//!
//! Offices and operators edit such files by hand: titles precede the header, columns move,
//! numbers lose their leading zeros, dates are day counts. Known variants are normalized to text.
//! Anything else fails with the row and the column, so that the supplier of the file can correct
//! it. Failures never quote a cell, because it may contain a name.

mod cells;
mod row;
mod xlsx;

use serde::{Deserialize, Serialize};

use super::charset;
use super::text::fold;
use crate::text::decode_utf8_or_windows_1250;
use crate::{Failure, Notes, malformed};

pub use row::Row;

/// The note for rows with more or fewer cells than the header.
const OTHER_WIDTH: &str = "rows_of_another_width";

/// The note for rows with undecodable bytes in a wanted cell.
const UNREADABLE_BYTES: &str = "rows_with_unreadable_bytes";

/// The header is searched for in this many first rows: titles and dates precede it.
const HEADER_WITHIN: usize = 30;

/// The texts that a column's header may have. Case, diacritics and punctuation do not matter. A
/// header that equals a text wins over a header that contains it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Headers(Vec<String>);

impl Headers {
    /// Headers that match any of these texts.
    #[must_use]
    pub fn of(texts: &[&str]) -> Self {
        Self(texts.iter().map(|text| (*text).to_owned()).collect())
    }

    /// The position of the column in a folded header row. Positions in `taken` are skipped.
    fn place(&self, header: &[String], taken: &[Option<usize>]) -> Option<usize> {
        let names: Vec<String> = self.0.iter().map(|text| fold(text)).collect();
        let free = |place: &usize| !taken.contains(&Some(*place));
        let find = |fits: &dyn Fn(&str, &str) -> bool| {
            let fits = |place: &usize| names.iter().any(|name| fits(&header[*place], name));
            (0..header.len()).filter(free).find(fits)
        };
        find(&|header, name| header == name)
            .or_else(|| find(&|header, name| !name.is_empty() && header.contains(name)))
    }
}

/// A column that a reader wants.
#[derive(Debug, Clone, Copy)]
pub struct Column<'a> {
    /// The name that the reader and failures use.
    pub name: &'static str,
    /// The texts that the table may use in its header.
    pub headers: &'a Headers,
    /// A table without this column is a different table.
    pub required: bool,
}

/// A table that is held in memory.
#[derive(Debug)]
pub struct Sheet {
    what: String,
    names: Vec<&'static str>,
    /// Position of each wanted column, if the table has it.
    places: Vec<Option<usize>>,
    /// Number of cells in the header.
    width: usize,
    rows: Vec<(usize, Vec<String>)>,
}

/// The first bytes of a zip archive, and so of an XLSX workbook.
const ZIP_MAGIC: &[u8] = b"PK\x03\x04";

/// The tables of a file: the sheets of a workbook, or the single table of a CSV file.
fn tables(
    what: &str,
    bytes: &[u8],
    decode: impl Fn(&[u8]) -> String,
) -> Result<Vec<Vec<Vec<String>>>, Failure> {
    if bytes.starts_with(ZIP_MAGIC) {
        return xlsx::tables(what, bytes);
    }
    if bytes.starts_with(b"\xd0\xcf\x11\xe0") {
        let expected = "a table in CSV or XLSX";
        return Err(malformed(what, expected, "a file of Excel before 2007"));
    }
    let text = decode(bytes);
    if text
        .trim_start_matches(['\u{feff}', ' ', '\r', '\n', '\t'])
        .starts_with('<')
    {
        let why = format!("{what} is a page of HTML instead of a table");
        return Err(Failure::Unavailable(why));
    }
    Ok(vec![cells::of_csv(what, &text)?])
}

impl Sheet {
    /// Reads a CSV file (UTF-8 or Windows-1250; delimiter `;`, `,` or tab) or the first XLSX
    /// sheet that has the wanted columns. `what` names the file in failures.
    ///
    /// # Errors
    /// [`Failure::Unavailable`] for an HTML page. [`Failure::Malformed`] for another kind of
    /// file, for a file without the required columns and for a row that is shorter than the
    /// header.
    pub fn read(what: &str, bytes: &[u8], columns: &[Column<'_>]) -> Result<Self, Failure> {
        let tables = tables(what, bytes, decode_utf8_or_windows_1250)?;
        Self::of_tables(what, tables, columns)
    }

    /// Like [`Sheet::read`], for lists that tolerate odd rows. Rows with another number of cells
    /// than the header and rows with undecodable bytes in a wanted cell are skipped and counted
    /// as `rows_of_another_width` and `rows_with_unreadable_bytes`. The skipped rows are started
    /// in `notes`; the caller starts the rows that are returned. Call [`Notes::check_odd_rows`]
    /// for the whole list.
    ///
    /// # Errors
    /// As [`Sheet::read`], but a row fails only if a CSV file ends within it.
    pub fn read_forgiving(
        what: &str,
        bytes: &[u8],
        columns: &[Column<'_>],
        notes: &mut Notes,
    ) -> Result<Self, Failure> {
        let is_cut_off = !bytes.starts_with(ZIP_MAGIC) && !bytes.ends_with(b"\n");
        let tables = tables(what, bytes, charset::decode)?;
        let mut sheet = Self::of_tables_with(what, tables, columns)?;
        if let Some((_, row)) = sheet.rows.last()
            && is_cut_off
            && row.len() < sheet.width
        {
            return sheet.check_widths();
        }
        sheet.leave_out_odd(notes);
        Ok(sheet)
    }

    /// Like [`Sheet::of_tables`], for lists that tolerate odd rows; see
    /// [`Sheet::read_forgiving`].
    ///
    /// # Errors
    /// [`Failure::Malformed`] if no table has the required columns.
    pub fn of_tables_forgiving(
        what: &str,
        tables: Vec<Vec<Vec<String>>>,
        columns: &[Column<'_>],
        notes: &mut Notes,
    ) -> Result<Self, Failure> {
        let mut sheet = Self::of_tables_with(what, tables, columns)?;
        sheet.leave_out_odd(notes);
        Ok(sheet)
    }

    /// Reads the first of several tables (such as those of a page) that has the wanted columns.
    /// Each table is a list of rows; its header is among the first ones.
    ///
    /// # Errors
    /// [`Failure::Malformed`] if no table has the required columns, and for a row that is shorter
    /// than the header.
    pub fn of_tables(
        what: &str,
        tables: Vec<Vec<Vec<String>>>,
        columns: &[Column<'_>],
    ) -> Result<Self, Failure> {
        Self::of_tables_with(what, tables, columns)?.check_widths()
    }

    /// Accepts rows of any width.
    fn of_tables_with(
        what: &str,
        tables: Vec<Vec<Vec<String>>>,
        columns: &[Column<'_>],
    ) -> Result<Self, Failure> {
        let mut nearest = Vec::new();
        for table in tables {
            match Header::find(&table, columns) {
                Ok(header) => return Ok(Self::below(what, columns, table, &header)),
                Err(missing) if nearest.is_empty() || missing.len() < nearest.len() => {
                    nearest = missing;
                }
                Err(_) => {}
            }
        }
        let wanted: Vec<&str> = columns
            .iter()
            .filter(|column| column.required)
            .flat_map(|column| column.headers.0.first())
            .map(String::as_str)
            .collect();
        let found = if nearest.is_empty() {
            "no rows".to_owned()
        } else {
            format!("none for {}", nearest.join(", "))
        };
        let expected = format!("columns named like {}", wanted.join(", "));
        Err(malformed(format!("{what}: header"), expected, found))
    }

    fn below(what: &str, columns: &[Column<'_>], table: Vec<Vec<String>>, header: &Header) -> Self {
        let mut rows = Vec::new();
        for (at, mut row) in table.into_iter().enumerate().skip(header.at + 1) {
            if row.iter().all(String::is_empty) {
                continue;
            }
            while row.len() > header.width && row.last().is_some_and(String::is_empty) {
                row.pop();
            }
            rows.push((at + 1, row));
        }
        Self {
            what: what.to_owned(),
            names: columns.iter().map(|column| column.name).collect(),
            places: header.places.clone(),
            width: header.width,
            rows,
        }
    }

    fn check_widths(self) -> Result<Self, Failure> {
        let odd = self.rows.iter().find(|(_, row)| row.len() != self.width);
        let Some((number, row)) = odd else {
            return Ok(self);
        };
        Err(malformed(
            format!("{}: row {number}", self.what),
            format!("{} columns", self.width),
            format!("{} columns", row.len()),
        ))
    }

    fn leave_out_odd(&mut self, notes: &mut Notes) {
        let (width, places) = (self.width, &self.places);
        let is_damaged = |row: &[String]| {
            let mut wanted = places.iter().flatten().filter_map(|place| row.get(*place));
            wanted.any(|cell| cell.contains('\u{fffd}'))
        };
        self.rows.retain(|(_, row)| {
            let reason = if row.len() != width {
                OTHER_WIDTH
            } else if is_damaged(row) {
                UNREADABLE_BYTES
            } else {
                return true;
            };
            notes.row();
            notes.odd(reason);
            false
        });
    }

    /// The rows below the header that are not empty.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows
            .iter()
            .map(|(number, cells)| Row::of(self, *number, cells))
    }

    /// Whether the table has the column.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.place(name).is_some()
    }

    fn place(&self, name: &str) -> Option<usize> {
        let at = self.names.iter().position(|known| *known == name)?;
        self.places.get(at).copied().flatten()
    }
}

/// Position and columns of a table's header.
struct Header {
    at: usize,
    width: usize,
    places: Vec<Option<usize>>,
}

impl Header {
    /// Finds the first row with all required columns. If there is none, reports the columns
    /// missing from the best row.
    fn find(table: &[Vec<String>], columns: &[Column<'_>]) -> Result<Self, Vec<&'static str>> {
        let mut nearest: Option<Vec<&'static str>> = None;
        for (at, row) in table.iter().enumerate().take(HEADER_WITHIN) {
            let header: Vec<String> = row.iter().map(|cell| fold(cell)).collect();
            let mut places = Vec::new();
            for column in columns {
                let place = column.headers.place(&header, &places);
                places.push(place);
            }
            let missing: Vec<&'static str> = columns
                .iter()
                .zip(&places)
                .filter(|(column, place)| column.required && place.is_none())
                .map(|(column, _)| column.name)
                .collect();
            if missing.is_empty() {
                let width = header.iter().rposition(|cell| !cell.is_empty());
                let width = width.map_or(0, |last| last + 1);
                return Ok(Self { at, width, places });
            }
            if nearest
                .as_ref()
                .is_none_or(|best| missing.len() < best.len())
            {
                nearest = Some(missing);
            }
        }
        Err(nearest.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests;
