//! The connector's own imported records.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use crate::bindings::base::lustra::connector::records::{DatasetState, Similar, Stored};
use crate::{Failure, Item, malformed, to_json};

#[cfg(target_family = "wasm")]
use crate::bindings::base::lustra::connector::records as host;
#[cfg(not(target_family = "wasm"))]
use crate::testing::records as host;

/// The most that the host gives at once.
const PAGE: u32 = 1_000;

/// Records of one company, in the order of their keys, at most `limit` and 1,000.
///
/// # Errors
/// What the host refused.
pub fn by_company(dataset: &str, ico: &str, limit: u32) -> Result<Vec<Stored>, Failure> {
    host::by_company(dataset, ico, limit)
}

/// Records whose key begins with the text, in the order of their keys.
///
/// # Errors
/// What the host refused.
pub fn by_key(dataset: &str, key: &str, limit: u32) -> Result<Vec<Stored>, Failure> {
    host::by_key(dataset, key, limit)
}

/// All records of one company, in the order of their keys, however many there are.
///
/// # Errors
/// What the host refused.
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

/// All records whose key begins with the text, in the order of their keys, however many there are.
///
/// # Errors
/// What the host refused.
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

/// Records whose key begins with the text and follows `after`, in the order of their keys: what [`by_key`] gives next.
///
/// # Errors
/// What the host refused.
pub fn by_key_after(
    dataset: &str,
    key: &str,
    after: &str,
    limit: u32,
) -> Result<Vec<Stored>, Failure> {
    host::by_key_after(dataset, key, after, limit)
}

/// Records named alike, most similar first; only such with the postal code, where one is given.
///
/// # Errors
/// What the host refused.
pub fn by_name(
    dataset: &str,
    name: &str,
    postal_code: Option<&str>,
    limit: u32,
) -> Result<Vec<Similar>, Failure> {
    host::by_name(dataset, name, postal_code, limit)
}

/// What the host knows of the dataset. Without `imported_at` nothing can be said from it.
///
/// # Errors
/// [`Failure::Misconfigured`] when the manifest names no such dataset.
pub fn state(dataset: &str) -> Result<DatasetState, Failure> {
    host::state(dataset)
}

/// A record to be imported: its key, the company that it is about, where there is one, and its content. Nobody finds it
/// by a name or a place.
///
/// # Errors
/// The content is no JSON, as [`to_json`] says.
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

/// What is kept of a row that names a company and cannot be read otherwise.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct UnreadableRow {
    unreadable_row: bool,
}

/// A record that stands for an odd row of a list: it names this company and nothing else of it can be read. Without it
/// the company would be taken for one that is not listed. It does not say what is odd, so that it is the same record in
/// the next list.
///
/// # Errors
/// None in fact: the content is always JSON.
pub fn unreadable_row(key: impl Into<String>, ico: &str) -> Result<Item, Failure> {
    let content = UnreadableRow {
        unreadable_row: true,
    };
    item(key, Some(ico), &content)
}

/// Whether a stored record is one of [`unreadable_row`].
#[must_use]
pub fn is_unreadable_row(stored: &Stored) -> bool {
    serde_json::from_str::<UnreadableRow>(&stored.content).is_ok()
}

/// A stored record's content, read into a type.
///
/// # Errors
/// [`Failure::Malformed`] when the record was written by a version whose form this one does not know.
pub fn content<T: DeserializeOwned>(stored: &Stored) -> Result<T, Failure> {
    serde_json::from_str(&stored.content).map_err(|error| {
        malformed(
            format!("stored record {}", stored.key),
            format!("this version's form ({error})"),
            &stored.content,
        )
    })
}
