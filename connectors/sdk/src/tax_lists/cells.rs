//! One row of a list, read by the connector's names of facts instead of the list's columns.
//!
//! The mapping is configuration, since the authority adds and renames columns. An unreadable cell
//! is absent and makes its row odd; odd rows are counted by reason.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::xml::Row;
use crate::{Notes, amount, date, ico, text};

/// Maps the name of a fact to the column that contains it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Columns(pub BTreeMap<String, String>);

impl Columns {
    /// The column of a fact. Falls back to the fact's own name, which no list has as a column.
    #[must_use]
    pub fn of<'a>(&'a self, fact: &'a str) -> &'a str {
        self.0.get(fact).map_or(fact, String::as_str)
    }
}

/// A row with its column mapping and the notes made while reading it.
pub struct Cells<'a> {
    row: &'a Row,
    columns: &'a Columns,
    notes: &'a mut Notes,
}

impl<'a> Cells<'a> {
    pub fn new(row: &'a Row, columns: &'a Columns, notes: &'a mut Notes) -> Self {
        Self {
            row,
            columns,
            notes,
        }
    }

    /// Counts a condition that the operator should see but that is normal for this list.
    pub fn note(&mut self, name: &'static str) {
        self.notes.count(name);
    }

    /// Counts a problem of the row. Too large a share of such rows fails the list.
    pub fn odd(&mut self, reason: &'static str) {
        self.notes.odd(reason);
    }

    /// A cell's text on one line. `None` if it is absent.
    #[must_use]
    pub fn text(&self, fact: &str) -> Option<String> {
        self.row
            .get(self.columns.of(fact))
            .and_then(|raw| text::present(raw))
    }

    /// A cell in upper case without spaces, the form in which tax and account numbers are
    /// compared.
    #[must_use]
    pub fn compact(&self, fact: &str) -> Option<String> {
        self.text(fact)
            .map(|text| text.replace(' ', "").to_uppercase())
    }

    /// The row's IČO in 8 digits. Foreign payers have none. An invalid one is counted and treated
    /// as absent.
    #[must_use]
    pub fn ico(&mut self) -> Option<String> {
        let raw = self.text("ico")?;
        let parsed = ico::parse(&raw);
        if parsed.is_none() {
            self.odd("unreadable_ico");
        }
        parsed
    }

    /// A date in ISO form. An invalid one is counted and treated as absent.
    #[must_use]
    pub fn date(&mut self, fact: &str) -> Option<String> {
        let raw = self.text(fact)?;
        let parsed = date::parse(&raw);
        if parsed.is_none() {
            self.odd("unreadable_date");
        }
        parsed
    }

    /// A calendar year. An invalid one is counted and treated as absent.
    #[must_use]
    pub fn year(&mut self, fact: &str) -> Option<u16> {
        let raw = self.text(fact)?;
        let parsed = raw.parse().ok().filter(|year| (1993..=2200).contains(year));
        if parsed.is_none() {
            self.odd("unreadable_year");
        }
        parsed
    }

    /// An amount as decimal text. An invalid one is counted and treated as absent.
    #[must_use]
    pub fn amount(&mut self, fact: &str) -> Option<String> {
        let raw = self.text(fact)?;
        let parsed = amount::parse(&raw);
        if parsed.is_none() {
            self.odd("unreadable_amount");
        }
        parsed
    }
}
