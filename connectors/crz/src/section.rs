//! The scope `public_contracts`: number and value of the contracts in which a company is the supplier.
//!
//! Counts published contracts, without amendments and cancelled ones. The amount of an amendment is not added,
//! because the total of its contract includes it. The section needs no network.

use lustra_sdk::amount::Sum;
use lustra_sdk::records::Stored;
use lustra_sdk::serde_json::{Number, Value, json};
use lustra_sdk::unread::{self, Gap, Unread};
use lustra_sdk::{Failure, Section, Subject, amount, malformed, records, runtime};
use serde::Deserialize;

use crate::calendar::Day;
use crate::contract::{Contract, ContractStatus, Summed};
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
    let mut summary = Summary::default();
    records::each_of_company(DATASET, &subject.ico, |stored| {
        summary.add(stored, &settings)
    })?;
    let unread = missing(&imported, state.failure.is_some(), &settings)?;
    let content = summary.content(&imported, &unread, &settings)?;
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

/// What a company's contracts add up to.
#[derive(Debug, Default)]
pub struct Summary {
    counted: u64,
    without_amount: u64,
    orders: u64,
    amendments: u64,
    cancelled: u64,
    total: Sum,
    /// At most [`LATEST`] counted contracts, the newest first.
    latest: Vec<Latest>,
}

#[derive(Debug)]
struct Latest {
    published: Option<String>,
    stored: Stored,
}

/// Orders contracts by time. Ids grow with time, so the larger id is the newer contract of a day.
fn moment<'a>(published: Option<&'a str>, id: &'a str) -> (Option<&'a str>, usize, &'a str) {
    (published, id.len(), id)
}

impl Summary {
    /// Adds a contract whose key is its id.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for a record of another version, for a state that the settings do not explain, and for
    /// an invalid amount.
    pub fn add(&mut self, stored: Stored, settings: &Settings) -> Result<(), Failure> {
        let contract: Summed = records::content(&stored)?;
        match contract.status(settings) {
            Some(ContractStatus::Counted) => {}
            Some(ContractStatus::Amendment) => {
                self.amendments += 1;
                return Ok(());
            }
            Some(ContractStatus::Cancelled) => {
                self.cancelled += 1;
                return Ok(());
            }
            Some(ContractStatus::Draft) => return Ok(()),
            None => {
                return Err(malformed(
                    format!("contract {}: stav", stored.key),
                    "a state of the setting states",
                    format!("{:?}", contract.state),
                ));
            }
        }
        self.counted += 1;
        self.orders += u64::from(contract.is_order(settings));
        match contract.value() {
            None => self.without_amount += 1,
            Some(value) => self.total.add(value).ok_or_else(|| {
                malformed(
                    format!("stored amount of contract {}", stored.key),
                    "a decimal text",
                    value,
                )
            })?,
        }
        let published = contract.published;
        let this = moment(published, &stored.key);
        let place = self
            .latest
            .partition_point(|other| moment(other.published.as_deref(), &other.stored.key) > this);
        if place < LATEST {
            self.latest.truncate(LATEST - 1);
            let published = published.map(str::to_owned);
            self.latest.insert(place, Latest { published, stored });
        }
        Ok(())
    }

    /// The section's content.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for a record of another version.
    pub fn content(
        &self,
        imported: &Imported,
        unread: &[Unread],
        settings: &Settings,
    ) -> Result<Value, Failure> {
        let is_known = self.counted == 0 || self.without_amount < self.counted;
        let total = is_known.then(|| self.total.total());
        let latest = self.latest.iter().map(|latest| {
            let contract: Contract = records::content(&latest.stored)?;
            shown(&latest.stored.key, &contract, settings)
        });
        let mut content = json!({
            "count": self.counted,
            "total_value": total.as_deref().map(number).transpose()?,
            "currency": "EUR",
            "without_amount": self.without_amount,
            "orders": self.orders,
            "amendments": self.amendments,
            "cancelled": self.cancelled,
            "latest": latest.collect::<Result<Vec<_>, _>>()?,
            "since": imported.since,
            "until": imported.until,
        });
        if !unread.is_empty() {
            content["unread"] = json!(unread);
        }
        Ok(content)
    }
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
