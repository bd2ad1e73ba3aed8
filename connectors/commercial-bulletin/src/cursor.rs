//! The cursor of a batch: how far the bulletin was read.

use lustra_sdk::{Failure, serde_json, to_json};
use serde::{Deserialize, Serialize};

use crate::row::Position;

/// The cursor of a batch. It contains everything that a run needs to resume as if uninterrupted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cursor {
    /// The last change of the last row read, in the mirror's format.
    pub since: String,
    /// The id of that row; `None` before the first row.
    pub last_id: Option<u64>,
    /// The first date that was read: `YYYY-MM-DD`.
    pub from: String,
    /// The newest issue read: `YYYY-MM-DD`.
    pub until: Option<String>,
    /// True if the mirror had no more rows.
    pub is_at_end: bool,
}

impl Cursor {
    /// The position before the first row of a date.
    #[must_use]
    pub fn beginning(from: String) -> Self {
        Self {
            since: format!("{from}T00:00:00.000000Z"),
            last_id: None,
            from,
            until: None,
            is_at_end: false,
        }
    }

    /// Parses a cursor; `None` for another version.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The cursor as text.
    ///
    /// # Errors
    /// Never: texts and numbers are always valid JSON.
    pub fn to_text(&self) -> Result<String, Failure> {
        to_json(self)
    }

    /// The position in the mirror's order.
    #[must_use]
    pub fn position(&self) -> Position {
        Position {
            since: self.since.clone(),
            last_id: self.last_id,
        }
    }

    /// Moves to a position.
    pub fn move_to(&mut self, position: Position) {
        self.since = position.since;
        self.last_id = position.last_id;
    }

    /// Records the date of an issue.
    pub fn note_issue(&mut self, published_at: &str) {
        if self
            .until
            .as_deref()
            .is_none_or(|until| until < published_at)
        {
            self.until = Some(published_at.to_owned());
        }
    }
}
