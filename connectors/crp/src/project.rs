//! The stored form of a project. Its key holds its number in the register.

use serde::{Deserialize, Serialize};

/// The prefix of the key of a project's record.
pub const KEY: &str = "project/";

/// What a section shows of a project. The record's IČO is the recipient's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Project {
    /// The name of the project.
    pub name: String,
    /// The provider of the aid.
    pub provider: Option<String>,
    /// Its type in the register's words.
    pub help_type: Option<String>,
    /// The aid in EUR, decimal text.
    pub amount: Option<String>,
    /// The day of publication: `YYYY-MM-DD`, like the days below.
    pub published_at: Option<String>,
    /// The day on which the contract was signed.
    pub signed_at: Option<String>,
    /// The day on which the project begins.
    pub start: Option<String>,
    pub end: Option<String>,
    /// The path of its page.
    pub path: String,
}

impl Project {
    /// The day by which projects are sorted.
    #[must_use]
    pub fn dated(&self) -> Option<&str> {
        let days = [&self.published_at, &self.signed_at, &self.start];
        days.into_iter().find_map(Option::as_deref)
    }
}
