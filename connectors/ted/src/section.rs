//! The scope `ted_tenders`: number of notices that name the company as a buyer, the newest of them, and their
//! value.

use std::collections::BTreeMap;

use lustra_sdk::unread::{self, Gap, Unread};
use lustra_sdk::{Failure, amount, malformed};
use serde::Serialize;
use serde_json::Number;

use crate::modifications;
use crate::money::Money;
use crate::notice::{self, Notice};
use crate::settings::Settings;

/// The currency of `total_value`.
const CURRENCY: &str = "EUR";
/// The name in `unread` for notices after the last page read.
const OLDER: &str = "older-notices";

/// The result of the search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Notices of the company.
    pub notices: Vec<Notice>,
    /// The total number of notices according to the search, if not all pages were read.
    pub unread: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Content {
    pub count: u64,
    /// The newest notices, newest first.
    pub latest: Vec<Item>,
    /// The sum in euros of the awards read, each with its newest modification; 0 if there is none.
    pub total_value: Number,
    /// The currency of the sum.
    pub currency: &'static str,
    /// Sums in other currencies.
    pub other_currencies: Vec<Sum>,
    /// Number of notices without an awarded amount in a named currency, plus those not read.
    pub without_value: u64,
    /// Number of notices that modify an earlier one.
    pub modifications: u64,
    /// The sources that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<Unread>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Item {
    /// The number of the notice, such as `123456-2026`.
    pub publication_number: String,
    /// The title, in Slovak if available.
    pub title: Option<String>,
    /// The date of publication: `YYYY-MM-DD`.
    pub publication_date: Option<String>,
    pub notice_type: Option<String>,
    /// For a modification: the number of the modified notice, if it names one.
    pub modifies: Option<String>,
    pub value: Option<Number>,
    pub currency: Option<String>,
    pub estimated_value: Option<Number>,
    pub estimated_currency: Option<String>,
    pub url: String,
}

/// A sum in one currency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sum {
    /// The currency's code by ISO 4217.
    pub currency: String,
    pub count: u64,
    /// The sum in that currency.
    pub total: Number,
}

/// Builds the content.
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
            why: Gap::Truncated(format!(
                "there are {count} notices and the setting pages allows to read {}",
                settings.pages * settings.page_size
            )),
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
