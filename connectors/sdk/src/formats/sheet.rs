//! Reads tables from spreadsheets (CSV or XLSX) by column name.
//!
//! Offices and operators edit such files by hand: titles precede the header, columns move,
//! numbers lose their leading zeros, dates are day counts, a list continues in another sheet.
//! Known variants are normalized to text. Anything else fails with the row and the column, so that
//! the supplier of the file can correct it. Failures never quote a cell, because it may contain a
//! name.

mod cells;
mod header;
mod row;
mod xlsx;

use self::header::Header;
use super::charset;
use crate::text::decode_utf8_or_windows_1250;
use crate::{Failure, Notes, malformed};

pub use header::{Column, Headers};
pub use row::Row;

/// The note for sheets of a workbook that have cells, but not the required columns.
const OTHER_SHEETS: &str = "sheets_without_required_columns";

/// Stands for undecodable bytes, and for an error in a workbook's cell such as `#N/A`.
const UNREADABLE: char = '\u{fffd}';

/// The rows of those tables of a file that have the wanted columns, held in memory.
#[derive(Debug)]
pub struct Sheet {
    names: Vec<&'static str>,
    tables: Vec<Table>,
}

/// A row without its column names: its number in the table, counted from 1, and its cells.
type Numbered = (usize, Vec<String>);

/// One table of a file, without the rows down to its header.
#[derive(Debug)]
struct Table {
    /// The name of the file for failures, and of the sheet if rows of several are read.
    what: String,
    header: Header,
    rows: Vec<Numbered>,
    /// Rows that are left out because a wanted cell is unreadable.
    unreadable: Vec<Numbered>,
}

/// All rows of a table.
struct Raw {
    /// The name of the sheet. A CSV file and a page have none.
    sheet: Option<String>,
    rows: Vec<Vec<String>>,
}

/// The first bytes of a zip archive, and so of an XLSX workbook.
const ZIP_MAGIC: &[u8] = b"PK\x03\x04";

/// The tables of a file: the sheets of a workbook, or the single table of a CSV file.
fn tables(what: &str, bytes: &[u8], decode: impl Fn(&[u8]) -> String) -> Result<Vec<Raw>, Failure> {
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
    let rows = cells::of_csv(what, &text)?;
    Ok(vec![Raw { sheet: None, rows }])
}

impl Sheet {
    /// Reads a CSV file (UTF-8 or Windows-1250; delimiter `;`, `,` or tab), or all XLSX sheets
    /// that have the required columns, each below its own header. `what` names the file in
    /// failures.
    ///
    /// # Errors
    /// [`Failure::Unavailable`] for an HTML page. [`Failure::Malformed`] for another kind of
    /// file, for a file without the required columns, for a row that is shorter than the header
    /// and for an error such as `#N/A` in a wanted cell.
    pub fn read(what: &str, bytes: &[u8], columns: &[Column<'_>]) -> Result<Self, Failure> {
        let tables = tables(what, bytes, decode_utf8_or_windows_1250)?;
        Self::find(what, tables, columns, usize::MAX)?.checked()
    }

    /// Like [`Sheet::read`], for lists that tolerate odd rows. Rows with another number of cells
    /// than the header and rows with undecodable bytes or an error such as `#N/A` in a wanted
    /// cell are skipped and counted as [`Notes::OTHER_WIDTH`] and [`Notes::UNREADABLE_BYTES`].
    /// The skipped rows are started in `notes`; the caller starts the rows that are returned.
    /// Call [`Notes::check_odd_rows`] for the whole list. Sheets of a workbook without the
    /// required columns are counted as `sheets_without_required_columns`.
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
        let count = tables.len();
        let mut sheet = Self::find(what, tables, columns, usize::MAX)?;
        if let Some(table) = sheet.tables.last()
            && let Some((number, row)) = table.rows.last()
            && is_cut_off
            && row.len() < table.header.width
        {
            return Err(table.other_width(*number, row));
        }
        notes.count_many(OTHER_SHEETS, (count - sheet.tables.len()) as u64);
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
        let mut sheet = Self::find(what, of_page(tables), columns, 1)?;
        sheet.leave_out_odd(notes);
        Ok(sheet)
    }

