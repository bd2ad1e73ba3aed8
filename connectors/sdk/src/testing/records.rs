//! The test host's imported records.

use super::HOST;
use super::companies::similarity;
use super::rules::check_dataset;
use crate::records::{DatasetState, Similar, Stored};
use crate::{Failure, Item};

fn stored(item: &Item) -> Stored {
    Stored {
        key: item.key.clone(),
        ico: item.ico.clone(),
        name: item.name.clone(),
        city: item.city.clone(),
        postal_code: item.postal_code.clone(),
        content: item.content.clone(),
    }
}

/// Most records in one answer, as in the real host.
const MAX_RECORDS: u32 = 1_000;

/// The records to keep, in key order.
fn select(dataset: &str, keep: impl Fn(&Item) -> bool) -> Vec<Stored> {
    HOST.with(|host| {
        let host = host.borrow();
        let items = host
            .records
            .get(dataset)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let mut found: Vec<Stored> = items.iter().filter(|item| keep(item)).map(stored).collect();
        found.sort_by(|a, b| a.key.cmp(&b.key));
        found
    })
}

/// The first records behind a key. Like the real host, refuses records that together are larger
/// than the limit for one piece.
fn page(mut found: Vec<Stored>, after: Option<&str>, limit: u32) -> Result<Vec<Stored>, Failure> {
    found.retain(|record| after.is_none_or(|after| record.key.as_str() > after));
    found.truncate(limit.min(MAX_RECORDS) as usize);
    let bytes: usize = found.iter().map(|record| record.content.len()).sum();
    let piece = HOST.with(|host| host.borrow().piece.unwrap_or(super::PIECE));
    if bytes > piece {
        return Err(Failure::Refused(format!(
            "the records have {bytes} bytes; {piece} is the most in one answer"
        )));
    }
    Ok(found)
}

fn of_company(dataset: &str, ico: &str) -> Vec<Stored> {
    select(dataset, |item| item.ico.as_deref() == Some(ico))
}

fn of_key(dataset: &str, key: &str) -> Vec<Stored> {
    select(dataset, |item| item.key.starts_with(key))
}

pub fn by_company(dataset: &str, ico: &str, limit: u32) -> Result<Vec<Stored>, Failure> {
    check_dataset(dataset)?;
    page(of_company(dataset, ico), None, limit)
}

pub fn by_key(dataset: &str, key: &str, limit: u32) -> Result<Vec<Stored>, Failure> {
    check_dataset(dataset)?;
    page(of_key(dataset, key), None, limit)
}

pub fn by_company_after(
    dataset: &str,
    ico: &str,
    after: &str,
    limit: u32,
) -> Result<Vec<Stored>, Failure> {
    check_dataset(dataset)?;
    page(of_company(dataset, ico), Some(after), limit)
}

pub fn by_key_after(
    dataset: &str,
    key: &str,
    after: &str,
    limit: u32,
) -> Result<Vec<Stored>, Failure> {
    check_dataset(dataset)?;
    page(of_key(dataset, key), Some(after), limit)
}

pub fn by_name(
    dataset: &str,
    name: &str,
    postal_code: Option<&str>,
    limit: u32,
) -> Result<Vec<Similar>, Failure> {
    check_dataset(dataset)?;
    let found = select(dataset, |item| {
        postal_code.is_none() || item.postal_code.as_deref() == postal_code
    });
    let mut similar: Vec<Similar> = found
        .into_iter()
        .map(|stored| Similar {
            similarity: similarity(stored.name.as_deref().unwrap_or_default(), name),
            found: stored,
        })
        .filter(|similar| similar.similarity > 0.0)
        .collect();
    similar.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    similar.truncate(limit.min(MAX_RECORDS) as usize);
    Ok(similar)
}

pub fn state(dataset: &str) -> Result<DatasetState, Failure> {
    check_dataset(dataset)?;
    Ok(HOST.with(|host| host.borrow().state_of(dataset)))
}
