//! Tables in CSV, read by the names of their columns.

use std::io::{BufRead, Chain, Cursor, Read as _};

use super::text::fold;
use crate::{Failure, http, malformed};

/// A column a reader wants: the words that its header may contain, folded (`ico`, `nazov`), and whether the table is
/// unreadable without it.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Any of these in the folded header makes it this column; an equal header wins over a containing one.
    pub names: &'static [&'static str],
    /// Without it the table is `malformed`.
    pub required: bool,
}

/// No register's header is as long, in bytes; a file without lines must not be read whole for its first one.
const LONGEST_HEADER: u64 = 64 * 1024;

/// The input, whose first line was looked at and is read once more.
type WithHeader<R> = Chain<Cursor<Vec<u8>>, R>;

/// A table whose columns were found by their headers.
pub struct Table<R> {
    what: String,
    rows: csv::ByteRecordsIntoIter<WithHeader<R>>,
    places: Vec<Option<usize>>,
    width: usize,
    read: u64,
}

impl<R: BufRead> Table<R> {
    /// Reads the header line; the delimiter is the one of `,` `;` tab that the header has most of.
    ///
    /// The input is UTF-8 ([`crate::http::Body::decode`] makes it so); `what` names the file in failures.
    ///
    /// # Errors
    /// [`Failure::Malformed`] where a required column is missing, [`Failure::Unavailable`] for a page of HTML.
    pub fn open(what: &str, mut input: R, columns: &[Column]) -> Result<Self, Failure> {
        // A stream may come byte by byte, so the line is gathered before it is looked at. Empty ones precede some pages.
        let mut start = Vec::new();
        loop {
            let left = LONGEST_HEADER.saturating_sub(start.len() as u64);
            let read = input.by_ref().take(left).read_until(b'\n', &mut start);
            let read = read.map_err(|error| http::of_io(what, &error))?;
            if read == 0 || !start.trim_ascii().is_empty() {
                break;
            }
        }
        let line = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&start);
        if line.trim_ascii_start().starts_with(b"<") {
            return Err(Failure::Unavailable(format!(
                "{what} is a page of HTML instead of a table"
            )));
        }
        let count = |delimiter: u8| line.iter().filter(|byte| **byte == delimiter).count();
        let delimiter = [b';', b',', b'\t']
            .into_iter()
            .max_by_key(|delimiter| count(*delimiter))
            .unwrap_or(b',');
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .flexible(true)
            .from_reader(Cursor::new(start).chain(input));
        let headers = reader
            .byte_headers()
            .map_err(|error| of_csv(what, 0, &error))?
            .clone();
        let folded: Vec<String> = headers
            .iter()
            .map(|header| fold(&String::from_utf8_lossy(header)))
            .collect();
        let mut places = Vec::with_capacity(columns.len());
        for column in columns {
            let equal = folded
                .iter()
                .position(|header| column.names.contains(&header.as_str()));
            let place = equal.or_else(|| {
                folded
                    .iter()
                    .position(|header| column.names.iter().any(|name| header.contains(name)))
            });
            if place.is_none() && column.required {
                return Err(malformed(
                    format!("{what}: header"),
                    format!("a column named like {}", column.names.join(" or ")),
                    folded.join(" | "),
                ));
            }
            places.push(place);
        }
        Ok(Self {
            what: what.to_owned(),
            rows: reader.into_byte_records(),
            places,
            width: folded.len(),
            read: 0,
        })
    }

    /// The next row: the wanted columns in their order, empty text where the row has none.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for a row of another width than the header, or what ended the input.
    pub fn next_row(&mut self) -> Result<Option<Vec<String>>, Failure> {
        let row = loop {
            let Some(row) = self.rows.next() else {
                return Ok(None);
            };
            self.read += 1;
            let row = row.map_err(|error| of_csv(&self.what, self.read, &error))?;
            let is_blank = row.get(0).is_some_and(|cell| cell.trim_ascii().is_empty());
            if row.len() != 1 || !is_blank {
                break row;
            }
        };
        if row.len() != self.width {
            return Err(malformed(
                format!("{}: row {}", self.what, self.read),
                format!("{} columns", self.width),
                // Not the row itself: it may be somebody's name.
                format!("{} columns", row.len()),
            ));
        }
        let cell = |place: &Option<usize>| {
            place
                .and_then(|at| row.get(at))
                .map(|cell| String::from_utf8_lossy(cell).into_owned())
                .unwrap_or_default()
        };
        Ok(Some(self.places.iter().map(cell).collect()))
    }

    /// How many rows were read.
    pub fn rows_read(&self) -> u64 {
        self.read
    }
}

