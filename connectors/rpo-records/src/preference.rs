//! The preference among several records of one IČO, as a sortable text.

use lustra_sdk::{CompanyStatus, Failure, date};

use crate::record::{Dated, Record};
use crate::status::Life;

/// The rank of a record among those of its IČO, as a sortable text. The order is: an open IČO, not ended, source
/// registers in the given order, the newest. The id decides the rest, so that no two ranks are equal.
///
/// # Errors
/// As [`Life::of`].
pub fn preference(record: &Record, sources: &[&str]) -> Result<String, Failure> {
    Ok(preference_of(record, &Life::of(record)?, sources))
}

/// Like [`preference`], for a record whose [`Life`] is known.
#[must_use]
pub fn preference_of(record: &Record, life: &Life<'_>, sources: &[&str]) -> String {
    let item = record.ico().map(|(_, item)| item);
    let since = item
        .and_then(|item| date::parse(item.valid_from()))
        .or_else(|| record.establishment.as_deref().and_then(date::parse))
        .unwrap_or_else(|| "0000-00-00".to_owned())
        .replace('-', "");
    let open = u8::from(item.is_some_and(|item| item.valid_to().is_none()));
    let alive = u8::from(life.status == CompanyStatus::Active);
    let source = sources
        .iter()
        .rev()
        .zip(1..)
        .find(|(code, _)| record.source_code() == Some(**code))
        .map_or(0, |(_, rank)| rank);
    format!("{open}-{alive}-{source}-{since}-{:020}", record.id)
}
