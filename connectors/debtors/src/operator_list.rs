//! Lists that the operator supplies as a table: `nazov;ico;ulica;psc;obec;suma;k_datumu`, or what an insurer supplied.
//!
//! The reader accepts tables whose columns have names, with or without a title line above, and the two tables of the
//! insurer `VšZP` from 2016: two header lines, seven or eight columns in a known order, cells guarded from Excel as
//! `="00000019"`.

use std::io::{BufRead, BufReader, Cursor, Read};

use lustra_sdk::csv::{Column, Table};
use lustra_sdk::text::{fold, squeeze};
use lustra_sdk::{Failure, amount, date, http, ico, malformed};

use crate::debt::{Debt, DebtRows, Notes, Raw, postal_code};

const NAME: Column = Column {
    names: &["nazov", "meno", "priezvisko", "dlznik"],
    required: true,
};
const AMOUNT: Column = Column {
    names: &["suma", "pohladavk", "nedoplat", "dlh", "dlzna"],
    required: true,
};

const COLUMNS: [Column; 7] = [
    NAME,
    Column {
        names: &["ico"],
        required: false,
    },
    Column {
        names: &["ulica", "adresa"],
        required: false,
    },
    Column {
        names: &["obec", "mesto"],
        required: false,
    },
    Column {
        names: &["psc"],
        required: false,
    },
    AMOUNT,
    Column {
        names: &["datum"],
        required: false,
    },
];

/// The columns of the insurer's table of people who pay for themselves. The header texts of its tables are not known.
const SELF_PAYERS: &str = "nazov;psc;ulica;obec;suma;typ;zs\n";
/// The columns of the insurer's table of employers.
const EMPLOYERS: &str = "nazov;psc;ulica;obec;ico;suma;typ;zs\n";

/// A longer first line is not a header line.
const MAX_HEADER_BYTES: u64 = 64 * 1024;

/// A list after its header was read.
pub struct Rows<R> {
    table: Table<R>,
    list_date: Option<String>,
    title_date: Option<String>,
}

/// The table behind its header: the header line to use, the text that was already read, and the rest of the list.
type Input<R> = BufReader<std::io::Chain<Cursor<Vec<u8>>, Unguarded<R>>>;

/// Reads a list's header. The input is UTF-8; failures name the list as `what`.
///
/// # Errors
/// [`Failure::Malformed`] for an unknown header, [`Failure::Unavailable`] for an HTML page.
pub fn open<R: BufRead>(what: &str, input: R) -> Result<Rows<Input<R>>, Failure> {
    let mut input = Unguarded { input };
    let mut lines: Vec<String> = Vec::new();
    for _ in 0..3 {
        let line = read_line(what, &mut input)?;
        // The byte order mark is not part of the first cell.
        lines.push(if lines.is_empty() {
            line.trim_start_matches('\u{feff}').to_owned()
        } else {
            line
        });
    }
    let (first, second, third) = (&lines[0], &lines[1], &lines[2]);
    if first.trim_start().starts_with('<') {
        return Err(Failure::Unavailable(format!(
            "{what} is a page of HTML instead of a table"
        )));
    }
    let (header, rows) = if names_columns(first) {
        // A row of another width either continues on the next line inside quotation marks, or the table refuses it.
        let is_header_too = !is_data(second) && cells(second).len() == cells(first).len();
        let rows = if is_header_too {
            &lines[2..]
        } else {
            &lines[1..]
        };
        (first.clone(), rows)
    } else if names_columns(second) {
        (second.clone(), &lines[2..])
    } else {
        let below_two_headers = is_data(third) && !is_data(first) && !is_data(second);
        let header = match third.split(';').count() {
            7 if below_two_headers => SELF_PAYERS,
            8 if below_two_headers => EMPLOYERS,
            _ => {
                return Err(malformed(
                    format!("{what}: header"),
                    "columns named nazov, ico, …, suma",
                    first,
                ));
            }
        };
        (header.to_owned(), &lines[2..])
    };
    let title_date = (!names_columns(first)).then(|| date_in(first)).flatten();
    let start = format!("{header}{}", rows.concat()).into_bytes();
    let table = Table::open(
        what,
        BufReader::new(Cursor::new(start).chain(input)),
        &COLUMNS,
    )?;
    Ok(Rows {
        table,
        list_date: title_date.clone(),
        title_date,
    })
}

