//! Reads the cells of an Excel workbook (2007 and later).

use std::io::Cursor;

use calamine::{Data, Reader as _, Xlsx};

use super::{Raw, UNREADABLE};
use crate::{Failure, malformed};

/// All cells of each sheet that has any, row by row. Includes the empty rows above the first used
/// one, so that row numbers are those that Excel shows.
pub(super) fn tables(what: &str, bytes: &[u8]) -> Result<Vec<Raw>, Failure> {
    let broken = |error: calamine::XlsxError| malformed(what, "a workbook", error.to_string());
    let mut workbook = Xlsx::new(Cursor::new(bytes)).map_err(broken)?;
    let mut tables = Vec::new();
    for name in workbook.sheet_names() {
        let range = workbook.worksheet_range(&name).map_err(broken)?;
        let Some((first_row, first_column)) = range.start() else {
            continue;
        };
        let mut rows: Vec<Vec<String>> = vec![Vec::new(); first_row as usize];
        for row in range.rows() {
            let mut cells = vec![String::new(); first_column as usize];
            cells.extend(row.iter().map(text));
            rows.push(cells);
        }
        tables.push(Raw {
            sheet: Some(name),
            rows,
        });
    }
    Ok(tables)
}

/// A cell as text: dates as `YYYY-MM-DD`, whole numbers without a fraction. An error such as
/// `#REF!` is [`UNREADABLE`]: only rows in which the cell is wanted are odd because of it.
fn text(cell: &Data) -> String {
    match cell {
        Data::Empty => String::new(),
        Data::String(text) | Data::DateTimeIso(text) | Data::DurationIso(text) => {
            text.trim().to_owned()
        }
        Data::Int(number) => number.to_string(),
        Data::Float(number) => number.to_string(),
        Data::Bool(value) => if *value { "áno" } else { "nie" }.to_owned(),
        Data::DateTime(moment) if moment.is_datetime() => {
            let (year, month, day, ..) = moment.to_ymd_hms_milli();
            format!("{year:04}-{month:02}-{day:02}")
        }
        Data::DateTime(duration) => duration.as_f64().to_string(),
        Data::Error(_) => UNREADABLE.to_string(),
    }
}
