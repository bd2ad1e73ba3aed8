//! One reference: its row in the list, and its own page.

use lustra_sdk::amount;
use lustra_sdk::{Failure, malformed};
use serde::Serialize;

use crate::labels::Pairs;
use crate::settings::{Lists, References};
use crate::site;
use crate::table::{Column, Row, is_one_of};

/// What the register is called in failures.
pub const LIST: &str = "references";

/// A valid reference from the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reference {
    pub number: String,
    pub buyer_name: String,
    pub contract_subject: String,
    /// The day of the reference: `YYYY-MM-DD`.
    pub published_at: String,
    /// The price of the contract. `None` if the cell is empty.
    pub price: Option<Price>,
    /// The address of its own page.
    pub link: Option<String>,
}

/// An amount of money.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Price {
    /// The amount as a decimal text.
    pub amount: String,
    /// The currency's code by ISO 4217.
    pub currency: String,
}

/// The additional facts on a reference's page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Details {
    /// The buyer's rating, in the register's words.
    pub rating: Option<String>,
    /// The public address of its document.
    pub document_url: Option<String>,
    /// The price of the contract, if the list has no such column.
    pub price: Option<Price>,
}

/// The columns of the list.
#[must_use]
pub fn columns(settings: &References) -> [Column<'_>; 7] {
    [
        ("number", &settings.number, true),
        ("supplier_ico", &settings.supplier_ico, true),
        ("buyer_name", &settings.buyer_name, true),
        ("subject", &settings.subject, true),
        ("price", &settings.price, false),
        ("published_at", &settings.published_at, true),
        ("status", &settings.status, true),
    ]
    .map(|(name, headers, required)| Column {
        name,
        headers,
        required,
    })
}

impl Reference {
    /// Reads a row. `None` for a cancelled reference.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for an invalid row, and for a state that is not in the settings: it decides
    /// whether the reference counts.
    pub fn of(row: &Row, settings: &References, lists: &Lists) -> Result<Option<Self>, Failure> {
        let state = row.required("status")?;
        if is_one_of(&state, &settings.cancelled_states) {
            return Ok(None);
        }
        if !is_one_of(&state, &settings.published_states) {
            return Err(row.wrong("status", "a state that the setting references has"));
        }
        Ok(Some(Self {
            number: row.required("number")?,
            buyer_name: row.required("buyer_name")?,
            contract_subject: row.required("subject")?,
            published_at: row.day("published_at")?,
            price: price(row.text("price").as_deref(), &row.at("price"))?,
            link: row.link(&lists.detail_mark).map(str::to_owned),
        }))
    }
}

impl Details {
    /// Reads the page of a reference.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for the page of another reference, and for a page without the labels.
    pub fn of(
        page: &site::Page,
        number: &str,
        settings: &References,
        address: &str,
    ) -> Result<Self, Failure> {
        let pairs = Pairs::of(&page.document);
        let place = "reference: number";
        let Some(own) = pairs.find(place, &settings.number)? else {
            return Err(site::strange(page, place, "a label of the settings"));
        };
        if own.text.as_deref() != Some(number) {
            return Err(malformed(place, number, "another one"));
        }
        let document = pairs.find("reference: document", &settings.document)?;
        let link = document.and_then(|document| document.link.as_deref());
        let place = "reference: price";
        let worth = pairs.find(place, &settings.price)?;
        Ok(Self {
            rating: pairs.text("reference: rating", &settings.rating)?,
            document_url: link.and_then(|link| site::address_of(link, address)),
            price: price(worth.and_then(|worth| worth.text.as_deref()), place)?,
        })
    }
}

/// `12 500,00 EUR`, `1 234,50 €` or `12 500`, which is in euros. Any other currency has three letters after the
/// amount.
fn price(text: Option<&str>, place: &str) -> Result<Option<Price>, Failure> {
    let Some(text) = text else {
        return Ok(None);
    };
    if let Some(amount) = amount::parse(text) {
        let currency = "EUR".to_owned();
        return Ok(Some(Price { amount, currency }));
    }
    let (amount, currency) = text.rsplit_once(' ').unwrap_or((text, ""));
    let currency = if currency == "Kč" { "CZK" } else { currency };
    let is_code = currency.len() == 3 && currency.bytes().all(|byte| byte.is_ascii_uppercase());
    match amount::parse(amount).filter(|_| is_code) {
        Some(amount) => Ok(Some(Price {
            amount,
            currency: currency.to_owned(),
        })),
        None => Err(malformed(
            place,
            "an amount and its currency",
            format!("a text of {} characters", text.chars().count()),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn price_without_currency_is_in_euros() {
        let of = |text| {
            let price = price(Some(text), "x").ok().flatten()?;
            Some(format!("{} {}", price.amount, price.currency))
        };
        for (text, expected) in [
            ("12 500,00 EUR", Some("12500.00 EUR")),
            ("1\u{a0}234,50 €", Some("1234.50 EUR")),
            ("12 500", Some("12500 EUR")),
            ("12 500,00 CZK", Some("12500.00 CZK")),
            ("900,50 Kč", Some("900.50 CZK")),
            ("dohodou", None),
            ("12 500,00 eur bez DPH", None),
        ] {
            assert_eq!(of(text).as_deref(), expected, "{text}");
        }
        assert_eq!(price(None, "x").ok(), Some(None));
    }
}
