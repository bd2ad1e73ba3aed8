//! The stored form of an employer.

use lustra_sdk::listed::UPSTREAM;
use lustra_sdk::sheet::Row;
use lustra_sdk::{Failure, malformed};
use serde::{Deserialize, Serialize};

use crate::bracket;

/// The stored part of a row. The exact number of employees is not stored: the section shows brackets, and a
/// small monthly change is not an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Employer {
    /// The name, in the list's spelling.
    pub name: Option<String>,
    /// The bracket of the number of employees. `None` if the list does not know it.
    pub bracket: Option<String>,
    /// The first day: `YYYY-MM-DD`.
    pub registered_at: Option<String>,
    pub deregistered_at: Option<String>,
}

/// Columns with the size, in order of preference.
const SIZES: [&str; 3] = ["bracket", "class", "employees"];

/// Reads a row: a key that distinguishes it from other rows of its company, and the employer.
///
/// # Errors
/// [`Failure::Malformed`] for an unreadable cell, and for a list without any size.
pub fn read(row: &Row<'_>) -> Result<(String, Employer), Failure> {
    let employer = Employer {
        name: row.text("name"),
        bracket: bracket(row)?,
        registered_at: row.date("registered_at")?,
        deregistered_at: row.date("deregistered_at")?,
    };
    let own = employer.registered_at.clone();
    Ok((own.unwrap_or_default(), employer))
}

fn bracket(row: &Row<'_>) -> Result<Option<String>, Failure> {
    if !SIZES.iter().any(|name| row.has(name)) {
        return Err(malformed(
            format!("{UPSTREAM}: header"),
            "a column of the bracket, of its code or of the number of employees",
            "none of them",
        ));
    }
    if let Some(text) = row.text("bracket") {
        return Ok(Some(text));
    }
    if let Some(code) = row.text("class") {
        let of_class = bracket::of_class(&code);
        return of_class.ok_or_else(|| row.wrong("class", "a code of the list 0073"));
    }
    Ok(row.count("employees")?.map(bracket::of_number))
}
