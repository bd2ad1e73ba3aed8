//! The scope `ted_tenders`: how many notices name the company as a buyer, the newest of them, and what they are worth.

use std::collections::BTreeMap;

use lustra_sdk::unread::{self, Unread};
use lustra_sdk::{Failure, amount, malformed};
use serde::Serialize;
use serde_json::Number;

use crate::modifications;
use crate::money::Money;
use crate::notice::{self, Notice};
use crate::settings::Settings;

/// The currency of `total_value`.
const CURRENCY: &str = "EUR";
/// As `unread` names notices behind the last page that is read.
const OLDER: &str = "older-notices";

/// What the search gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Notices of the company.
    pub notices: Vec<Notice>,
    /// Where not all pages were read: how many notices there are by the search's own word.
    pub unread: Option<u64>,
}

/// The section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Content {
    /// Notices.
    pub count: u64,
    /// The newest, newest first.
    pub latest: Vec<Item>,
    /// The sum in euros of the awards that were read, each with its newest modification; 0 where there is none.
    pub total_value: Number,
    /// The currency of the sum.
    pub currency: &'static str,
    /// Sums in other currencies.
    pub other_currencies: Vec<Sum>,
    /// Notices without an awarded amount in a named currency, and those that were not read.
    pub without_value: u64,
    /// Notices that modify an earlier one.
    pub modifications: u64,
    /// What could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<Unread>,
}

/// One notice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Item {
    /// Such as `123456-2026`.
    pub publication_number: String,
    /// In Slovak where it can be had.
    pub title: Option<String>,
    /// `YYYY-MM-DD`.
    pub publication_date: Option<String>,
    /// TED's code.
    pub notice_type: Option<String>,
    /// Of a modification: the number of the notice that it modifies, where it names one.
    pub modifies: Option<String>,
    /// What was awarded.
    pub value: Option<Number>,
    /// Its currency.
    pub currency: Option<String>,
    /// What was estimated.
    pub estimated_value: Option<Number>,
    /// Its currency.
    pub estimated_currency: Option<String>,
    /// The page for people.
    pub url: String,
}

/// A sum in one currency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sum {
    /// ISO 4217.
    pub currency: String,
    /// Awards.
    pub count: u64,
    /// In that currency.
    pub total: Number,
}

/// What is told.
///
/// # Errors
/// [`Failure::Malformed`] for amounts that cannot be added.
pub fn of(
    mut found: Found,
    previous: Option<&str>,
    settings: &Settings,
) -> Result<Content, Failure> {
    found
        .notices
        .sort_by(|one, other| other.age().cmp(&one.age()));
    let mut content = Content {
        count: found.unread.unwrap_or(found.notices.len() as u64),
        latest: Vec::new(),
        total_value: Number::from(0),
        currency: CURRENCY,
        other_currencies: Vec::new(),
        without_value: 0,
        modifications: 0,
        unread: Vec::new(),
    };
    if let Some(count) = found.unread {
        content.unread.push(Unread {
            source: OLDER.to_owned(),
            since: Some(unread::since(previous, OLDER)),
            why: format!(
                "off: there are {count} notices and the setting pages allows to read {}",
                settings.pages * settings.page_size
            ),
        });
    }
    let valued = found.notices.iter().filter(|notice| notice.has_value());
    content.without_value = content.count.saturating_sub(valued.count() as u64);
    content.modifications = modifications::count(&found.notices);
    let mut amounts: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for money in modifications::worths(&found.notices) {
        if let Some(currency) = &money.currency {
            amounts.entry(currency).or_default().push(&money.value);
        }
    }
    if let Some(in_euros) = amounts.remove(CURRENCY) {
        content.total_value = sum(&in_euros)?;
    }
    for (currency, values) in amounts {
        content.other_currencies.push(Sum {
            currency: currency.to_owned(),
            count: values.len() as u64,
            total: sum(&values)?,
        });
    }
    found.notices.truncate(settings.latest);
    for notice in found.notices {
        content.latest.push(item(notice, settings)?);
    }
    Ok(content)
}

fn item(notice: Notice, settings: &Settings) -> Result<Item, Failure> {
    let (value, currency) = apart(notice.value)?;
    let (estimated_value, estimated_currency) = apart(notice.estimate)?;
    Ok(Item {
        url: format!("{}{}", settings.notice_page, notice.number),
        publication_number: notice.number,
        title: notice.title,
        publication_date: notice.date,
        notice_type: notice.kind,
        modifies: notice
            .modifies
            .into_iter()
            .find(|named| notice::is_number(named)),
        value,
        currency,
        estimated_value,
        estimated_currency,
    })
}

fn apart(money: Option<Money>) -> Result<(Option<Number>, Option<String>), Failure> {
    match money {
        None => Ok((None, None)),
        Some(money) => Ok((Some(number(&money.value)?), money.currency)),
    }
}

fn sum(values: &[&str]) -> Result<Number, Failure> {
    let total = amount::sum(values.iter().copied());
    number(&total.unwrap_or_default())
}

fn number(decimal: &str) -> Result<Number, Failure> {
    let what = "notices: amounts";
    amount::to_number(decimal).ok_or_else(|| malformed(what, "amounts that can be added", decimal))
}
