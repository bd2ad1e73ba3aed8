//! The records that the imports write and the section reads, alike in each dataset.
//!
//! `{id}/{ico}` is a notice about a company, `{id}/` one that could not be read, and [`READ_SO_FAR`] tells how far the
//! bulletin was read.

use lustra_sdk::{Failure, Item, malformed, records};
use serde::{Deserialize, Serialize};

use crate::cursor::Cursor;

/// The key of the record that tells how far the bulletin was read.
pub const READ_SO_FAR: &str = "read-so-far";

/// A notice about a company.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The code of its form; none where the mirror does not say which it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
    /// The code of its kind, of an entry of the commercial register.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The chapter, where the form does not tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// The issue: number and year, `107/2025`.
    pub number: String,
    /// The mark by which it is cited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<String>,
    /// The date of the issue.
    pub published_at: String,
    /// What it is, in one line.
    pub heading: String,
    /// What the company is in it.
    pub role: String,
}

/// A notice that could not be read: it may be about anybody.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unreadable {
    /// The code of its form, where it is known.
    pub form: Option<String>,
    /// The mark by which it is cited.
    pub mark: Option<String>,
    /// The issue, where it is known.
    pub number: Option<String>,
    /// Why it could not be read.
    pub why: String,
}

/// How far the bulletin was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadSoFar {
    /// From which date on.
    pub since: String,
    /// The date of the newest issue.
    pub until: Option<String>,
    /// Whether the mirror had no more.
    pub is_at_end: bool,
}

/// The beginning of the keys of a notice's records.
#[must_use]
pub fn prefix(id: u64) -> String {
    format!("{id}/")
}

/// The record of a notice that is no longer about a company.
///
/// # Errors
/// None in fact: nothing is always JSON.
pub fn removed(id: u64, ico: &str) -> Result<Item, Failure> {
    Ok(Item {
        removed: true,
        ..records::item(
            format!("{id}/{ico}"),
            Some(ico).filter(|ico| !ico.is_empty()),
            &(),
        )?
    })
}

/// The record of how far the bulletin was read.
///
/// # Errors
/// None in fact: texts are always JSON.
pub fn read_so_far(cursor: &Cursor) -> Result<Item, Failure> {
    let content = ReadSoFar {
        since: cursor.from.clone(),
        until: cursor.until.clone(),
        is_at_end: cursor.is_at_end,
    };
    records::item(READ_SO_FAR, None, &content)
}

/// What [`read_so_far`] wrote last in a dataset.
///
/// # Errors
/// What the host refused; [`Failure::Malformed`] for a record of another version.
pub fn stored_read_so_far(dataset: &str) -> Result<Option<ReadSoFar>, Failure> {
    let stored = records::by_key(dataset, READ_SO_FAR, 1)?;
    stored.first().map(records::content).transpose()
}

/// The IČO of the companies that a dataset's stored records of a notice are about; empty for one that could not be read.
///
/// # Errors
/// What the host refused.
pub fn stored_companies(dataset: &str, id: u64) -> Result<Vec<String>, Failure> {
    /// More than any notice has; a form allows 200 obligors.
    const MOST: u32 = 1_000;
    let prefix = prefix(id);
    let stored = records::by_key(dataset, &prefix, MOST)?;
    let companies = stored
        .iter()
        .filter_map(|stored| stored.key.strip_prefix(&prefix));
    Ok(companies.map(str::to_owned).collect())
}

/// The id of the notice that a record's key begins with.
///
/// # Errors
/// [`Failure::Malformed`] for a key of another version.
pub fn id_of_key(key: &str) -> Result<u64, Failure> {
    let id = key.split_once('/').and_then(|(id, _)| id.parse().ok());
    id.ok_or_else(|| malformed("key of a stored record", "an id and a slash", key))
}
