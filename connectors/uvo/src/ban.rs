//! One ban: as stated on the register's page, and as stored from import to import.

use lustra_sdk::text::fold;
use lustra_sdk::{Failure, malformed, records};
use serde::{Deserialize, Serialize};

/// A ban of a Slovak subject with a number, as stated on today's page. Dates are `YYYY-MM-DD`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ban {
    /// The barred subject's IČO, 8 digits.
    pub ico: String,
    /// The number of the decision, if the page has it.
    pub decision_number: Option<String>,
    /// The day of the decision.
    pub decision_date: Option<String>,
    /// The day on which the decision became final.
    pub final_on: Option<String>,
    /// The legal provision of the decision.
    pub legal_basis: Option<String>,
    pub violation_reason: Option<String>,
    pub banned_from: String,
    /// The last day. `None` if the page states that there is none.
    pub banned_until: Option<String>,
    /// Persons named with the barred subject.
    pub related_persons: Vec<RelatedPerson>,
}

/// A person named with the barred subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelatedPerson {
    /// As the page names them.
    pub name: String,
    /// The text in brackets after the name.
    pub role: Option<String>,
}

/// A ban with its history. It is the content of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredBan {
    /// The ban as in the last list that contained it.
    #[serde(flatten)]
    pub ban: Ban,
    /// The status on the day of the import, so that a record changes when its ban begins or ends.
    pub status: Status,
    /// The day of the first import whose list contained it.
    pub first_seen_on: String,
    /// The day of the first import whose list no longer contained it. `None` while it is listed.
    pub removed_on: Option<String>,
}

/// The status of a ban on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Active,
    /// The first day is in the future.
    Upcoming,
    /// The last day has passed.
    Ended,
    /// The ban left the list before its last day.
    Removed,
}

impl Ban {
    /// The key of a ban: decision, subject and first day. All other members may be corrected.
    #[must_use]
    pub fn key(&self) -> String {
        let decision = self
            .decision_number
            .as_deref()
            .map_or_else(String::new, fold);
        format!("{}/{}/{decision}", self.ico, self.banned_from)
    }

    /// The status on a day, given the day on which the ban left the list, if any. ISO dates compare as texts.
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

impl StoredBan {
    /// Reads a record of an earlier import.
    ///
    /// # Errors
    /// [`Failure::Malformed`] if this version does not know the format.
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

    /// The status on a day.
    #[must_use]
    pub fn status_on(&self, day: &str) -> Status {
        self.ban.status(self.removed_on.as_deref(), day)
    }
}
