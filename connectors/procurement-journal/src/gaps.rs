//! Records of what is known to be unread, so that no section takes it for absence.
//!
//! A notice that could not be read is stored for each company that it names by its number. A notice without such a
//! number may concern any company; its count is shown beside the awards instead of marking every section as unread.

use serde::{Deserialize, Serialize};

/// The key of [`MissingIssues`].
pub const MISSING: &str = "journal/missing";
/// The key of [`Unassigned`].
pub const UNASSIGNED: &str = "journal/unassigned";

/// Issues between others that were read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingIssues {
    /// The oldest first: `2026/23`.
    pub issues: Vec<String>,
}

/// Notices that could not be read and name no company by its number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unassigned {
    pub notices: u64,
}

/// A notice that names a company and could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnreadNotice {
    /// The day on which the issue was published: `YYYY-MM-DD`.
    pub published_at: String,
}

/// The prefix of the keys of a company's unread notices.
#[must_use]
pub fn unread_of(ico: &str) -> String {
    format!("unread/{ico}/")
}
