//! One row of a list, by the names of a connector instead of the list's columns.
//!
//! Which column holds what is configuration, since the authority adds and renames columns. A cell that cannot be
//! read is absent and makes its row an odd one, which is counted by its reason.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::xml::Row;
use crate::{Notes, amount, date, ico, text};

/// Which column holds which fact: the fact's name to the column's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Columns(pub BTreeMap<String, String>);

impl Columns {
    /// The column of a fact; the fact's own name where none is configured, which no list has.
    #[must_use]
    pub fn of<'a>(&'a self, fact: &'a str) -> &'a str {
        self.0.get(fact).map_or(fact, String::as_str)
    }
}

/// A row with its columns and what was noticed while reading it.
pub struct Cells<'a> {
    row: &'a Row,
    columns: &'a Columns,
    notes: &'a mut Notes,
}

impl<'a> Cells<'a> {
    /// A row of a list with these columns.
    pub fn new(row: &'a Row, columns: &'a Columns, notes: &'a mut Notes) -> Self {
        Self {
            row,
            columns,
            notes,
        }
    }

    /// Counts something that the operator should see and that is ordinary for this list.
    pub fn note(&mut self, name: &'static str) {
        self.notes.count(name);
    }

    /// Counts what is wrong with the row; too large a share of such rows fails the list.
    pub fn odd(&mut self, reason: &'static str) {
        self.notes.odd(reason);
    }

    /// A cell's text on one line; `None` where it is absent.
    #[must_use]
    pub fn text(&self, fact: &str) -> Option<String> {
        self.row
            .get(self.columns.of(fact))
            .and_then(|raw| text::present(raw))
    }

    /// A cell without spaces and in upper case, as numbers of tax payers and accounts are compared.
    #[must_use]
    pub fn compact(&self, fact: &str) -> Option<String> {
        self.text(fact)
            .map(|text| text.replace(' ', "").to_uppercase())
    }

    /// The row's IČO in 8 digits. Foreign payers have none; one that is no IČO is counted and absent.
    #[must_use]
    pub fn ico(&mut self) -> Option<String> {
        let raw = self.text("ico")?;
        let parsed = ico::parse(&raw);
        if parsed.is_none() {
            self.odd("unreadable_ico");
        }
        parsed
    }

    /// A date in ISO form; one that is no date is counted and absent.
    #[must_use]
    pub fn date(&mut self, fact: &str) -> Option<String> {
        let raw = self.text(fact)?;
        let parsed = date::parse(&raw);
        if parsed.is_none() {
            self.odd("unreadable_date");
        }
        parsed
    }

    /// A calendar year; a text that is no year is counted and absent.
    #[must_use]
    pub fn year(&mut self, fact: &str) -> Option<u16> {
        let raw = self.text(fact)?;
        let parsed = raw.parse().ok().filter(|year| (1993..=2200).contains(year));
        if parsed.is_none() {
            self.odd("unreadable_year");
        }
        parsed
    }

    /// An amount as decimal text; one that is no amount is counted and absent.
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
