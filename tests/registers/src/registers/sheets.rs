//! Tables in the formats of offices and operators: CSV and workbooks.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use rust_xlsxwriter::{ExcelDateTime, Format, Workbook, XlsxError};
use time::Date;

use crate::population::calendar::Dotted;

#[derive(Debug, Clone)]
pub(crate) enum Cell {
    /// A text, possibly empty.
    Text(String),
    /// A number in a spreadsheet, which loses leading zeros.
    Number(f64),
    Day(Option<Date>),
}

/// A text cell from any value.
pub(crate) fn text(text: impl Into<String>) -> Cell {
    Cell::Text(text.into())
}

/// A table with a title above its header.
#[derive(Debug, Clone, Default)]
pub(crate) struct Table {
    /// The line above the header, possibly empty.
    pub(crate) title: String,
    pub(crate) header: Vec<&'static str>,
    pub(crate) rows: Vec<Vec<Cell>>,
}

impl Table {
    /// The table as CSV in UTF-8 with byte order mark and semicolons, the format of Excel in Slovakia.
    pub(crate) fn csv(&self) -> Response {
        let mut csv = String::from("\u{feff}");
        if !self.title.is_empty() {
            csv.push_str(&line([self.title.clone()].into_iter()));
        }
        csv.push_str(&line(self.header.iter().map(|name| (*name).to_owned())));
        for row in &self.rows {
            csv.push_str(&line(row.iter().map(|cell| match cell {
                Cell::Text(text) => text.clone(),
                Cell::Number(number) => number.to_string().replace('.', ","),
                Cell::Day(day) => day.map(|day| Dotted(day).to_string()).unwrap_or_default(),
            })));
        }
        ([(header::CONTENT_TYPE, "text/csv; charset=utf-8")], csv).into_response()
    }

    /// The table as a workbook, with native days and numbers.
    pub(crate) fn xlsx(&self) -> Response {
        const KIND: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
        match self.workbook() {
            Ok(bytes) => ([(header::CONTENT_TYPE, KIND)], bytes).into_response(),
            Err(error) => {
                tracing::error!(%error, "generating the workbook failed");
                StatusCode::INTERNAL_SERVER_ERROR.into_response()
            }
        }
    }

    fn workbook(&self) -> Result<Vec<u8>, XlsxError> {
        let mut workbook = Workbook::new();
        let sheet = workbook.add_worksheet();
        let days = Format::new().set_num_format("dd.mm.yyyy");
        let mut at = 0;
        if !self.title.is_empty() {
            sheet.write(at, 0, &self.title)?;
            at += 2;
        }
        for (column, name) in (0..).zip(&self.header) {
            sheet.write(at, column, *name)?;
        }
        for row in &self.rows {
            at += 1;
            for (column, cell) in (0..).zip(row) {
                match cell {
                    Cell::Text(text) if text.is_empty() => {}
                    Cell::Text(text) => drop(sheet.write(at, column, text)?),
                    Cell::Number(number) => drop(sheet.write(at, column, *number)?),
                    Cell::Day(None) => {}
                    Cell::Day(Some(day)) => {
                        let (year, month, day) = day.to_calendar_date();
                        let year = u16::try_from(year).unwrap_or_default();
                        let day = ExcelDateTime::from_ymd(year, u8::from(month), day)?;
                        sheet.write_with_format(at, column, &day, &days)?;
                    }
                }
            }
        }
        workbook.save_to_buffer()
    }
}

/// A CSV line, with quotes where a cell requires them.
fn line(cells: impl Iterator<Item = String>) -> String {
    let quoted = cells.map(|cell| {
        if cell.contains(['"', ';', '\n']) {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell
        }
    });
    let mut line = quoted.collect::<Vec<_>>().join(";");
    line.push_str("\r\n");
    line
}
