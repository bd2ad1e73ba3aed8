//! Tables that clients send and receive: CSV and XLSX.
//!
//! A file becomes rows of texts within bounds that hold before memory is used. [`lines`] finds the registration number
//! or the name in each row. [`csv`] and [`Workbook`] write tables. Invariant: a cell or a row that cannot be read never
//! costs the others.

mod companies;
pub mod csv;
mod delimited;
#[cfg(test)]
mod tests;
mod workbook;
mod written;

pub use companies::{Line, PreferredColumn, Reason, Value, lines};
pub use written::{Workbook, WorkbookError};

use tokio::sync::Semaphore;

/// The first bytes of a ZIP archive, and so of a workbook.
const ZIP_MAGIC: &[u8] = b"PK\x03\x04";

/// Maximum length of a cell that is kept, in characters. Names of companies are shorter.
const MAX_CELL_CHARS: usize = 500;

/// Files that a host reads at the same time. A workbook needs several times its size.
static READING: Semaphore = Semaphore::const_new(2);

/// Limits of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Rows with a value.
    pub rows: usize,
    pub columns: usize,
    /// Cells of all rows, also empty ones between others.
    pub cells: usize,
    /// Bytes of all parts of a workbook after unpacking.
    pub unpacked_bytes: u64,
}

/// A row with at least one value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Number of its first line in a CSV file, or of the row in a workbook; counted from 1.
    pub number: usize,
    pub cells: Vec<String>,
}

/// Why a file was rejected as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    #[error("it is neither a CSV file nor an XLSX workbook")]
    OtherFormat,
    #[error("the workbook is damaged, protected by a password, or not XLSX")]
    Damaged,
    #[error("it has no row with a value")]
    Empty,
    #[error("it has more than {0} rows")]
    TooManyRows(usize),
    #[error("it has more than {0} columns")]
    TooManyColumns(usize),
    #[error("it has more than {0} cells")]
    TooManyCells(usize),
    #[error("the workbook has more than {0} bytes after unpacking")]
    TooLarge(u64),
}

/// The rows of a file. The content decides whether it is a workbook or CSV.
///
/// # Errors
/// A [`FileError`].
pub fn rows(bytes: &[u8], bounds: Bounds) -> Result<Vec<Row>, FileError> {
    let rows = if bytes.starts_with(ZIP_MAGIC) {
        workbook::rows(bytes, bounds)?
    } else {
        delimited::rows(bytes, bounds)?
    };
    if rows.is_empty() {
        return Err(FileError::Empty);
    }
    Ok(rows)
}

/// Reads the lines of a list of companies on a thread of its own.
///
/// # Errors
/// A [`FileError`].
pub async fn read_lines(
    bytes: Vec<u8>,
    bounds: Bounds,
    preferred: PreferredColumn,
) -> Result<Vec<Line>, FileError> {
    let _turn = READING.acquire().await;
    let reading = tokio::task::spawn_blocking(move || {
        let rows = rows(&bytes, bounds)?;
        Ok(lines(&rows, preferred))
    });
    reading.await.unwrap_or_else(|panicked| {
        tracing::warn!(%panicked, "reading a file of a client panicked");
        Err(FileError::Damaged)
    })
}

/// Collects rows and checks the bounds.
struct Collected {
    bounds: Bounds,
    rows: Vec<Row>,
    cells: usize,
}

impl Collected {
    fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            rows: Vec::new(),
            cells: 0,
        }
    }

    /// Adds a row unless all of its cells are empty.
    fn push(&mut self, number: usize, cells: Vec<String>) -> Result<(), FileError> {
        if cells.len() > self.bounds.columns {
            return Err(FileError::TooManyColumns(self.bounds.columns));
        }
        self.cells += cells.len();
        if self.cells > self.bounds.cells {
            return Err(FileError::TooManyCells(self.bounds.cells));
        }
        if cells.iter().all(String::is_empty) {
            return Ok(());
        }
        if self.rows.len() >= self.bounds.rows {
            return Err(FileError::TooManyRows(self.bounds.rows));
        }
        self.rows.push(Row { number, cells });
        Ok(())
    }
}

/// The beginning of a cell's text, without surrounding space.
fn kept(text: &str) -> String {
    text.trim().chars().take(MAX_CELL_CHARS).collect()
}
