//! The records that the imports write and the section reads, the same in both datasets.
//!
//! `{id}/{ico}` is a notice about a company, `{id}/` an unreadable one, and [`READ_SO_FAR`] records how far the
//! bulletin was read.

use lustra_sdk::{Failure, Item, malformed, records};
use serde::{Deserialize, Serialize};

use crate::cursor::Cursor;

/// The key of the record with the reading position.
pub const READ_SO_FAR: &str = "read-so-far";

/// A notice about a company.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The code of its form; `None` if the mirror does not state it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
    /// The code of its kind, for an entry of the commercial register.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The chapter, if the form does not determine it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// The issue: number and year, `107/2025`.
    pub number: String,
    /// The mark by which it is cited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<String>,
    /// The date of the issue.
    pub published_at: String,
    /// The meaning of the notice on one line.
    pub heading: String,
    /// The role of the company.
    pub role: String,
}

/// An unreadable notice: it may be about any company.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unreadable {
    /// The code of its form, if known.
    pub form: Option<String>,
    /// The mark by which it is cited.
    pub mark: Option<String>,
    /// The issue, if known.
    pub number: Option<String>,
    /// Why the notice is unreadable.
    pub why: String,
}

/// How far the bulletin was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadSoFar {
    /// The first date that was read.
    pub since: String,
    /// The date of the newest issue.
    pub until: Option<String>,
    /// True if the mirror had no more rows.
    pub is_at_end: bool,
}

/// The key prefix of a notice's records.
#[must_use]
pub fn prefix(id: u64) -> String {
    format!("{id}/")
}

/// The record of a notice that no longer names a company.
///
/// # Errors
/// Never: null is always valid JSON.
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
/// Never: texts are always valid JSON.
pub fn read_so_far(cursor: &Cursor) -> Result<Item, Failure> {
    let content = ReadSoFar {
        since: cursor.from.clone(),
        until: cursor.until.clone(),
        is_at_end: cursor.is_at_end,
    };
    records::item(READ_SO_FAR, None, &content)
}

/// The latest record of [`read_so_far`] in a dataset.
///
/// # Errors
/// The host's refusal; [`Failure::Malformed`] for a record of another version.
pub fn stored_read_so_far(dataset: &str) -> Result<Option<ReadSoFar>, Failure> {
    let stored = records::by_key(dataset, READ_SO_FAR, 1)?;
    stored.first().map(records::content).transpose()
}

/// The IČO of the companies in a dataset's stored records of a notice; empty for an unreadable notice.
///
/// # Errors
/// The host's refusal.
pub fn stored_companies(dataset: &str, id: u64) -> Result<Vec<String>, Failure> {
    let prefix = prefix(id);
    let stored = records::all_of_key(dataset, &prefix)?;
    let companies = stored
        .iter()
        .filter_map(|stored| stored.key.strip_prefix(&prefix));
    Ok(companies.map(str::to_owned).collect())
}

/// The notice id at the start of a record's key.
///
/// # Errors
/// [`Failure::Malformed`] for a key of another version.
pub fn id_of_key(key: &str) -> Result<u64, Failure> {
    let id = key.split_once('/').and_then(|(id, _)| id.parse().ok());
    id.ok_or_else(|| malformed("key of a stored record", "an id and a slash", key))
}
