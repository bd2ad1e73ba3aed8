//! Reads the cells of an Excel workbook (2007 and later).

use std::io::Cursor;

use calamine::{Data, Reader as _, Xlsx};

use crate::{Failure, malformed};

/// All cells of each sheet, row by row. Includes the empty rows above the first used one, so that
/// row numbers are those that Excel shows.
pub(super) fn tables(what: &str, bytes: &[u8]) -> Result<Vec<Vec<Vec<String>>>, Failure> {
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
            for cell in row {
                let place = || format!("{what}: {name}: row {}", rows.len() + 1);
                cells.push(text(cell).ok_or_else(|| malformed(place(), "a value", "an error"))?);
            }
            rows.push(cells);
        }
        tables.push(rows);
    }
    Ok(tables)
}

/// A cell as text: dates as `YYYY-MM-DD`, whole numbers without a fraction. `None` for an error
/// such as `#REF!`.
fn text(cell: &Data) -> Option<String> {
    Some(match cell {
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
        Data::Error(_) => return None,
    })
}
