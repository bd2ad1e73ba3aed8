//! How long an entry of a list is in force.

use serde::{Deserialize, Serialize};

use super::{Standing, StatusWords};
use crate::sheet::Row;
use crate::text::fold;
use crate::{Failure, runtime};

/// Beginnings of words that stand for a last day that there is none.
const UNLIMITED: [&str; 2] = ["neurcit", "neobmedz"];

/// What an entry is on a day. Those that tell most of the company come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// In force.
    Valid,
    /// Its first day is still to come.
    Upcoming,
    /// The list says that it is suspended.
    Suspended,
    /// Its last day is over.
    Expired,
    /// The list says that it has ended.
    Ended,
}

/// First and last day and status of an entry, as a record keeps them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Term {
    /// `YYYY-MM-DD`.
    pub valid_from: Option<String>,
    /// `YYYY-MM-DD`.
    pub valid_to: Option<String>,
    /// The list's own word.
    pub status_text: Option<String>,
    standing: Standing,
    /// The state on the day of the import. Sections ask [`Term::state`]; this one makes the record another one on the day
    /// on which the entry begins or expires, so that the host makes the section anew.
    pub(super) state_at_import: State,
}

/// A [`Term`] as a section tells of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "a member is called what it holds")]
pub struct ShownTerm {
    pub valid_from: Option<String>,
    pub valid_to: Option<String>,
    pub status: State,
    pub status_text: Option<String>,
}

impl Term {
    /// Reads the columns `valid_from`, or else `issued_on`, `valid_to` and `status`.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for a day that is none and for a status that is not known.
    pub fn read(row: &Row<'_>, words: &StatusWords) -> Result<Self, Failure> {
        let valid_from = match row.date("valid_from")? {
            Some(day) => Some(day),
            None => row.date("issued_on")?,
        };
        let last = fold(row.cell("valid_to"));
        let is_unlimited = last
            .split(' ')
            .any(|word| UNLIMITED.iter().any(|stem| word.starts_with(stem)));
        let valid_to = if is_unlimited {
            None
        } else {
            row.date("valid_to")?
        };
        Self::of(valid_from, valid_to, row, words)
    }

    /// The same with days that were read otherwise.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for a status that is not known.
    pub fn of(
        valid_from: Option<String>,
        valid_to: Option<String>,
        row: &Row<'_>,
        words: &StatusWords,
    ) -> Result<Self, Failure> {
        let mut term = Self {
            valid_from,
            valid_to,
            status_text: row.text("status"),
            standing: words.standing(row)?,
            state_at_import: State::Valid,
        };
        term.state_at_import = term.state(&runtime::today());
        Ok(term)
    }

    /// The state on a day, `YYYY-MM-DD`.
    #[must_use]
    pub fn state(&self, day: &str) -> State {
        let is_to_come = self.valid_from.as_deref().is_some_and(|first| first > day);
        let is_over = self.valid_to.as_deref().is_some_and(|last| last < day);
        match self.standing {
            Standing::Ended => State::Ended,
            Standing::Valid | Standing::Suspended if is_over => State::Expired,
            Standing::Suspended => State::Suspended,
            Standing::Valid if is_to_come => State::Upcoming,
            Standing::Valid => State::Valid,
        }
    }

    /// As a section tells of it on a day.
    #[must_use]
    pub fn shown(&self, day: &str) -> ShownTerm {
        ShownTerm {
            valid_from: self.valid_from.clone(),
            valid_to: self.valid_to.clone(),
            status: self.state(day),
            status_text: self.status_text.clone(),
        }
    }
}

impl ShownTerm {
    /// Whether it is in force.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.status == State::Valid
    }

    /// For sorting: those in force come first, of them the newest.
    #[must_use]
    pub fn order(&self) -> impl Ord + use<> {
        (self.status, std::cmp::Reverse(self.valid_from.clone()))
    }
}
