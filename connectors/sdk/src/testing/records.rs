//! The test host's imported records.

use super::HOST;
use super::companies::similarity;
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

fn select(dataset: &str, limit: u32, keep: impl Fn(&Item) -> bool) -> Vec<Stored> {
    HOST.with(|host| {
        let host = host.borrow();
        let items = host
            .records
            .get(dataset)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let mut found: Vec<Stored> = items.iter().filter(|item| keep(item)).map(stored).collect();
        found.sort_by(|a, b| a.key.cmp(&b.key));
        found.truncate(limit as usize);
        found
    })
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "the shape of the real host's function"
)]
pub fn by_company(dataset: &str, ico: &str, limit: u32) -> Result<Vec<Stored>, Failure> {
    Ok(select(dataset, limit, |item| {
        item.ico.as_deref() == Some(ico)
    }))
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "the shape of the real host's function"
)]
pub fn by_key(dataset: &str, key: &str, limit: u32) -> Result<Vec<Stored>, Failure> {
    Ok(select(dataset, limit, |item| item.key.starts_with(key)))
}

pub fn by_company_after(
    dataset: &str,
    ico: &str,
    after: &str,
    limit: u32,
) -> Result<Vec<Stored>, Failure> {
    behind(by_company(dataset, ico, u32::MAX)?, after, limit)
}

pub fn by_key_after(
    dataset: &str,
    key: &str,
    after: &str,
    limit: u32,
) -> Result<Vec<Stored>, Failure> {
    behind(by_key(dataset, key, u32::MAX)?, after, limit)
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "the shape of the real host's function"
)]
fn behind(records: Vec<Stored>, after: &str, limit: u32) -> Result<Vec<Stored>, Failure> {
    let behind = records
        .into_iter()
        .filter(|record| record.key.as_str() > after);
    Ok(behind.take(limit as usize).collect())
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "the shape of the real host's function"
)]
pub fn by_name(
    dataset: &str,
    name: &str,
    postal_code: Option<&str>,
    limit: u32,
) -> Result<Vec<Similar>, Failure> {
    let found = select(dataset, u32::MAX, |item| {
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
    similar.truncate(limit as usize);
    Ok(similar)
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "the shape of the real host's function"
)]
pub fn state(dataset: &str) -> Result<DatasetState, Failure> {
    Ok(HOST.with(|host| host.borrow().state_of(dataset)))
}
