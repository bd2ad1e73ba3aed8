//! Tables that somebody keeps in a spreadsheet, as CSV or XLSX, read by the names of their columns.
//!
//! Such files come from offices and operators: titles stand above the header, columns change places, numbers have lost
//! their zeros, dates are counted in days. What is understood is given as text in one form; whatever is not fails with
//! the row and the column, so that whoever supplied the file can mend it. No failure quotes a cell, which may be a name.

mod cells;
mod xlsx;

use serde::{Deserialize, Serialize};

use super::text::{fold, squeeze};
use super::{amount, date, ico};
use crate::text::decode_utf8_or_windows_1250;
use crate::{Failure, malformed};

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
    rows: Vec<(usize, Vec<String>)>,
}

impl Sheet {
    /// Reads a file in CSV (UTF-8 or Windows-1250; `;`, `,` or tabs) or XLSX, of whose sheets the first with the wanted
    /// columns is taken. `what` names the file in failures.
    ///
    /// # Errors
    /// [`Failure::Unavailable`] for a page of HTML, [`Failure::Malformed`] for another kind of file, for one without the
    /// required columns and for a row that is shorter than the header.
    pub fn read(what: &str, bytes: &[u8], columns: &[Column<'_>]) -> Result<Self, Failure> {
        let tables = if bytes.starts_with(b"PK\x03\x04") {
            xlsx::tables(what, bytes)?
        } else if bytes.starts_with(b"\xd0\xcf\x11\xe0") {
            let expected = "a table in CSV or XLSX";
            return Err(malformed(what, expected, "a file of Excel before 2007"));
        } else {
            let text = decode_utf8_or_windows_1250(bytes);
            if text
                .trim_start_matches(['\u{feff}', ' ', '\r', '\n', '\t'])
                .starts_with('<')
            {
                let why = format!("{what} is a page of HTML instead of a table");
                return Err(Failure::Unavailable(why));
            }
            vec![cells::of_csv(what, &text)?]
        };
        Self::of_tables(what, tables, columns)
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
        let mut nearest = Vec::new();
        for table in tables {
            match Header::find(&table, columns) {
                Ok(header) => return Self::below(what, columns, table, &header),
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

    fn below(
        what: &str,
        columns: &[Column<'_>],
        table: Vec<Vec<String>>,
        header: &Header,
    ) -> Result<Self, Failure> {
        let mut rows = Vec::new();
        for (at, mut row) in table.into_iter().enumerate().skip(header.at + 1) {
            if row.iter().all(String::is_empty) {
                continue;
            }
            while row.len() > header.width && row.last().is_some_and(String::is_empty) {
                row.pop();
            }
            if row.len() != header.width {
                return Err(malformed(
                    format!("{what}: row {}", at + 1),
                    format!("{} columns", header.width),
                    format!("{} columns", row.len()),
                ));
            }
            rows.push((at + 1, row));
        }
        Ok(Self {
            what: what.to_owned(),
            names: columns.iter().map(|column| column.name).collect(),
            places: header.places.clone(),
            rows,
        })
    }

    /// The rows below the header that are not empty.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|(number, cells)| Row {
            sheet: self,
            number: *number,
            cells,
        })
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

/// A row of a table.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    sheet: &'a Sheet,
    number: usize,
    cells: &'a [String],
}

impl<'a> Row<'a> {
    /// Its number in the file, counted from 1.
    #[must_use]
    pub fn number(&self) -> usize {
        self.number
    }

    /// The place of a cell, for failures: `list: row 7: valid_to`.
    #[must_use]
    pub fn at(&self, name: &str) -> String {
        format!("{}: row {}: {name}", self.sheet.what, self.number)
    }

    /// The failure that a cell is something else than expected.
    #[must_use]
    pub fn wrong(&self, name: &str, expected: &str) -> Failure {
        let found = match self.cell(name) {
            "" => "nothing".to_owned(),
            cell => format!("another text of {} characters", cell.chars().count()),
        };
        malformed(self.at(name), expected, found)
    }

    /// Whether the table has the column.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.sheet.has(name)
    }

    /// A cell as it stands, empty where there is none.
    #[must_use]
    pub fn cell(&self, name: &str) -> &'a str {
        let place = self.sheet.place(name);
        place
            .and_then(|place| self.cells.get(place))
            .map_or("", String::as_str)
    }

    /// A text on one line; none where the cell is empty or a dash.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<String> {
        let text = squeeze(self.cell(name));
        (!text.is_empty() && !["-", "–", "—"].contains(&text.as_str())).then_some(text)
    }

    /// A text that must be there.
    ///
    /// # Errors
    /// [`Failure::Malformed`] where it is not.
    pub fn required(&self, name: &str) -> Result<String, Failure> {
        self.text(name).ok_or_else(|| self.wrong(name, "a text"))
    }

    /// A registration number in the canonical form; none where the cell is empty. A spreadsheet drops the zeros that a
    /// number begins with, however many there are.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for something else.
    pub fn ico(&self, name: &str) -> Result<Option<String>, Failure> {
        self.read(name, "an IČO", |text| {
            let is_number = text.len() < 8 && text.bytes().all(|byte| byte.is_ascii_digit());
            ico::parse(text).or_else(|| ico::parse(&format!("{text:0>8}")).filter(|_| is_number))
        })
    }

    /// A day as `YYYY-MM-DD`; none where the cell is empty.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for something else.
    pub fn date(&self, name: &str) -> Result<Option<String>, Failure> {
        self.read(name, "a date", date::parse)
    }

    /// An amount as decimal text; none where the cell is empty.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for something else.
    pub fn amount(&self, name: &str) -> Result<Option<String>, Failure> {
        self.read(name, "an amount", amount::parse)
    }

    /// A whole number; none where the cell is empty.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for something else.
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

#[cfg(test)]
mod tests;
