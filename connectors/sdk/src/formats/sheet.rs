//! Tables that somebody keeps in a spreadsheet, as CSV or XLSX, read by the names of their columns.
//!
//! Such files come from offices and operators: titles stand above the header, columns change places, numbers have lost
//! their zeros, dates are counted in days. What is understood is given as text in one form; whatever is not fails with
//! the row and the column, so that whoever supplied the file can mend it. No failure quotes a cell, which may be a name.

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

/// The note for rows with bytes that are no text in a wanted cell.
const UNREADABLE_BYTES: &str = "rows_with_unreadable_bytes";

/// In how many of the first rows a header is looked for: titles and dates stand above it.
const HEADER_WITHIN: usize = 30;

/// The texts that a column's header may have. Case, diacritics and punctuation make no difference; a header that equals
/// one wins over a header that contains it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Headers(Vec<String>);

impl Headers {
    /// These texts.
    #[must_use]
    pub fn of(texts: &[&str]) -> Self {
        Self(texts.iter().map(|text| (*text).to_owned()).collect())
    }

    /// The place of the column in a folded header row. A column that another one took already is not taken again.
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
    /// What the reader calls it; failures name it so.
    pub name: &'static str,
    /// What the table may call it.
    pub headers: &'a Headers,
    /// Without it the table is another one.
    pub required: bool,
}

/// A table that was read whole.
#[derive(Debug)]
pub struct Sheet {
    what: String,
    names: Vec<&'static str>,
    /// Of each wanted column its place, where the table has it.
    places: Vec<Option<usize>>,
    /// How many cells the header has.
    width: usize,
    rows: Vec<(usize, Vec<String>)>,
}

/// What a workbook begins with.
const ZIP_MAGIC: &[u8] = b"PK\x03\x04";

/// The tables of a file: the sheets of a workbook, or the one of a CSV.
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
    /// Reads a file in CSV (UTF-8 or Windows-1250; `;`, `,` or tabs) or XLSX, of whose sheets the first with the wanted
    /// columns is taken. `what` names the file in failures.
    ///
    /// # Errors
    /// [`Failure::Unavailable`] for a page of HTML, [`Failure::Malformed`] for another kind of file, for one without the
    /// required columns and for a row that is shorter than the header.
    pub fn read(what: &str, bytes: &[u8], columns: &[Column<'_>]) -> Result<Self, Failure> {
        let tables = tables(what, bytes, decode_utf8_or_windows_1250)?;
        Self::of_tables(what, tables, columns)
    }

    /// The same for lists that forgive odd rows: rows of another width and rows with unreadable bytes in a wanted cell
    /// are left out and counted, `rows_of_another_width` and `rows_with_unreadable_bytes`. Those rows are begun in
    /// `notes`; the rows that are given are for the caller to begin. [`Notes::check_odd_rows`] judges the whole list.
    ///
    /// # Errors
    /// As [`Sheet::read`], but for rows only where a CSV file ends within one.
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

    /// [`Sheet::of_tables`] for lists that forgive odd rows, as [`Sheet::read_forgiving`].
    ///
    /// # Errors
    /// [`Failure::Malformed`] where no table has the required columns.
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

    /// Reads the first of several tables, such as those of a page, that has the wanted columns: each row by row, its
    /// header among the first rows.
    ///
    /// # Errors
    /// [`Failure::Malformed`] where none has the required columns, and for a row that is shorter than the header.
    pub fn of_tables(
        what: &str,
        tables: Vec<Vec<Vec<String>>>,
        columns: &[Column<'_>],
    ) -> Result<Self, Failure> {
        Self::of_tables_with(what, tables, columns)?.check_widths()
    }

    /// With rows of any width.
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

/// Where the header of a table is, and what it has.
struct Header {
    at: usize,
    width: usize,
    places: Vec<Option<usize>>,
}

impl Header {
    /// The first row with all required columns; else those that the best row lacks.
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
