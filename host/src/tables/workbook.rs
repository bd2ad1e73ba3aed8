//! Reads the cells of an XLSX workbook, with the values that Excel has calculated last for formulas.
//!
//! Every part of the archive is unpacked and counted first, because the sizes in an archive may be wrong. Cells are
//! read one by one: a sheet whose only cells are its first and its last one would fill the memory as a whole.

use std::io::{Cursor, Read, sink};

use calamine::{DataRef, Reader as _, Xlsx};
use zip::ZipArchive;

use super::{Bounds, Collected, FileError, Row, kept};

/// Maximum parts of an archive. A workbook has a few for each sheet.
const MAX_PARTS: usize = 2_000;

/// The rows of the first sheet with a value.
pub(super) fn rows(bytes: &[u8], bounds: Bounds) -> Result<Vec<Row>, FileError> {
    check_size(bytes, bounds.unpacked_bytes)?;
    let damaged = |error: calamine::XlsxError| {
        tracing::debug!(%error, "a client's workbook cannot be read");
        FileError::Damaged
    };
    let mut workbook = Xlsx::new(Cursor::new(bytes)).map_err(damaged)?;
    for name in workbook.sheet_names() {
        // Sheets with a chart only have no cells.
        let Ok(mut cells) = workbook.worksheet_cells_reader(&name) else {
            continue;
        };
        let mut sheet = Sheet::new(bounds);
        while let Some(cell) = cells.next_cell().map_err(damaged)? {
            sheet.push(cell.get_position(), &text(cell.get_value()))?;
        }
        let rows = sheet.end()?;
        if !rows.is_empty() {
            return Ok(rows);
        }
    }
    Ok(Vec::new())
}

/// Unpacks an archive to count its bytes.
fn check_size(bytes: &[u8], most: u64) -> Result<(), FileError> {
    let broken = |_error| FileError::Damaged;
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
    if archive.len() > MAX_PARTS {
        return Err(FileError::Damaged);
    }
    let mut left = most;
    for number in 0..archive.len() {
        let part = archive.by_index(number).map_err(broken)?;
        let read = std::io::copy(&mut part.take(left.saturating_add(1)), &mut sink());
        let read = read.map_err(|_damaged| FileError::Damaged)?;
        left = left.checked_sub(read).ok_or(FileError::TooLarge(most))?;
    }
    Ok(())
}

/// The rows of a sheet, from its cells in order.
struct Sheet {
    rows: Collected,
    /// Index of the current row.
    row: u32,
    cells: Vec<String>,
    /// Bytes of texts. Cells may share one long text.
    left: u64,
}

impl Sheet {
    fn new(bounds: Bounds) -> Self {
        Self {
            left: bounds.unpacked_bytes,
            rows: Collected::new(bounds),
            row: 0,
            cells: Vec::new(),
        }
    }

    fn push(&mut self, (row, column): (u32, u32), text: &str) -> Result<(), FileError> {
        if text.is_empty() {
            return Ok(());
        }
        let bounds = self.rows.bounds;
        let column = usize::try_from(column).unwrap_or(usize::MAX);
        if column >= bounds.columns {
            return Err(FileError::TooManyColumns(bounds.columns));
        }
        if row != self.row {
            self.end_row()?;
            self.row = row;
        }
        if self.cells.len() <= column {
            self.cells.resize(column + 1, String::new());
        }
        let text = kept(text);
        let left = self.left.checked_sub(text.len() as u64);
        self.left = left.ok_or(FileError::TooLarge(bounds.unpacked_bytes))?;
        self.cells[column] = text;
        Ok(())
    }

    fn end_row(&mut self) -> Result<(), FileError> {
        let number = usize::try_from(self.row).unwrap_or(usize::MAX);
        let cells = std::mem::take(&mut self.cells);
        self.rows.push(number.saturating_add(1), cells)
    }

    fn end(mut self) -> Result<Vec<Row>, FileError> {
        self.end_row()?;
        Ok(self.rows.rows)
    }
}

/// A cell as text: whole numbers without a fraction, errors such as `#REF!` as they are shown.
fn text(cell: &DataRef<'_>) -> String {
    match cell {
        DataRef::Empty => String::new(),
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => {
            text.clone()
        }
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => number.to_string(),
        DataRef::Bool(value) => value.to_string(),
        DataRef::DateTime(moment) => moment.as_f64().to_string(),
        DataRef::Error(error) => error.to_string(),
    }
}
