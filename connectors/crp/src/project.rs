//! A project as it is kept, under its number in the register.

use serde::{Deserialize, Serialize};

/// What stands before a project's number in the key of its record.
pub const KEY: &str = "project/";

/// What a section shows of a project. The recipient is whom the record is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Project {
    /// The name of the project.
    pub name: String,
    /// Who gives the aid.
    pub provider: Option<String>,
    /// Its type in the register's words.
    pub help_type: Option<String>,
    /// The aid in EUR, decimal text.
    pub amount: Option<String>,
    /// When it was published: `YYYY-MM-DD`, as the days below.
    pub published_at: Option<String>,
    /// When the contract was signed.
    pub signed_at: Option<String>,
    /// When the project begins.
    pub start: Option<String>,
    pub end: Option<String>,
    /// The path of its page.
    pub path: String,
}

impl Project {
    /// The day that says how old it is.
    #[must_use]
    pub fn dated(&self) -> Option<&str> {
        let days = [&self.published_at, &self.signed_at, &self.start];
        days.into_iter().find_map(Option::as_deref)
    }
}
