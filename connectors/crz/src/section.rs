//! The scope `public_contracts`: number and value of the contracts in which a company is the supplier.
//!
//! Counts published contracts, without amendments and cancelled ones. The amount of an amendment is not added,
//! because the total of its contract includes it. The section needs no network.

use std::cmp::Reverse;

use lustra_sdk::serde_json::{Number, Value, json};
use lustra_sdk::unread::{self, Gap, Unread};
use lustra_sdk::{Failure, Section, Subject, amount, malformed, records, runtime};
use serde::Deserialize;

use crate::calendar::Day;
use crate::contract::{Contract, ContractStatus};
use crate::import::{DATASET, SINCE_KEY};
use crate::settings::Settings;

/// The register's name in the section and in `unread`.
const SOURCE: &str = "crz";
/// Maximum number of contracts in `latest`.
const LATEST: usize = 10;

/// The imported range of days, from `since` to `until`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The first day, `YYYY-MM-DD`, if the import recorded it.
    pub since: Option<String>,
    pub until: String,
}

/// Builds the section.
///
/// # Errors
/// [`Failure::Unavailable`] if nothing was imported or the operator switched the import off;
/// [`Failure::Malformed`] for records of another version; the host's refusal.
pub fn section(subject: &Subject) -> Result<Section, Failure> {
    let settings = Settings::read()?;
    let state = unread::imported(DATASET)?;
    // Every batch of this version records its day, so a list without one was imported by another version.
    let Some(until) = state.list_date else {
        return Err(Failure::Unavailable(format!(
            "the dataset {DATASET}: never imported"
        )));
    };
    let imported = Imported {
        since: first_day()?,
        until,
    };
    let mut contracts = Vec::new();
    for stored in records::all_of_company(DATASET, &subject.ico)? {
        let contract: Contract = records::content(&stored)?;
        contracts.push((stored.key, contract));
    }
    let unread = missing(&imported, state.failure.is_some(), &settings)?;
    let content = summary(&contracts, &imported, &unread, &settings)?;
    unread::section(&content, &unread, Vec::new())
}

#[derive(Deserialize)]
struct First {
    since: String,
}

/// The first imported day, which may differ from the current setting.
fn first_day() -> Result<Option<String>, Failure> {
    let found = records::by_key(DATASET, SINCE_KEY, 1)?;
    let first = found.first().map(records::content::<First>).transpose()?;
    Ok(first.map(|first| first.since))
}

/// The missing days: those since the last one read, if it is long ago, and those that the operator skipped.
fn missing(
    imported: &Imported,
    has_failed: bool,
    settings: &Settings,
) -> Result<Vec<Unread>, Failure> {
    let Imported { since, until } = imported;
    let mut missing = Vec::new();
    let (today, last) = (Day::parse(&runtime::today()), Day::parse(until));
    let is_behind = match (today, last) {
        (Some(today), Some(last)) => today.since(last) > settings.stale_after_days,
        (Some(_) | None, _) => true,
    };
    if is_behind {
        // The failure's text is only for the operator: it may quote the register.
        let failed = if has_failed {
            "; the newest attempt failed"
        } else {
            ""
        };
        missing.push(Gap::Behind(format!("read until {until} only{failed}")));
    }
    let left_out: Vec<String> = settings
        .skipped()?
        .iter()
        .map(Day::to_string)
        .filter(|day| since.as_ref().is_none_or(|since| since <= day) && day <= until)
        .collect();
    if !left_out.is_empty() {
        let days = left_out.join(", ");
        missing.push(Gap::partly(format!("left out by the operator: {days}")));
    }
    if missing.is_empty() {
        return Ok(Vec::new());
    }
    Ok(vec![Unread {
        source: SOURCE.to_owned(),
        since: Some(until.clone()),
        why: Gap::Several(missing),
    }])
}

/// The section's content, from a company's contracts by id.
///
/// # Errors
/// [`Failure::Malformed`] for a state that the settings do not explain, and for an invalid amount.
pub fn summary(
    contracts: &[(String, Contract)],
    imported: &Imported,
    unread: &[Unread],
    settings: &Settings,
) -> Result<Value, Failure> {
    let (mut counted, mut amendments, mut cancelled) = (Vec::new(), 0_u64, 0_u64);
    for (id, contract) in contracts {
        match contract.status(settings) {
            Some(ContractStatus::Counted) => counted.push((id.as_str(), contract)),
            Some(ContractStatus::Amendment) => amendments += 1,
            Some(ContractStatus::Cancelled) => cancelled += 1,
            Some(ContractStatus::Draft) => {}
            None => {
                return Err(malformed(
                    format!("contract {id}: stav"),
                    "a state of the setting states",
                    format!("{:?}", contract.state),
                ));
            }
        }
    }
    let values: Vec<&str> = counted
        .iter()
        .filter_map(|(_, contract)| contract.value())
        .collect();
    let total = if values.is_empty() && !counted.is_empty() {
        None
    } else {
        let sum = amount::sum(values.iter().copied());
        Some(sum.ok_or_else(|| malformed("stored amounts", "decimal texts", values.join(", ")))?)
    };
    let is_order = |(_, contract): &&(&str, &Contract)| contract.is_order(settings);
    let orders = counted.iter().filter(is_order).count();
    // Ids grow with time, so the larger id is the newer contract of a day.
    counted.sort_by_cached_key(|(id, contract)| {
        Reverse((contract.published.clone(), id.len(), (*id).to_owned()))
    });
    let latest = counted.iter().take(LATEST);
    let mut content = json!({
        "count": counted.len(),
        "total_value": total.as_deref().map(number).transpose()?,
        "currency": "EUR",
        "without_amount": counted.len() - values.len(),
        "orders": orders,
        "amendments": amendments,
        "cancelled": cancelled,
        "latest": latest.map(|(id, contract)| shown(id, contract, settings)).collect::<Result<Vec<_>, _>>()?,
        "since": imported.since,
        "until": imported.until,
    });
    if !unread.is_empty() {
        content["unread"] = json!(unread);
    }
    Ok(content)
}

fn shown(id: &str, contract: &Contract, settings: &Settings) -> Result<Value, Failure> {
    let money = |decimal: &Option<String>| decimal.as_deref().map(number).transpose();
    Ok(json!({
        "id": id,
        "number": contract.number,
        "subject": contract.subject,
        "buyer": { "name": contract.buyer, "ico": contract.buyer_ico },
        "amount": money(&contract.agreed)?,
        "total_amount": money(&contract.total)?,
        "signed_at": contract.signed,
        "effective_from": contract.effective,
        "published_at": contract.published,
        "url": settings.contract_url.replace("{id}", id),
    }))
}

fn number(decimal: &str) -> Result<Number, Failure> {
    amount::to_number(decimal)
        .ok_or_else(|| malformed("a stored amount", "a decimal text", decimal))
}
