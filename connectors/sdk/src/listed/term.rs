//! The period in which a list entry is in force.

use serde::{Deserialize, Serialize};

use super::{ListedStatus, StatusWords};
use crate::sheet::Row;
use crate::text::fold;
use crate::{Failure, runtime};

/// Prefixes of words that mean *no last day*.
const UNLIMITED: [&str; 2] = ["neurcit", "neobmedz"];

/// The state of an entry on a day. The order matters: the most telling state about a company
/// comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    Valid,
    /// The first day is in the future.
    Upcoming,
    /// The list marks it as suspended.
    Suspended,
    /// The last day has passed.
    Expired,
    /// The list marks it as ended.
    Ended,
}

/// First day, last day and status of an entry, as stored in a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Term {
    /// First day of the period, `YYYY-MM-DD`.
    pub valid_from: Option<String>,
    /// Last day of the period, `YYYY-MM-DD`. `None` also if the period is unlimited.
    pub valid_to: Option<String>,
    /// The status word of the list.
    pub status_text: Option<String>,
    #[serde(rename = "standing")]
    listed_status: ListedStatus,
    /// The state on the day of the import. Sections use [`Term::state`]. This copy changes the
    /// record on the day on which the entry starts or expires, so that the host rebuilds the
    /// section.
    pub(super) state_at_import: State,
}

/// A [`Term`] as shown in a section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "a member is called what it holds")]
pub struct ShownTerm {
    pub valid_from: Option<String>,
    pub valid_to: Option<String>,
    pub status: State,
    pub status_text: Option<String>,
}

impl Term {
    /// Reads the columns `valid_from` (or `issued_on` if it is absent), `valid_to` and `status`.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for an invalid day and for an unknown status.
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

    /// Like [`Term::read`], with days that the caller has read.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for an unknown status.
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
            listed_status: words.status_of(row)?,
            state_at_import: State::Valid,
        };
        term.state_at_import = term.state(&runtime::today());
        Ok(term)
    }

    /// The state on a day given as `YYYY-MM-DD`.
    #[must_use]
    pub fn state(&self, day: &str) -> State {
        let is_to_come = self.valid_from.as_deref().is_some_and(|first| first > day);
        let is_over = self.valid_to.as_deref().is_some_and(|last| last < day);
        match self.listed_status {
            ListedStatus::Ended => State::Ended,
            ListedStatus::Valid | ListedStatus::Suspended if is_over => State::Expired,
            ListedStatus::Suspended => State::Suspended,
            ListedStatus::Valid if is_to_come => State::Upcoming,
            ListedStatus::Valid => State::Valid,
        }
    }

    /// The term as shown in a section on a day given as `YYYY-MM-DD`.
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
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.status == State::Valid
    }

    /// Sort key: entries in force first, the newest of them first.
    #[must_use]
    pub fn order(&self) -> impl Ord + use<> {
        (self.status, std::cmp::Reverse(self.valid_from.clone()))
    }
}
