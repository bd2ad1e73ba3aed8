//! A row of the mirror's tables, and a position in the order of its rows.

use lustra_sdk::{Failure, date, http, malformed};
use serde::{Deserialize, Deserializer};

/// An issue of the bulletin.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Issue {
    /// The year of its number.
    pub year: u16,
    /// Its number in that year.
    pub number: u32,
    /// A timestamp; only its date is meaningful.
    pub published_at: String,
}

/// The citation of an issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issued {
    /// Number and year: `107/2025`.
    pub number: String,
    /// The date of publication: `YYYY-MM-DD`.
    pub published_at: String,
}

/// One row of a table: the members common to all tables, and the rest that is specific to this one.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Row<T> {
    pub id: u64,
    /// When the mirror received it: ISO 8601 with microseconds.
    pub created_at: String,
    /// When the mirror last changed it; pages are in this order.
    pub updated_at: String,
    /// The issue; `None` until the mirror links it.
    #[serde(deserialize_with = "required")]
    pub bulletin_issue: Option<Issue>,
    /// The members of this table.
    #[serde(flatten)]
    pub rest: T,
}

impl<T> Row<T> {
    /// The citation of its issue.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for an issue with an invalid date.
    pub fn issued(&self) -> Result<Option<Issued>, Failure> {
        let Some(issue) = &self.bulletin_issue else {
            return Ok(None);
        };
        let published_at = date::parse(&issue.published_at).ok_or_else(|| {
            malformed(
                format!("row {}: bulletin_issue/published_at", self.id),
                "a date",
                &issue.published_at,
            )
        })?;
        Ok(Some(Issued {
            number: format!("{}/{}", issue.number, issue.year),
            published_at,
        }))
    }
}

/// A member that may be null but not missing, because a renamed member must not look like an empty one.
pub(crate) fn required<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Option::deserialize(deserializer)
}

/// A position in the mirror's order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// The last change of the last row read, in the mirror's own text.
    pub since: String,
    /// The id of that row; `None` at the start.
    pub last_id: Option<u64>,
}

impl Position {
    /// The path of the page after this position, for the table at a path.
    #[must_use]
    pub fn path(&self, table: &str) -> String {
        let since = http::encode(&self.since);
        match self.last_id {
            Some(last_id) => format!("{table}?since={since}&last_id={last_id}"),
            None => format!("{table}?since={since}"),
        }
    }
}