fn of_csv(what: &str, row: u64, error: &csv::Error) -> Failure {
    if let csv::ErrorKind::Io(io) = error.kind() {
        return http::of_io(what, io);
    }
    malformed(format!("{what}: row {row}"), "a CSV row", error.to_string())
}

/// A table over bytes in memory; see [`Table::open`].
///
/// # Errors
/// As [`Table::open`].
pub fn of_text<'a>(
    what: &str,
    text: &'a str,
    columns: &[Column],
) -> Result<Table<&'a [u8]>, Failure> {
    Table::open(what, text.as_bytes(), columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_comes_byte_by_byte_is_the_same_table() {
        let columns = [Column {
            names: &["b"],
            required: true,
        }];
        let bytes = std::io::BufReader::with_capacity(1, "\u{feff}a;b\n\n1;2\n".as_bytes());
        let mut table = Table::open("list", bytes, &columns).expect("it has the column");
        assert_eq!(table.next_row().expect("a row"), Some(vec!["2".to_owned()]));
        assert_eq!(table.next_row().expect("the end"), None);
    }

    #[test]
    fn many_empty_lines_are_passed_over() {
        let text = format!("a\n{}1\n", " \n".repeat(100_000));
        let columns = [Column {
            names: &["a"],
            required: true,
        }];
        let mut table = of_text("list", &text, &columns).expect("it has the column");
        assert_eq!(table.next_row().expect("a row"), Some(vec!["1".to_owned()]));
    }

    const COLUMNS: [Column; 3] = [
        Column {
            names: &["nazov", "meno"],
            required: true,
        },
        Column {
            names: &["ico"],
            required: true,
        },
        Column {
            names: &["suma"],
            required: false,
        },
    ];

    #[test]
    fn columns_are_found_by_name_whatever_their_order() {
        let text = "\u{feff}\"DLŽNÁ SUMA\",\"IČO\",\"MENO / NÁZOV\"\n\"1,5\",\"00000019\",\"Vzorová\nfirma\"\n";
        let mut table = of_text("list", text, &COLUMNS).expect("the header fits");
        let row = table
            .next_row()
            .expect("the row fits")
            .expect("there is one");
        assert_eq!(row, ["Vzorová\nfirma", "00000019", "1,5"]);
        assert!(table.next_row().expect("the end").is_none());
    }

    #[test]
    fn a_table_without_a_required_column_is_malformed() {
        let failure = of_text("list", "nazov;suma\nA;1\n", &COLUMNS).err();
        assert!(
            matches!(failure, Some(Failure::Malformed(drift)) if drift.expected.contains("ico"))
        );
    }

    #[test]
    fn a_page_of_html_is_no_table() {
        assert!(matches!(
            of_text("list", "<html>", &COLUMNS).err(),
            Some(Failure::Unavailable(_))
        ));
    }

    #[test]
    fn a_row_cut_short_is_malformed() {
        let mut table =
            of_text("list", "nazov;ico;suma\nA;1\n", &COLUMNS).expect("the header fits");
        assert!(matches!(table.next_row(), Err(Failure::Malformed(_))));
    }
}
