//! Where an import goes on: which sweep over the list is under way, and what the sweeps before it read.

use lustra_sdk::serde_json::from_str;
use lustra_sdk::{Failure, fingerprint, to_json};
use serde::{Deserialize, Serialize};

/// The state of the import. As text it is JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cursor {
    /// The day back to which the first sweep goes.
    pub from: String,
    /// The sweep that is under way.
    pub sweep: Option<Sweep>,
    /// What was read to its end.
    pub done: Option<Done>,
}

/// Why the list is gone through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// For everything, back to the first day.
    First,
    /// For what is new since the sweep before.
    New,
    /// For that, and for what young projects say now.
    Again,
}

/// A way through the list, from its newest page on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    pub kind: Kind,
    /// The day on which it began: what was published by then is had when it is over.
    pub began: String,
    /// The page that is read next.
    pub page: u32,
    /// Marks of the projects that were read last, those of the newest page first, so that a page that is read again, or
    /// whose projects moved on, costs nothing.
    pub read: Vec<String>,
    /// Marks of the first page's projects, at which the next sweep will stop.
    pub anchor: Vec<String>,
    /// The oldest day of a project so far.
    pub back_to: Option<String>,
    /// Whether a project of the sweep before was met.
    pub has_met: bool,
}

/// The newest sweep that came to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    /// The day on which it began.
    pub began: String,
    /// Marks of its first page's projects.
    pub anchor: Vec<String>,
    /// The day of the newest sweep that read young projects again.
    pub again: String,
    /// Whether the first sweep ended at the first day; else it came to the end of the list.
    pub is_cut: bool,
}

/// The mark of a project's path: short, and the same in every run.
#[must_use]
pub fn mark(path: &str) -> String {
    format!("{:016x}", fingerprint(0, path.as_bytes()))
}

impl Cursor {
    /// Of an import that begins, back to a day.
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

    /// The text.
    ///
    /// # Errors
    /// Never: texts and numbers are always JSON.
    pub fn text(&self) -> Result<String, Failure> {
        to_json(self)
    }
}

impl Sweep {
    /// One that begins today.
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
