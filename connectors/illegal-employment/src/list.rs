//! The list: a table in which each row is a decision against an employer.

use std::collections::BTreeSet;

use lustra_sdk::sheet::{Column, Row, Sheet};
use lustra_sdk::text::fold;
use lustra_sdk::{Failure, Item, Notes, fingerprint, malformed, records};
use serde::{Deserialize, Serialize};

use crate::settings::Columns;

/// The stored part of a violation. Names are not stored.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Entry {
    /// The day of the violation: `YYYY-MM-DD`.
    pub violation_date: Option<String>,
    /// The day on which the decision became final: `YYYY-MM-DD`.
    pub decision_date: Option<String>,
    /// The number of the decision.
    pub decision_number: Option<String>,
    pub address: Option<String>,
    /// The provision that was broken.
    pub legal_basis: Option<String>,
    /// The inspectorate that decided.
    pub inspectorate: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fined {
    /// An employer with an IČO.
    Employer(String, Entry),
    /// A natural person without an IČO. Nothing of the row is stored.
    WithoutIco,
    /// An odd row about the employer with this IČO: another part of it cannot be read.
    Unreadable(String),
    /// An odd row without an identifiable subject.
    Unknown,
}

/// The rows of a list, or of a part of it.
#[derive(Debug, Default)]
pub struct Fines {
    rows: Vec<Fined>,
    notes: Notes,
}

impl Fines {
    /// Reads a file in CSV or XLSX. Failures name it as `what`.
    ///
    /// # Errors
    /// As [`Sheet::read_forgiving`].
    pub fn read(what: &str, bytes: &[u8], columns: &Columns) -> Result<Self, Failure> {
        let mut notes = Notes::default();
        let sheet = Sheet::read_forgiving(what, bytes, &wanted(columns), &mut notes)?;
        Self::of(&sheet, notes)
    }

    /// Reads the tables of a page. One of them is the list.
    ///
    /// # Errors
    /// As [`Sheet::of_tables_forgiving`].
    pub fn of_tables(
        what: &str,
        tables: Vec<Vec<Vec<String>>>,
        columns: &Columns,
    ) -> Result<Self, Failure> {
        let mut notes = Notes::default();
        let sheet = Sheet::of_tables_forgiving(what, tables, &wanted(columns), &mut notes)?;
        Self::of(&sheet, notes)
    }

    fn of(sheet: &Sheet, mut notes: Notes) -> Result<Self, Failure> {
        let unreadable = |row: &Row<'_>| {
            row.ico("ico")
                .ok()
                .flatten()
                .map_or(Fined::Unknown, Fined::Unreadable)
        };
        let mut rows: Vec<Fined> = sheet
            .unreadable_rows()
            .map(|row| unreadable(&row))
            .collect();
        for row in sheet.rows() {
            notes.row();
            rows.push(match fined(&row) {
                Ok(Fined::Unknown) => {
                    notes.odd("rows_with_unreadable_ico");
                    Fined::Unknown
                }
                Ok(fined) => fined,
                Err(wrong @ Failure::Malformed(_)) => {
                    notes.odd_row("unreadable_rows", &wrong);
                    unreadable(&row)
                }
                Err(other) => return Err(other),
            });
        }
        Ok(Self { rows, notes })
    }

    /// Adds the rows of another part.
    pub fn append(&mut self, mut other: Self) {
        self.rows.append(&mut other.rows);
        self.notes.add(&other.notes);
    }

    /// The rows that were read.
    #[must_use]
    pub fn all(&self) -> &[Fined] {
        &self.rows
    }

    /// The number of all rows, including odd rows and those of natural persons.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.notes.rows()
    }

    /// The records of the whole list. Rows about the same decision and violation make one entry, since the list may
    /// spell the rest of a row in several ways.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for a list without an employer, and as [`Notes::check_odd_rows`].
    pub fn into_items(self, what: &str) -> Result<(Vec<Item>, Notes), Failure> {
        let (rows, mut notes) = (self.rows(), self.notes);
        notes.count_many("rows", rows);
        notes.check_odd_rows(what)?;
        let (mut all, mut unreadable) = (Vec::new(), BTreeSet::new());
        for fined in self.rows {
            match fined {
                Fined::Employer(ico, entry) => all.push((key(&ico, &entry), ico, entry)),
                Fined::Unreadable(ico) => {
                    unreadable.insert(ico);
                }
                Fined::WithoutIco => notes.count("rows_without_ico"),
                Fined::Unknown => {}
            }
        }
        if all.is_empty() {
            let expected = "an employer with an IČO";
            return Err(malformed(
                what,
                expected,
                format!("{rows} rows without one"),
            ));
        }
        all.sort();
        let before = all.len();
        all.dedup_by(|one, other| one.0 == other.0);
        notes.count_many("repeated_rows", (before - all.len()) as u64);
        let unreadable = unreadable
            .iter()
            .map(|ico| records::unreadable_row(format!("{ico}|unreadable"), ico));
        let items = all
            .iter()
            .map(|(key, ico, entry)| records::item(key, Some(ico), entry))
            .chain(unreadable)
            .collect::<Result<_, _>>()?;
        Ok((items, notes))
    }
}

fn wanted(columns: &Columns) -> [Column<'_>; 8] {
    let column = |name, headers, required| Column {
        name,
        headers,
        required,
    };
    // Match the more specific headers first, so that a general header does not take their columns.
    [
        column("ico", &columns.ico, true),
        column("violation_date", &columns.violation_date, false),
        column("decision_number", &columns.decision_number, false),
        column("decision_date", &columns.decision_date, true),
        column("legal_basis", &columns.legal_basis, false),
        column("inspectorate", &columns.inspectorate, false),
        column("name", &columns.name, true),
        column("address", &columns.address, false),
    ]
}

fn fined(row: &Row<'_>) -> Result<Fined, Failure> {
    // Every row has a name and a date, even a skipped one. A missing one shows a changed format.
    row.required("name")?;
    let decision_date = row.date("decision_date")?;
    if decision_date.is_none() {
        return Err(row.wrong("decision_date", "a date"));
    }
    let ico = match row.ico("ico") {
        Ok(Some(ico)) => ico,
        Ok(None) => return Ok(Fined::WithoutIco),
        Err(_unreadable) => return Ok(Fined::Unknown),
    };
    let entry = Entry {
        violation_date: row.date("violation_date")?,
        decision_date,
        decision_number: row.text("decision_number"),
        address: row.text("address"),
        legal_basis: row.text("legal_basis"),
        inspectorate: row.text("inspectorate"),
    };
    Ok(Fined::Employer(ico, entry))
}

/// The key of a violation. It stays the same in the next list even if the employer's address or the inspectorate's name
/// changes.
fn key(ico: &str, entry: &Entry) -> String {
    let text = |text: &Option<String>| fold(text.as_deref().unwrap_or_default());
    format!(
        "{ico}|{}|{}|{}|{:016x}",
        text(&entry.decision_number),
        entry.decision_date.as_deref().unwrap_or_default(),
        entry.violation_date.as_deref().unwrap_or_default(),
        fingerprint(0, text(&entry.legal_basis).as_bytes()),
    )
}
