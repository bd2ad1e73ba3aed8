//! Reads the cells of a CSV table.

use crate::csv::quotes::{Quotes, joined_rows};
use crate::{Failure, malformed};

/// Number of first lines from which the delimiter is guessed.
const FIRST_LINES: usize = 30;

/// All cells, row by row. A list that ends within a quoted cell is `malformed`. Rows that a stray
/// quote joined become rows of other widths than the table.
pub(super) fn of_csv(what: &str, text: &str) -> Result<Vec<Vec<String>>, Failure> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let delimiter = delimiter(text);
    let mut quotes = Quotes::new(delimiter);
    quotes.read(text.as_bytes());
    if quotes.are_open() {
        return Err(malformed(
            what,
            "whole rows",
            "a list that ends within a row: a quote is not closed",
        ));
    }
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| {
            let row = rows.len() + 1;
            malformed(format!("{what}: row {row}"), "a CSV row", error.to_string())
        })?;
        let bytes = record.iter().map(str::as_bytes);
        let is_joined = joined_rows(bytes, record.len(), delimiter) > 0;
        if is_joined {
            let cells = record.iter();
            let parts = cells.flat_map(|cell| cell.split(char::from(delimiter)));
            rows.push(parts.map(|part| unguarded(part).to_owned()).collect());
            // One row for each that was lost, so that all of them count as odd.
            let lost = record.iter().flat_map(|cell| cell.lines().skip(1));
            rows.extend(lost.map(|line| vec![line.to_owned()]));
            continue;
        }
        let cells = record.iter();
        rows.push(cells.map(|cell| unguarded(cell).to_owned()).collect());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_with_unclosed_quote_is_malformed() {
        for text in [
            "nazov;ico\nA;1\n\"B;2\nC;3\n",
            "nazov;ico\nA;1\nB;\"2\nC;3\n",
        ] {
            let read = of_csv("list", text);
            assert!(matches!(read, Err(Failure::Malformed(_))), "{text:?}");
        }
    }

    #[test]
    fn joined_rows_differ_in_width_from_the_table() {
        let text = "nazov;ico;suma\n\"A;1;2\nB;2;3\n\"C\";3;4\n\"D,\nd\";4;5\n";
        let rows = of_csv("list", text).expect("the quotes are closed");
        let widths: Vec<usize> = rows.iter().map(Vec::len).collect();
        assert_eq!(widths, [3, 7, 1, 1, 3]);
    }
}
