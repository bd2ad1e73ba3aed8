//! The operator's list: a table in CSV with one row for each authorization, obligor and creditor.
//!
//! Columns are found by their headers, in any order. Rows of obligors without an IČO, who are natural persons, are
//! passed over.

use std::io::BufRead;

use lustra_sdk::csv::{Column, Table};
use lustra_sdk::text::present;
use lustra_sdk::{Failure, Notes, fingerprint, ico, malformed};

use crate::authorization::{self, Entry};
use crate::parties::Creditor;
use crate::settings::States;

const fn column(names: &'static [&'static str], required: bool) -> Column {
    Column { names, required }
}

/// The columns, in the order of [`Cells`].
const COLUMNS: [Column; 13] = [
    column(&["ecli"], true),
    column(&["cislo poverenia"], false),
    column(&["spisova znacka"], false),
    column(&["sud"], false),
    column(&["exekutor"], false),
    column(&["druh naroku"], false),
    column(&["opravneny nazov", "nazov opravneneho"], true),
    column(&["opravneny ico", "ico opravneneho"], true),
    column(&["povinny ico", "ico povinneho"], true),
    column(&["datum vydania"], false),
    column(&["datum zverejnenia"], false),
    column(&["k datumu"], false),
    column(&["stav"], true),
];

/// The index of the obligor's IČO in [`COLUMNS`].
const OBLIGOR: usize = 8;

/// One row of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Obligor, ECLI and creditor, the last one as a number. An entry keeps its key in the next list.
    pub key: String,
    pub ico: String,
    /// The authorization, with one creditor.
    pub entry: Entry,
    /// The row's own date of the list: `YYYY-MM-DD`.
    pub list_date: Option<String>,
}

/// The kinds of rows.
#[derive(Debug, PartialEq, Eq)]
pub enum Row {
    /// An authorization against an obligor with an IČO.
    Record(Box<Record>),
    /// An authorization against a natural person.
    WithoutIco,
    /// An odd row about the company with this IČO: another part of it cannot be read.
    Unreadable(String),
    /// An odd row with an unknown obligor.
    Unknown,
}

/// A list after its header was read.
pub struct Rows<R> {
    what: &'static str,
    table: Table<R>,
    states: States,
}

impl<R: BufRead> Rows<R> {
    /// Reads the header. The input is UTF-8; failures name the list as `what`.
    ///
    /// # Errors
    /// [`Failure::Malformed`] if a required column is missing, [`Failure::Unavailable`] for an HTML page.
    pub fn open(what: &'static str, input: R, states: States) -> Result<Self, Failure> {
        let table = Table::open(what, input, &COLUMNS)?;
        Ok(Self {
            what,
            table,
            states,
        })
    }

    /// Reads the next row. Odd rows are counted by their reason.
    ///
    /// # Errors
    /// As [`Table::next_readable`].
    pub fn next_row(&mut self, notes: &mut Notes) -> Result<Option<Row>, Failure> {
        let Some(cells) = self.table.next_readable(notes)? else {
            return Ok(None);
        };
        let obligor = cells.get(OBLIGOR).and_then(|cell| ico::parse(cell));
        match self.row(&cells) {
            Ok(row) => {
                if row == Row::Unknown {
                    notes.odd("rows-with-unreadable-ico");
                }
                Ok(Some(row))
            }
            Err(wrong @ Failure::Malformed(_)) => {
                notes.odd_row("unreadable-rows", &wrong);
                Ok(Some(obligor.map_or(Row::Unknown, Row::Unreadable)))
            }
            Err(other) => Err(other),
        }
    }

    fn row(&self, cells: &[String]) -> Result<Row, Failure> {
        let place =
            |column: &str| format!("{}: row {}: {column}", self.what, self.table.rows_read());
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        let [
            ecli,
            number,
            file_number,
            court,
            executor,
            claim,
            creditor,
            creditor_ico,
            obligor_ico,
            authorized_at,
            published_at,
            list_date,
            status,
        ] = cells.as_slice()
        else {
            return Err(malformed(
                place("columns"),
                "13 cells",
                cells.len().to_string(),
            ));
        };
        let needed = |raw: &str, column: &str| {
            present(raw).ok_or_else(|| malformed(place(column), "a text", raw))
        };
        // Both are checked in skipped rows too: a truncated list ends in a row without them.
        let ecli = needed(ecli, "ecli")?;
        let status = needed(status, "stav")?;
        self.states.is_active(&status, &place("stav"))?;
        let Some(obligor) = present(obligor_ico) else {
            return Ok(Row::WithoutIco);
        };
        let Some(ico) = ico::parse(&obligor) else {
            return Ok(Row::Unknown);
        };
        let mut entry = Entry {
            ecli,
            authorization_number: present(number),
            court_file_number: present(file_number),
            court: present(court),
            executor_name: present(executor),
            enforced_claim: present(claim),
            creditors: Vec::new(),
            creditor_icos: Vec::new(),
            authorized_at: authorization::date(authorized_at, &place("datum_vydania"))?,
            published_at: authorization::date(published_at, &place("datum_zverejnenia"))?,
            status,
        };
        let creditor_ico = ico::parse(creditor_ico);
        Creditor {
            name: creditor,
            ico: creditor_ico.as_deref(),
        }
        .add_to(&mut entry);
        // The name may be a natural person's. A key must not contain it.
        let creditor = creditor_ico
            .unwrap_or_else(|| format!("{:016x}", fingerprint(0, creditor.trim().as_bytes())));
        Ok(Row::Record(Box::new(Record {
            key: format!("{ico}|{}|{creditor}", entry.ecli),
            ico,
            entry,
            list_date: authorization::date(list_date, &place("k_datumu"))?,
        })))
    }
}
