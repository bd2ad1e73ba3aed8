//! The commercial-register details of a company, as shown in the profile.
//!
//! Lists contain what is valid now, and a person printed twice appears once. Of the history on a full extract, only
//! what no other register has is kept: former deposits and shares, in lists of their own.

use lustra_sdk::{Failure, malformed, text};
use serde::Serialize;

use crate::extract::{Entry, Extract};
use crate::labels::Label;
use crate::money::{Deposit, Money};
use crate::officers::{Officer, officers, statutory_body};
use crate::people::{joined, keep_earlier, name_only, named_person};
use crate::shareholders::{Shareholder, shareholders};

/// Most rows of a list of former deposits or shares. The recorded pages have up to 14.
const MAX_FORMER: usize = 500;

/// The details. Lists that do not apply to every company are left out if they are empty.
#[derive(Debug, Serialize)]
pub struct Details {
    orsr_id: String,
    court: String,
    section: String,
    insert_number: String,
    registration_date: String,
    business_activities: Vec<String>,
    registered_capital: Option<String>,
    registered_capital_paid: Option<String>,
    shareholders: Vec<Shareholder>,
    statutory_body: Vec<Officer>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    supervisory_board: Vec<Officer>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    procurators: Vec<Officer>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    liquidators: Vec<Officer>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    administrators: Vec<Officer>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    founders: Vec<Officer>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    branch_heads: Vec<Officer>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    legal_predecessors: Vec<Relative>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    legal_successors: Vec<Relative>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shares: Vec<Share>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    former_deposits: Vec<FormerDeposit>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    former_shares: Vec<Share>,
    orsr_updated_at: Option<String>,
}

impl Details {
    /// True if the company currently has a liquidator.
    #[must_use]
    pub fn has_liquidator(&self) -> bool {
        !self.liquidators.is_empty()
    }
}

#[derive(Debug, Serialize)]
struct Relative {
    name: String,
    ico: Option<String>,
    address: Option<String>,
    reason: Option<String>,
    effective_from: Option<String>,
    effective_to: Option<String>,
    current: bool,
}

/// A deposit that is no longer valid.
#[derive(Debug, PartialEq, Serialize)]
struct FormerDeposit {
    name: String,
    share_amount: Option<String>,
    share_paid: Option<String>,
    share_currency: Option<String>,
    contribution_kind: Option<String>,
    /// As [`Shareholder`] has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    deposit_lien: Option<Option<String>>,
    effective_from: Option<String>,
    effective_to: Option<String>,
}

#[derive(Debug, Default, PartialEq, Serialize)]
struct Share {
    count: Option<String>,
    share_type: Option<String>,
    share_form: Option<String>,
    registration: Option<String>,
    nominal_value: Option<String>,
    currency: Option<String>,
    transferability: Option<String>,
    effective_from: Option<String>,
    effective_to: Option<String>,
    current: bool,
}

/// Builds the details. The caller passes the date of the entry, which the base record needs too.
///
/// # Errors
/// `malformed` for a capital without an amount.
pub fn read(extract: &Extract, orsr_id: &str, registration_date: &str) -> Result<Details, Failure> {
    let (registered_capital, registered_capital_paid) = capital(extract)?;
    let acting = joined(extract.valid(Label::Acting).map(Entry::text));
    let mut supervisory_board = officers(extract, Label::Supervisory, Some("Dozorná rada"));
    supervisory_board.extend(officers(extract, Label::Control, Some("Kontrolná komisia")));
    let (legal_predecessors, legal_successors) = relatives(extract);
    let mut business_activities: Vec<String> = Vec::new();
    for activity in extract.valid(Label::Activities).map(Entry::text) {
        if !business_activities.contains(&activity) {
            business_activities.push(activity);
        }
    }
    Ok(Details {
        orsr_id: orsr_id.to_owned(),
        court: extract.court.clone(),
        section: extract.section.clone(),
        insert_number: extract.insert_number.clone(),
        registration_date: registration_date.to_owned(),
        business_activities,
        registered_capital,
        registered_capital_paid,
        shareholders: shareholders(extract),
        statutory_body: statutory_body(extract, acting.as_deref()),
        supervisory_board,
        procurators: officers(extract, Label::Procura, Some("Prokúra")),
        liquidators: officers(extract, Label::Liquidator, Some("Likvidátor")),
        administrators: officers(
            extract,
            Label::Administrator,
            Some("Správca konkurznej podstaty"),
        ),
        founders: officers(extract, Label::Founder, Some("Zakladateľ")),
        branch_heads: officers(extract, Label::Head, Some("Vedúci organizačnej zložky")),
        legal_predecessors,
        legal_successors,
        shares: extract.valid(Label::Shares).filter_map(share).collect(),
        former_deposits: once(extract.former(Label::Deposits).filter_map(former_deposit)),
        former_shares: once(extract.former(Label::Shares).filter_map(share)),
        orsr_updated_at: extract.updated_at.clone(),
    })
}

