//! Rows whose companies are not all known, because a detail was not given: their number is stored with the list, so
//! that no section takes a company for absent.

use lustra_sdk::{Failure, Item, records};
use serde::{Deserialize, Serialize};

/// The note that counts these rows.
pub const NOTE: &str = "rows_in_part";
/// The key of the record.
const KEY: &str = "gaps";

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Gaps {
    rows: u64,
}

/// The record with the number of these rows. It belongs to no company.
///
/// # Errors
/// Never: the content is always valid JSON.
pub fn item(rows: u64) -> Result<Item, Failure> {
    records::item(KEY, None, &Gaps { rows })
}

/// How many of these rows a list has.
///
/// # Errors
/// [`Failure::Malformed`] for a record of another version; the host's refusal.
pub fn count(dataset: &str) -> Result<u64, Failure> {
    let stored = records::by_key(dataset, KEY, 1)?;
    let gaps = stored.first().map(records::content::<Gaps>).transpose()?;
    Ok(gaps.map_or(0, |gaps| gaps.rows))
}
