//! Reads and builds the connector's own imported records.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use crate::bindings::base::lustra::connector::records::{DatasetState, Similar, Stored};
use crate::{Failure, Item, malformed, to_json};

#[cfg(target_family = "wasm")]
use crate::bindings::base::lustra::connector::records as host;
#[cfg(not(target_family = "wasm"))]
use crate::testing::records as host;

/// Maximum number of records that the host returns at once.
const PAGE: u32 = 1_000;

/// Records of one company in key order, at most `limit` and 1,000.
///
/// # Errors
/// The host's refusal.
pub fn by_company(dataset: &str, ico: &str, limit: u32) -> Result<Vec<Stored>, Failure> {
    host::by_company(dataset, ico, limit)
}

/// Records whose key starts with the text, in key order.
///
/// # Errors
/// The host's refusal.
pub fn by_key(dataset: &str, key: &str, limit: u32) -> Result<Vec<Stored>, Failure> {
    host::by_key(dataset, key, limit)
}

/// All records of one company in key order. Reads as many pages as needed.
///
/// # Errors
/// The host's refusal.
pub fn all_of_company(dataset: &str, ico: &str) -> Result<Vec<Stored>, Failure> {
    let mut all = host::by_company(dataset, ico, PAGE)?;
    let mut page = all.len();
    while page == PAGE as usize {
        let after = all.last().map_or("", |last| last.key.as_str()).to_owned();
        let next = host::by_company_after(dataset, ico, &after, PAGE)?;
        page = next.len();
        all.extend(next);
    }
    Ok(all)
}

/// All records whose key starts with the text, in key order. Reads as many pages as needed.
///
/// # Errors
/// The host's refusal.
pub fn all_of_key(dataset: &str, key: &str) -> Result<Vec<Stored>, Failure> {
    let mut all = host::by_key(dataset, key, PAGE)?;
    let mut page = all.len();
    while page == PAGE as usize {
        let after = all.last().map_or("", |last| last.key.as_str()).to_owned();
        let next = host::by_key_after(dataset, key, &after, PAGE)?;
        page = next.len();
        all.extend(next);
    }
    Ok(all)
}

/// Records whose key starts with the text and sorts behind `after`, in key order: the next page
/// of [`by_key`].
///
/// # Errors
/// The host's refusal.
pub fn by_key_after(
    dataset: &str,
    key: &str,
    after: &str,
    limit: u32,
) -> Result<Vec<Stored>, Failure> {
    host::by_key_after(dataset, key, after, limit)
}

/// Records with a similar name, most similar first. A postal code limits the result to records
/// with that code.
///
/// # Errors
/// The host's refusal.
pub fn by_name(
    dataset: &str,
    name: &str,
    postal_code: Option<&str>,
    limit: u32,
) -> Result<Vec<Similar>, Failure> {
    host::by_name(dataset, name, postal_code, limit)
}

/// The host's state of the dataset. Without `imported_at` the dataset allows no statement about a
/// company.
///
/// # Errors
/// [`Failure::Misconfigured`] if the manifest declares no such dataset.
pub fn state(dataset: &str) -> Result<DatasetState, Failure> {
    host::state(dataset)
}

/// A record to import: its key, the company it is about (if any) and its content. Cannot be
/// searched by name or place.
///
/// # Errors
/// The content cannot be represented as JSON; see [`to_json`].
pub fn item(
    key: impl Into<String>,
    ico: Option<&str>,
    content: &impl Serialize,
) -> Result<Item, Failure> {
    Ok(Item {
        key: key.into(),
        ico: ico.map(str::to_owned),
        name: None,
        city: None,
        postal_code: None,
        content: to_json(content)?,
        removed: false,
    })
}

/// The content of a row that names a company but is otherwise unreadable.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct UnreadableRow {
    unreadable_row: bool,
}

/// A record for an odd row of a list: the row names this company but is otherwise unreadable.
/// Without this record the company would count as not listed. The record does not contain the
/// reason, so that it stays equal in the next list.
///
/// # Errors
/// Never: the content is always valid JSON.
pub fn unreadable_row(key: impl Into<String>, ico: &str) -> Result<Item, Failure> {
    let content = UnreadableRow {
        unreadable_row: true,
    };
    item(key, Some(ico), &content)
}

/// True if a stored record was made by [`unreadable_row`].
#[must_use]
pub fn is_unreadable_row(stored: &Stored) -> bool {
    serde_json::from_str::<UnreadableRow>(&stored.content).is_ok()
}

/// Deserializes the content of a stored record.
///
/// # Errors
/// [`Failure::Malformed`] if the record was written by a version with another format.
pub fn content<T: DeserializeOwned>(stored: &Stored) -> Result<T, Failure> {
    serde_json::from_str(&stored.content).map_err(|error| {
        malformed(
            format!("stored record {}", stored.key),
            format!("this version's form ({error})"),
            &stored.content,
        )
    })
}
