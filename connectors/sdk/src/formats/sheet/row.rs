//! A table row, read by column name.

use super::{Sheet, Table};
use crate::formats::text::squeeze;
use crate::formats::{amount, date, ico};
use crate::{Failure, malformed};

/// A row of a table.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    sheet: &'a Sheet,
    table: &'a Table,
    number: usize,
    cells: &'a [String],
}

impl<'a> Row<'a> {
    pub(super) fn of(
        sheet: &'a Sheet,
        table: &'a Table,
        number: usize,
        cells: &'a [String],
    ) -> Self {
        Self {
            sheet,
            table,
            number,
            cells,
        }
    }

    /// Row number in the file or in the sheet of a workbook, counted from 1.
    #[must_use]
    pub fn number(&self) -> usize {
        self.number
    }

    /// The position of a cell for failures: `list: row 7: valid_to`, or `list: Hárok2: row 7:
    /// valid_to` if rows of several sheets are read.
    #[must_use]
    pub fn at(&self, name: &str) -> String {
        format!("{}: row {}: {name}", self.table.what, self.number)
    }

    /// The failure for a cell with an unexpected value.
    #[must_use]
    pub fn wrong(&self, name: &str, expected: &str) -> Failure {
        let found = match self.cell(name) {
            "" => "nothing".to_owned(),
            cell => format!("another text of {} characters", cell.chars().count()),
        };
        malformed(self.at(name), expected, found)
    }

    /// Whether the table with the row has the column.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.sheet.place(self.table, name).is_some()
    }

    /// The raw text of a cell, empty if the cell is missing.
    #[must_use]
    pub fn cell(&self, name: &str) -> &'a str {
        let place = self.sheet.place(self.table, name);
        place
            .and_then(|place| self.cells.get(place))
            .map_or("", String::as_str)
    }

    /// A text on one line. `None` if the cell is empty or a dash.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<String> {
        let text = squeeze(self.cell(name));
        (!text.is_empty() && !["-", "–", "—"].contains(&text.as_str())).then_some(text)
    }

    /// A required text.
    ///
    /// # Errors
    /// [`Failure::Malformed`] if the cell is empty.
    pub fn required(&self, name: &str) -> Result<String, Failure> {
        self.text(name).ok_or_else(|| self.wrong(name, "a text"))
    }

    /// A registration number in canonical form. `None` if the cell is empty. Restores any number
    /// of leading zeros, because spreadsheets drop them.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for any other text.
    pub fn ico(&self, name: &str) -> Result<Option<String>, Failure> {
        self.read(name, "an IČO", |text| {
            let is_number = text.len() < 8 && text.bytes().all(|byte| byte.is_ascii_digit());
            ico::parse(text).or_else(|| ico::parse(&format!("{text:0>8}")).filter(|_| is_number))
        })
    }

    /// A day as `YYYY-MM-DD`. `None` if the cell is empty.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for any other text.
    pub fn date(&self, name: &str) -> Result<Option<String>, Failure> {
        self.read(name, "a date", date::parse)
    }

    /// An amount as decimal text. `None` if the cell is empty.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for any other text.
    pub fn amount(&self, name: &str) -> Result<Option<String>, Failure> {
        self.read(name, "an amount", amount::parse)
    }

    /// A whole number. `None` if the cell is empty.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for any other text.
    pub fn count(&self, name: &str) -> Result<Option<u64>, Failure> {
        let digits = |text: &str| text.replace([' ', '\u{a0}'], "").parse().ok();
        self.read(name, "a whole number", digits)
    }

    fn read<T>(
        &self,
        name: &str,
        expected: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, Failure> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        let parsed = parse(&text);
        parsed.map(Some).ok_or_else(|| self.wrong(name, expected))
    }
}