/// The first [`MAX_FORMER`] rows without repeats.
fn once<T: PartialEq>(rows: impl Iterator<Item = T>) -> Vec<T> {
    let mut all = Vec::new();
    for row in rows.take(MAX_FORMER) {
        if !all.contains(&row) {
            all.push(row);
        }
    }
    all
}

fn former_deposit(entry: &Entry) -> Option<FormerDeposit> {
    let deposit = Deposit::read(entry)?;
    let currency = deposit
        .amount
        .as_ref()
        .and_then(|amount| amount.currency.clone());
    (!deposit.holder.is_empty()).then(|| FormerDeposit {
        name: deposit.holder,
        share_amount: deposit.amount.map(|amount| amount.printed),
        share_paid: deposit.paid.map(|paid| paid.printed),
        share_currency: currency,
        contribution_kind: deposit.kind,
        deposit_lien: deposit.lien,
        effective_from: entry.from.clone(),
        effective_to: entry.to.clone(),
    })
}

/// The capital and its paid part.
fn capital(extract: &Extract) -> Result<(Option<String>, Option<String>), Failure> {
    let Some(entry) = extract.valid(Label::Capital).next() else {
        return Ok((None, None));
    };
    let text = entry.text();
    let registered = Money::read(&text).ok_or_else(|| {
        malformed(
            "extract: registered capital",
            "an amount with its currency",
            &text,
        )
    })?;
    let paid = text
        .split_once("Rozsah splatenia:")
        .and_then(|(_, paid)| Money::read(paid));
    Ok((Some(registered.printed), paid.map(|paid| paid.printed)))
}

/// Predecessors and successors. Old extracts print companies that ceased to exist under the successor's label,
/// with a note in brackets after the name.
fn relatives(extract: &Extract) -> (Vec<Relative>, Vec<Relative>) {
    let (mut predecessors, mut successors): (Vec<Relative>, Vec<Relative>) =
        (Vec::new(), Vec::new());
    for (label, is_successor) in [(Label::Predecessor, false), (Label::Successor, true)] {
        for entry in extract.valid(label) {
            let person = named_person(entry).unwrap_or_else(name_only);
            let ceasing = person
                .name
                .split_once('(')
                .filter(|(_, note)| text::fold(note).starts_with("zanikajuca"));
            let relative = Relative {
                name: ceasing
                    .map_or(person.name.as_str(), |(name, _)| name.trim_end())
                    .to_owned(),
                ico: person.ico,
                address: person.address,
                reason: person.reason,
                effective_from: entry.from.clone(),
                effective_to: entry.to.clone(),
                current: true,
            };
            let list = if is_successor && ceasing.is_none() {
                &mut successors
            } else {
                &mut predecessors
            };
            let known = list.iter_mut().find(|known| {
                known.name == relative.name
                    && known.ico == relative.ico
                    && known.address == relative.address
            });
            match known {
                Some(known) => keep_earlier(&mut known.effective_from, entry),
                None => list.push(relative),
            }
        }
    }
    (predecessors, successors)
}

/// Reads lines such as `Počet: 100`. Unknown lines are skipped; an entry without a known line gives `None`.
fn share(entry: &Entry) -> Option<Share> {
    let mut share = Share::default();
    let mut known = false;
    for line in &entry.lines {
        let line = crate::extract::line_text(line);
        let Some((label, value)) = line.split_once(':') else {
            continue;
        };
        let value = text::present(value);
        known = true;
        match text::fold(label).as_str() {
            "pocet" => share.count = value,
            "druh" => share.share_type = value,
            "podoba" => share.share_form = value,
            "forma" => share.registration = value,
            "menovita hodnota" => {
                let money = value.as_deref().and_then(Money::read);
                share.currency = money.as_ref().and_then(|money| money.currency.clone());
                share.nominal_value = money.map(|money| money.printed).or(value);
            }
            folded if folded.contains("prevoditelnost") => share.transferability = value,
            _ => known = share.count.is_some() || share.nominal_value.is_some(),
        }
    }
    share.effective_from.clone_from(&entry.from);
    share.effective_to.clone_from(&entry.to);
    share.current = entry.valid;
    known.then_some(share)
}
