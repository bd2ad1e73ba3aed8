//! Writes a table as an XLSX workbook, row by row into a temporary file.

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::path::Path;

use rust_xlsxwriter::{Format, XlsxError};
use time::Date;

use super::csv::Cell;

/// Maximum characters of a cell in Excel.
const MAX_CHARS: usize = 32_767;

/// Excel counts days from here. Its day 60, 29 February 1900, never was, so counts fit from March 1900 on.
const FIRST_DAY: Date = time::macros::date!(1899 - 12 - 30);
const FIRST_COUNTED: Date = time::macros::date!(1900 - 03 - 01);

/// Why a workbook could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WorkbookError {
    #[error(transparent)]
    Workbook(#[from] XlsxError),
    #[error(transparent)]
    File(#[from] io::Error),
}

/// A workbook of one sheet.
pub struct Workbook {
    book: rust_xlsxwriter::Workbook,
    day: Format,
    head: Format,
    row: u32,
}

impl Workbook {
    /// An empty workbook whose temporary file is in this directory.
    ///
    /// # Errors
    /// The directory cannot be written to.
    pub fn new(directory: &Path) -> Result<Self, WorkbookError> {
        let mut book = rust_xlsxwriter::Workbook::new();
        book.set_tempdir(directory)?;
        book.add_worksheet_with_constant_memory()?;
        Ok(Self {
            book,
            day: Format::new().set_num_format("yyyy-mm-dd"),
            head: Format::new().set_bold(),
            row: 0,
        })
    }

    /// Appends a row of bold titles.
    ///
    /// # Errors
    /// The workbook has too many rows or columns, or the disk is full.
    pub fn append_head<'a>(
        &mut self,
        titles: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), WorkbookError> {
        let sheet = self.book.worksheet_from_index(0)?;
        for (column, title) in (0..).zip(titles) {
            sheet.write_string_with_format(self.row, column, title, &self.head)?;
        }
        self.row += 1;
        Ok(())
    }

    /// Appends a row. Texts are never formulas.
    ///
    /// # Errors
    /// The same as of [`Self::append_head`].
    pub fn append_row<'a>(
        &mut self,
        cells: impl IntoIterator<Item = Cell<'a>>,
    ) -> Result<(), WorkbookError> {
        let (sheet, row) = (self.book.worksheet_from_index(0)?, self.row);
        for (column, cell) in (0..).zip(cells) {
            match cell {
                Cell::Empty => continue,
                Cell::Text(text) => {
                    let text: String = text.chars().take(MAX_CHARS).collect();
                    sheet.write_string(row, column, text)?
                }
                // Excel keeps 15 digits.
                Cell::Number(number) if number.unsigned_abs() >= 1_000_000_000_000_000 => {
                    sheet.write_string(row, column, number.to_string())?
                }
                Cell::Number(number) => sheet.write_number(row, column, as_decimal(number))?,
                Cell::Decimal(number) => sheet.write_number(row, column, number)?,
                Cell::Truth(value) => sheet.write_boolean(row, column, value)?,
                Cell::Day(day) if day >= FIRST_COUNTED => {
                    let days = as_decimal((day - FIRST_DAY).whole_days());
                    sheet.write_number_with_format(row, column, days, &self.day)?
                }
                Cell::Day(day) => sheet.write_string(row, column, crate::clock::iso_date(day))?,
            };
        }
        self.row += 1;
        Ok(())
    }

    /// Writes the workbook to a file and returns it, to be read from its beginning.
    ///
    /// # Errors
    /// The disk is full.
    pub fn finish(mut self, mut file: File) -> Result<File, WorkbookError> {
        self.book.save_to_writer(&mut file)?;
        file.seek(SeekFrom::Start(0))?;
        Ok(file)
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "numbers below 10^15 are exact as a decimal"
)]
fn as_decimal(number: i64) -> f64 {
    number as f64
}
