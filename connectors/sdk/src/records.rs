//! Reads and builds the connector's own imported records.

use serde::{Deserialize, Serialize};

pub use crate::bindings::base::lustra::connector::records::{DatasetState, Similar, Stored};
use crate::{Failure, Item, malformed, to_json};

#[cfg(target_family = "wasm")]
use crate::bindings::base::lustra::connector::records as host;
#[cfg(not(target_family = "wasm"))]
use crate::testing::records as host;

/// Most records that the host returns at once.
const PAGE: u32 = 1_000;

/// Records of one company in key order, at most `limit` and 1,000. For all of them, however many and
/// however large, use [`all_of_company`].
///
/// # Errors
/// The host's refusal.
pub fn by_company(dataset: &str, ico: &str, limit: u32) -> Result<Vec<Stored>, Failure> {
    host::by_company(dataset, ico, limit)
}

/// Records whose key starts with the text, in key order, at most `limit` and 1,000. For all of them,
/// however many and however large, use [`all_of_key`] or [`each_of_key`].
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
    let mut all = Vec::new();
    each_of_company(dataset, ico, |stored| {
        all.push(stored);
        Ok(())
    })?;
    Ok(all)
}

/// Calls `read` for each record of one company, in key order. Holds one page in memory, so it is
/// suited to companies with thousands of records.
///
/// # Errors
/// The host's refusal, and the first failure of `read`.
pub fn each_of_company(
    dataset: &str,
    ico: &str,
    mut read: impl FnMut(Stored) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let page = |after: Option<&str>, limit| match after {
        None => host::by_company(dataset, ico, limit),
        Some(after) => host::by_company_after(dataset, ico, after, limit),
    };
    each_page(page, |page| page.into_iter().try_for_each(&mut read))
}

/// All records whose key starts with the text, in key order. Reads as many pages as needed.
///
/// # Errors
/// The host's refusal.
pub fn all_of_key(dataset: &str, key: &str) -> Result<Vec<Stored>, Failure> {
    let mut all = Vec::new();
    each_of_key(dataset, key, |stored| {
        all.push(stored);
        Ok(())
    })?;
    Ok(all)
}

/// Calls `read` for each record whose key starts with the text, in key order. Holds one page in
/// memory, so it is suited to whole lists.
///
/// # Errors
/// The host's refusal, and the first failure of `read`.
pub fn each_of_key(
    dataset: &str,
    key: &str,
    mut read: impl FnMut(Stored) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let page = |after: Option<&str>, limit| match after {
        None => host::by_key(dataset, key, limit),
        Some(after) => host::by_key_after(dataset, key, after, limit),
    };
    each_page(page, |page| page.into_iter().try_for_each(&mut read))
}

/// Reads pages to the end. `page` returns at most a number of records behind a key.
///
/// The host refuses a page whose records together are larger than its limit for one piece, so a
/// refused page is requested again with half as many records, down to one. Each page that fits
/// doubles the number again. The host never shortens a page: a page with fewer records than
/// requested is the last one.
fn each_page(
    page: impl Fn(Option<&str>, u32) -> Result<Vec<Stored>, Failure>,
    mut read: impl FnMut(Vec<Stored>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (mut after, mut limit) = (None::<String>, PAGE);
    loop {
        let records = match page(after.as_deref(), limit) {
            Err(Failure::Refused(_)) if limit > 1 => {
                limit /= 2;
                continue;
            }
            result => result?,
        };
        let is_last = records.len() < limit as usize;
        after = records.last().map(|last| last.key.clone());
        read(records)?;
        if is_last {
            return Ok(());
        }
        limit = (limit * 2).min(PAGE);
    }
}

/// Records whose key starts with the text and sorts behind `after`, in key order: the next page
/// of [`by_key`]. The host refuses a page that is too large; [`each_of_key`] deals with that.
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
pub fn content<'a, T: Deserialize<'a>>(stored: &'a Stored) -> Result<T, Failure> {
    serde_json::from_str(&stored.content).map_err(|error| {
        malformed(
            format!("stored record {}", stored.key),
            format!("this version's form ({error})"),
            &stored.content,
        )
    })
}

#[cfg(test)]
#[expect(
    clippy::unwrap_used,
    reason = "a test that panics has failed, as it should"
)]
mod tests {
    use super::*;
    use crate::testing::TestHost;

    const ICO: &str = "99999994";

    /// A dataset with a record of each size in bytes, all of one company.
    fn host(sizes: &[usize], piece: usize) -> TestHost {
        let of = |(number, size): (usize, &usize)| {
            let text = "x".repeat(size - 2);
            item(format!("{number:05}"), Some(ICO), &text).unwrap()
        };
        let items: Vec<Item> = sizes.iter().enumerate().map(of).collect();
        TestHost::new()
            .piece(piece)
            .dataset("list", "2026-01-15T08:00:00Z", None, items)
    }

    fn keys(all: &[Stored]) -> Vec<&str> {
        all.iter().map(|stored| &*stored.key).collect()
    }

    #[test]
    fn all_records_are_read_whatever_their_size() {
        let large_behind = [vec![2; 1_500], vec![90; 40], vec![2; 1_500]].concat();
        for (sizes, piece) in [
            (vec![], 100),
            (vec![100], 100),
            (vec![100; 7], 100),
            (vec![40; 8], 100),
            (vec![2; 999], 16 << 20),
            (vec![2; 1_000], 16 << 20),
            (vec![2; 2_001], 16 << 20),
            (large_behind, 2_000),
        ] {
            host(&sizes, piece).install();
            let expected: Vec<String> = (0..sizes.len()).map(|key| format!("{key:05}")).collect();
            let place = format!("{} records, {piece} bytes", sizes.len());
            let of_company = all_of_company("list", ICO).unwrap();
            assert_eq!(keys(&of_company), expected, "{place}");
            let of_key = all_of_key("list", "0").unwrap();
            assert_eq!(keys(&of_key), expected, "{place}");
        }
    }

    #[test]
    fn record_above_the_limit_is_refused() {
        host(&[2, 101, 2], 100).install();
        for all in [all_of_company("list", ICO), all_of_key("list", "")] {
            assert!(matches!(all, Err(Failure::Refused(_))));
        }
    }

    #[test]
    fn failure_of_the_reader_ends_the_reading() {
        host(&[2; 3], 100).install();
        let mut read = 0;
        let failure = each_of_key("list", "", |_| {
            read += 1;
            Err(Failure::Unavailable("down".to_owned()))
        });
        assert!(matches!(failure, Err(Failure::Unavailable(_))));
        assert_eq!(read, 1);
    }
}
