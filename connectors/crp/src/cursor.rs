//! The cursor of an import: the sweep in progress, and what earlier sweeps read.

use lustra_sdk::serde_json::from_str;
use lustra_sdk::{Failure, fingerprint, to_json};
use serde::{Deserialize, Serialize};

/// The state of the import, stored as JSON text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cursor {
    /// The day back to which the first sweep goes.
    pub from: String,
    /// The sweep in progress.
    pub sweep: Option<Sweep>,
    /// The newest finished sweep.
    pub done: Option<Done>,
}

/// The purpose of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Reads everything, back to the first day.
    First,
    /// Reads what is new since the sweep before.
    New,
    /// Like `New`, and also reads the projects of the last weeks again.
    Again,
}

/// One pass over the list, from its newest page on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    pub kind: Kind,
    /// The day on which it began. A finished sweep has read everything published by then.
    pub began: String,
    /// The number of the next page.
    pub page: u32,
    /// Marks of the projects read last, newest page first. They make it cheap to read a page again, or a page whose
    /// projects have shifted.
    pub read: Vec<String>,
    /// Marks of the first page's projects. The next sweep stops at them.
    pub anchor: Vec<String>,
    /// The oldest day of a project so far.
    pub back_to: Option<String>,
    /// Whether this sweep reached a project of the sweep before.
    pub has_met: bool,
}

/// The newest finished sweep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    /// The day on which it began.
    pub began: String,
    /// Marks of its first page's projects.
    pub anchor: Vec<String>,
    /// The day of the newest sweep that read young projects again.
    pub again: String,
    /// Whether the first sweep ended at the first day. Otherwise it reached the end of the list.
    pub is_cut: bool,
}

/// The mark of a project's path: short, and equal in every run.
#[must_use]
pub fn mark(path: &str) -> String {
    format!("{:016x}", fingerprint(0, path.as_bytes()))
}

impl Cursor {
    /// The cursor of a first import, back to a day.
    #[must_use]
    pub fn first(from: String) -> Self {
        Self {
            from,
            sweep: None,
            done: None,
        }
    }

    /// Reads the text of a cursor. `None` for one of another version.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        from_str(text).ok()
    }

    /// Writes the cursor as text.
    ///
    /// # Errors
    /// Never: texts and numbers are always valid JSON.
    pub fn text(&self) -> Result<String, Failure> {
        to_json(self)
    }
}

impl Sweep {
    /// Begins a sweep today.
    #[must_use]
    pub fn begin(kind: Kind, today: &str) -> Self {
        Self {
            kind,
            began: today.to_owned(),
            page: 0,
            read: Vec::new(),
            anchor: Vec::new(),
            back_to: None,
            has_met: false,
        }
    }
}
