//! The scope `procurement`: what the company won in public procurement.
//!
//! An award is one lot. If companies won a lot together, each of them gets it with its whole value. Amounts in other
//! currencies than the euro are added up separately and never converted.

use std::collections::{BTreeMap, BTreeSet};

use lustra_sdk::{Failure, Section, Subject, amount, malformed, records};
use serde::Serialize;
use serde_json::Number;

use crate::award::{Award, Buyer, Correction, Sequence, correction_of};
use crate::names::DATASET;
use crate::unread::Journal;
use lustra_sdk::unread::Unread;

/// The number of awards that the section shows.
const MAX_SHOWN: usize = 10;
const EURO: &str = "EUR";
/// The address of an order's page for people.
const ORDER_PAGE: &str = "https://www.uvo.gov.sk/vyhladavanie/vyhladavanie-zakaziek/detail/";

#[derive(Debug, Serialize)]
struct Procurement {
    count: usize,
    /// Null if awards were found but none has an amount in euros.
    total_awarded_value: Option<Number>,
    currency: &'static str,
    other_currencies: Vec<OtherCurrency>,
    without_amount: usize,
    joint: usize,
    latest: Vec<Shown>,
    since: Option<String>,
    until: Option<String>,
    /// Notices that could not be read and name no company, so that each may be an award of this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    unassigned_notices: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<Unread>,
}

#[derive(Debug, Serialize)]
struct OtherCurrency {
    currency: String,
    count: usize,
    total: Number,
}

#[derive(Debug, Serialize)]
struct Shown {
    notice_id: String,
    title: Option<String>,
    lot: String,
    buyer: Buyer,
    value: Option<Number>,
    currency: Option<String>,
    cpv: Option<String>,
    contract_date: Option<String>,
    contract_url: Option<String>,
    published_at: String,
    url: Option<String>,
}

/// Builds the section.
///
/// # Errors
/// [`Failure::Unavailable`] if the journal was never read; the host's refusal.
pub fn section(subject: &Subject) -> Result<Section, Failure> {
    let journal = Journal::read(&subject.ico)?;
    let awards = awards(&subject.ico)?;
    let sums = sums(&awards)?;
    let total = match (sums.get(EURO), awards.is_empty()) {
        (Some((_, total)), _) => Some(total.clone()),
        (None, true) => Some(Number::from(0)),
        (None, false) => None,
    };
    let other_currencies = sums
        .into_iter()
        .filter(|(currency, _)| currency != EURO)
        .map(|(currency, (count, total))| OtherCurrency {
            currency,
            count,
            total,
        });
    let content = Procurement {
        count: awards.len(),
        total_awarded_value: total,
        currency: EURO,
        other_currencies: other_currencies.collect(),
        without_amount: awards.iter().filter(|award| award.value.is_none()).count(),
        joint: awards.iter().filter(|award| award.members > 1).count(),
        latest: awards.into_iter().take(MAX_SHOWN).map(shown).collect(),
        since: journal.since.clone(),
        until: journal.until.clone(),
        unassigned_notices: (journal.unassigned > 0).then_some(journal.unassigned),
        unread: journal.unread.clone(),
    };
    journal.section(&content)
}

/// The awards that count, newest first.
fn awards(ico: &str) -> Result<Vec<Award>, Failure> {
    let mut awards: Vec<Award> = Vec::new();
    for stored in records::all_of_company(DATASET, ico)? {
        if stored.key.starts_with("award/") {
            awards.push(records::content(&stored)?);
        }
    }
    let procedures: BTreeSet<&str> = awards
        .iter()
        .map(|award| award.procedure.as_str())
        .collect();
    let mut corrected: BTreeMap<(String, String), Sequence> = BTreeMap::new();
    for procedure in procedures {
        for stored in records::all_of_key(DATASET, &correction_of(procedure, ""))? {
            let Correction { lot, sequence } = records::content(&stored)?;
            corrected.insert((procedure.to_owned(), lot), sequence);
        }
    }
    awards.retain(|award| {
        let lot = (award.procedure.clone(), award.lot.clone());
        corrected
            .get(&lot)
            .is_none_or(|sequence| award.sequence >= *sequence)
    });
    awards.sort_by(|a, b| {
        b.sequence
            .cmp(&a.sequence)
            .then_with(|| a.lot.cmp(&b.lot))
            .then_with(|| a.procedure.cmp(&b.procedure))
    });
    Ok(awards)
}

/// The number of awards and their sum, by currency.
fn sums(awards: &[Award]) -> Result<BTreeMap<String, (usize, Number)>, Failure> {
    let mut values: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for value in awards.iter().filter_map(|award| award.value.as_ref()) {
        values
            .entry(&value.currency)
            .or_default()
            .push(&value.value);
    }
    let mut sums = BTreeMap::new();
    for (currency, values) in values {
        let count = values.len();
        let total = amount::sum(values.iter().copied())
            .as_deref()
            .and_then(amount::to_number);
        let Some(total) = total else {
            let found = values.join(", ");
            return Err(malformed(
                format!("stored amounts in {currency}"),
                "decimal numbers with at most six decimals",
                found,
            ));
        };
        sums.insert(currency.to_owned(), (count, total));
    }
    Ok(sums)
}

fn shown(award: Award) -> Shown {
    let (value, currency) = match award.value {
        Some(money) => (amount::to_number(&money.value), Some(money.currency)),
        None => (None, None),
    };
    Shown {
        notice_id: award.notice_id,
        title: award.title,
        lot: award.lot,
        buyer: award.buyer,
        value,
        currency,
        cpv: award.cpv,
        contract_date: award.contract_date,
        contract_url: award.contract_url,
        published_at: award.published_at,
        url: award.order_id.map(|id| format!("{ORDER_PAGE}{id}")),
    }
}
