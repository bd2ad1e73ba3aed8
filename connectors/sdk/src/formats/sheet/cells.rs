//! Reads the cells of a CSV table.

use crate::{Failure, malformed};

/// Number of first lines from which the delimiter is guessed.
const FIRST_LINES: usize = 30;

/// All cells, row by row.
pub(super) fn of_csv(what: &str, text: &str) -> Result<Vec<Vec<String>>, Failure> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter(text))
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| {
            let row = rows.len() + 1;
            malformed(format!("{what}: row {row}"), "a CSV row", error.to_string())
        })?;
        rows.push(
            record
                .iter()
                .map(|cell| unguarded(cell).to_owned())
                .collect(),
        );
    }
    Ok(rows)
}

/// The delimiter that occurs most often in the first lines.
fn delimiter(text: &str) -> u8 {
    let count = |delimiter: char| -> usize {
        let lines = text.lines().take(FIRST_LINES);
        lines.map(|line| line.matches(delimiter).count()).sum()
    };
    let mut best = (b';', count(';'));
    for (delimiter, byte) in [(',', b','), ('\t', b'\t')] {
        let found = count(delimiter);
        if found > best.1 {
            best = (byte, found);
        }
    }
    best.0
}

/// Removes the formula that protects leading zeros from Excel: `="00000019"`.
fn unguarded(cell: &str) -> &str {
    let cell = cell.trim();
    cell.strip_prefix("=\"")
        .and_then(|rest| rest.strip_suffix('"'))
        .unwrap_or(cell)
        .trim()
}
