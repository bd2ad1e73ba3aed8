//! How far the bulletin was read, as the cursor of a batch says it.

use lustra_sdk::{Failure, serde_json, to_json};
use serde::{Deserialize, Serialize};

use crate::feed::Place;

/// The cursor of a batch. It holds all that a run needs to go on as if it had not been interrupted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cursor {
    /// The time of the last change of the last row read, as the mirror writes it.
    pub since: String,
    /// The id of that row; none before the first.
    pub last_id: Option<u64>,
    /// From which date on the mirror was read: `YYYY-MM-DD`.
    pub from: String,
    /// The newest issue that was read: `YYYY-MM-DD`.
    pub until: Option<String>,
    /// Whether the mirror had no more.
    pub is_at_end: bool,
}

impl Cursor {
    /// Before the first row of a date on.
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

    /// Reads one; `None` for that of another version.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// As text.
    ///
    /// # Errors
    /// None in fact: texts and numbers are always JSON.
    pub fn to_text(&self) -> Result<String, Failure> {
        to_json(self)
    }

    /// The place in the mirror's order.
    #[must_use]
    pub fn place(&self) -> Place {
        Place {
            since: self.since.clone(),
            last_id: self.last_id,
        }
    }

    /// Moves to a place.
    pub fn move_to(&mut self, place: Place) {
        self.since = place.since;
        self.last_id = place.last_id;
    }

    /// Notes the date of an issue.
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
