//! One ban: as the register's page states it, and as it is kept from list to list.

use lustra_sdk::text::fold;
use lustra_sdk::{Failure, malformed, records};
use serde::{Deserialize, Serialize};

/// A ban of a Slovak person with a number, as today's page states it. Dates are `YYYY-MM-DD`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ban {
    /// The person: 8 digits.
    pub ico: String,
    /// The number of the decision, where the page has it.
    pub decision_number: Option<String>,
    /// When it was decided.
    pub decision_date: Option<String>,
    /// When the decision became final.
    pub final_on: Option<String>,
    /// The provision that it was decided by.
    pub legal_basis: Option<String>,
    /// What was done.
    pub violation_reason: Option<String>,
    /// The first day.
    pub banned_from: String,
    /// The last day; none where the page says that there is none.
    pub banned_until: Option<String>,
    /// Persons whom the page names beside the barred one.
    pub related_persons: Vec<RelatedPerson>,
}

/// A person whom the page names beside the barred one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelatedPerson {
    /// As the page names them.
    pub name: String,
    /// What stood in brackets behind the name.
    pub role: Option<String>,
}

/// A ban with its history. It is the content of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// From the last list that had it.
    #[serde(flatten)]
    pub ban: Ban,
    /// On the day of the import, so that a record changes when its ban begins or ends.
    pub status: Status,
    /// The day of the first import whose list had it.
    pub first_seen_on: String,
    /// The day of the first import whose list no longer had it. None while it is listed.
    pub removed_on: Option<String>,
}

/// How a ban stands on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It holds.
    Active,
    /// It will hold.
    Upcoming,
    /// Its last day is over.
    Ended,
    /// It left the list before its last day was over.
    Removed,
}

impl Ban {
    /// Whatever else is corrected, the same decision about the same person and first day is the same ban.
    #[must_use]
    pub fn key(&self) -> String {
        let decision = self
            .decision_number
            .as_deref()
            .map_or_else(String::new, fold);
        format!("{}/{}/{decision}", self.ico, self.banned_from)
    }

    /// How it stands on a day when it left the list on another, or never did. Dates in ISO form compare as texts.
    #[must_use]
    pub fn status(&self, removed_on: Option<&str>, day: &str) -> Status {
        let until = self.banned_until.as_deref();
        if removed_on.is_some_and(|removed| until.is_none_or(|until| removed <= until)) {
            Status::Removed
        } else if until.is_some_and(|until| until < day) {
            Status::Ended
        } else if self.banned_from.as_str() > day {
            Status::Upcoming
        } else {
            Status::Active
        }
    }
}

impl Kept {
    /// A record of an earlier import.
    ///
    /// # Errors
    /// [`Failure::Malformed`] where it is of a form that this version does not know.
    pub fn of(stored: &records::Stored) -> Result<Self, Failure> {
        let kept: Self = records::content(stored)?;
        if stored.ico.as_deref() != Some(kept.ban.ico.as_str()) {
            return Err(malformed(
                format!("stored record {}", stored.key),
                "the IČO of its content",
                "another",
            ));
        }
        Ok(kept)
    }

    /// How it stands on a day.
    #[must_use]
    pub fn status_on(&self, day: &str) -> Status {
        self.ban.status(self.removed_on.as_deref(), day)
    }
}