impl<R: BufRead> DebtRows for Rows<R> {
    fn next_debt(&mut self, notes: &mut Notes) -> Result<Option<Debt>, Failure> {
        while let Some(row) = self.table.next_readable(notes)? {
            let row: Vec<&str> = row.iter().map(|cell| unguarded(cell)).collect();
            let [name, ico, street, city, postal_code, amount, as_of] = row.as_slice() else {
                continue;
            };
            let raw = Raw {
                name,
                ico,
                street,
                city,
                postal_code,
                amount,
                as_of,
                missing_documents: "",
            };
            if let Some(mut debt) = Debt::read(&raw, notes) {
                if debt.as_of.is_none() {
                    debt.as_of.clone_from(&self.title_date);
                }
                if self.list_date.is_none() {
                    self.list_date.clone_from(&debt.as_of);
                }
                return Ok(Some(debt));
            }
        }
        Ok(None)
    }

    fn list_date(&self) -> Option<String> {
        self.list_date.clone()
    }
}

fn read_line<R: BufRead>(what: &str, input: &mut Unguarded<R>) -> Result<String, Failure> {
    let mut line = Vec::new();
    let mut byte = [0];
    while input
        .read(&mut byte)
        .map_err(|error| http::of_io(what, &error))?
        == 1
    {
        line.push(byte[0]);
        if byte[0] == b'\n' {
            break;
        }
        if line.len() as u64 > MAX_HEADER_BYTES {
            return Err(malformed(
                format!("{what}: header"),
                "a line",
                String::from_utf8_lossy(&line),
            ));
        }
    }
    String::from_utf8(line).map_err(|error| malformed(what, "text", error.to_string()))
}

/// Splits a header line, or a row without quoted separators.
fn cells(line: &str) -> Vec<&str> {
    let count = |delimiter: char| line.matches(delimiter).count();
    let delimiter = [';', ',', '\t']
        .into_iter()
        .max_by_key(|delimiter| count(*delimiter))
        .unwrap_or(';');
    line.trim_end_matches(['\r', '\n'])
        .split(delimiter)
        .map(unguarded)
        .collect()
}

fn names_columns(line: &str) -> bool {
    let cells: Vec<String> = cells(line).into_iter().map(fold).collect();
    let named = |column: Column| {
        cells
            .iter()
            .position(|cell| column.names.iter().any(|name| cell.contains(name)))
    };
    matches!((named(NAME), named(AMOUNT)), (Some(name), Some(amount)) if name != amount)
}

/// Whether a cell holds something that no header has: a company's number, a postal code, an amount.
fn is_data(line: &str) -> bool {
    cells(line).into_iter().any(|cell| {
        ico::parse(cell).is_some() || postal_code(cell).is_some() || amount::parse(cell).is_some()
    })
}

/// A date like `31. 12. 2016` in a title.
fn date_in(title: &str) -> Option<String> {
    let title = squeeze(title).replace(". ", ".");
    title
        .split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'))
        .filter(|word| word.contains(['.', '-']))
        .find_map(|word| date::parse(word.trim_end_matches('.')))
}

/// Removes the guard against Excel from a cell: `="00000019"`.
fn unguarded(cell: &str) -> &str {
    let cell = cell.trim();
    let cell = cell.strip_prefix('=').unwrap_or(cell);
    cell.strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .unwrap_or(cell)
        .trim()
}

/// Removes an equals sign before a quotation mark, so that a guarded cell becomes a quoted cell.
pub struct Unguarded<R> {
    input: R,
}

impl<R: BufRead> Unguarded<R> {
    fn next_byte(&mut self) -> std::io::Result<Option<u8>> {
        let byte = self.input.fill_buf()?.first().copied();
        self.input.consume(usize::from(byte.is_some()));
        Ok(byte)
    }
}

impl<R: BufRead> Read for Unguarded<R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let mut count = 0;
        while count < into.len() {
            let Some(mut byte) = self.next_byte()? else {
                break;
            };
            if byte == b'=' && self.input.fill_buf()?.first() == Some(&b'"') {
                self.input.consume(1);
                byte = b'"';
            }
            into[count] = byte;
            count += 1;
        }
        Ok(count)
    }
}