    /// Reads the first of several tables of a page that has the wanted columns; a page may repeat
    /// a table within another one. Each table is a list of rows; its header is among the first
    /// ones.
    ///
    /// # Errors
    /// [`Failure::Malformed`] if no table has the required columns, and for a row that is shorter
    /// than the header.
    pub fn of_tables(
        what: &str,
        tables: Vec<Vec<Vec<String>>>,
        columns: &[Column<'_>],
    ) -> Result<Self, Failure> {
        Self::find(what, of_page(tables), columns, 1)?.checked()
    }

    /// Takes the first `most` tables that have the required columns, with rows of any width.
    fn find(
        what: &str,
        raw: impl IntoIterator<Item = Raw>,
        columns: &[Column<'_>],
        most: usize,
    ) -> Result<Self, Failure> {
        let (mut nearest, mut found) = (Vec::new(), Vec::new());
        for Raw { sheet, rows } in raw {
            match Header::find(&rows, columns) {
                Ok(header) => found.push((sheet, Table::below(what, header, rows))),
                Err(missing) if nearest.is_empty() || missing.len() < nearest.len() => {
                    nearest = missing;
                }
                Err(_) => {}
            }
            if found.len() == most {
                break;
            }
        }
        if found.is_empty() {
            return Err(no_columns(what, columns, &nearest));
        }
        let has_several = found.len() > 1;
        let named = |(sheet, mut table): (Option<String>, Table)| {
            if let Some(sheet) = sheet.filter(|_| has_several) {
                table.what = format!("{what}: {sheet}");
            }
            table
        };
        Ok(Self {
            names: columns.iter().map(|column| column.name).collect(),
            tables: found.into_iter().map(named).collect(),
        })
    }

    fn checked(self) -> Result<Self, Failure> {
        for table in &self.tables {
            table.check(&self.names)?;
        }
        Ok(self)
    }

    fn leave_out_odd(&mut self, notes: &mut Notes) {
        for table in &mut self.tables {
            table.leave_out_odd(notes);
        }
    }

    /// The rows below the headers that are not empty.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.tables.iter().flat_map(|table| {
            let rows = table.rows.iter();
            rows.map(|(number, cells)| Row::of(self, table, *number, cells))
        })
    }

    /// The rows that were left out, and are already counted, because a wanted cell is unreadable.
    /// Other cells of these rows may be read, such as the registration number of a company that
    /// must not count as not listed.
    pub fn unreadable_rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.tables.iter().flat_map(|table| {
            let rows = table.unreadable.iter();
            rows.map(|(number, cells)| Row::of(self, table, *number, cells))
        })
    }

    /// Whether a table has the column.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        let mut tables = self.tables.iter();
        tables.any(|table| self.place(table, name).is_some())
    }

    fn place(&self, table: &Table, name: &str) -> Option<usize> {
        let at = self.names.iter().position(|known| *known == name)?;
        table.header.places.get(at).copied().flatten()
    }
}

impl Table {
    fn below(what: &str, header: Header, all: Vec<Vec<String>>) -> Self {
        let mut rows = Vec::new();
        for (at, mut row) in all.into_iter().enumerate().skip(header.at + 1) {
            if row.iter().all(String::is_empty) {
                continue;
            }
            // Nobody wants a cell beside the table, so an error there does not make the row odd.
            let is_no_text = |cell: &String| cell.chars().all(|letter| letter == UNREADABLE);
            while row.len() > header.width && row.last().is_some_and(is_no_text) {
                row.pop();
            }
            rows.push((at + 1, row));
        }
        Self {
            what: what.to_owned(),
            header,
            rows,
            unreadable: Vec::new(),
        }
    }

    /// The place of the first wanted column whose cell is unreadable.
    fn unreadable_column(&self, row: &[String]) -> Option<usize> {
        let is_unreadable = |place: &Option<usize>| {
            let cell = place.and_then(|place| row.get(place));
            cell.is_some_and(|cell| cell.contains(UNREADABLE))
        };
        self.header.places.iter().position(is_unreadable)
    }

    fn check(&self, names: &[&str]) -> Result<(), Failure> {
        for (number, row) in &self.rows {
            if row.len() != self.header.width {
                return Err(self.other_width(*number, row));
            }
            if let Some(column) = self.unreadable_column(row) {
                let name = names.get(column).copied().unwrap_or_default();
                let place = format!("{}: row {number}: {name}", self.what);
                return Err(malformed(place, "a value", "an error or undecodable bytes"));
            }
        }
        Ok(())
    }

    fn other_width(&self, number: usize, row: &[String]) -> Failure {
        malformed(
            format!("{}: row {number}", self.what),
            format!("{} columns", self.header.width),
            format!("{} columns", row.len()),
        )
    }

    fn leave_out_odd(&mut self, notes: &mut Notes) {
        for (number, row) in std::mem::take(&mut self.rows) {
            if row.len() != self.header.width {
                notes.row();
                notes.odd(Notes::OTHER_WIDTH);
            } else if self.unreadable_column(&row).is_some() {
                notes.row();
                notes.odd(Notes::UNREADABLE_BYTES);
                self.unreadable.push((number, row));
            } else {
                self.rows.push((number, row));
            }
        }
    }
}

/// The tables of a page, which have no names.
fn of_page(tables: Vec<Vec<Vec<String>>>) -> impl Iterator<Item = Raw> {
    let raw = |rows| Raw { sheet: None, rows };
    tables.into_iter().map(raw)
}

/// The failure for a file none of whose tables has the required columns. `missing` are those that
/// the best one lacks.
fn no_columns(what: &str, columns: &[Column<'_>], missing: &[&str]) -> Failure {
    let wanted: Vec<&str> = columns
        .iter()
        .filter(|column| column.required)
        .flat_map(|column| column.headers.0.first())
        .map(String::as_str)
        .collect();
    let found = if missing.is_empty() {
        "no rows".to_owned()
    } else {
        format!("none for {}", missing.join(", "))
    };
    let expected = format!("columns named like {}", wanted.join(", "));
    malformed(format!("{what}: header"), expected, found)
}

#[cfg(test)]
mod tests;
