//! Holders of shares with their deposits, and issues of shares.

use super::Shareholder;
use super::seats::Seat;
use crate::extract::{Extract, Person, Share, without_currency};
use crate::history::History;
use crate::history::deposits::{Deposits, count, is_current, plain};
use crate::history::kept::End;
use crate::history::offices::Office;

pub(super) fn shareholders(
    history: &History,
    owners: Vec<Seat<'_>>,
    extract: &Extract,
    today: &str,
) -> Vec<Shareholder> {
    let deposits = Deposits::of(history, today);
    let shares: Vec<_> = {
        let offices: Vec<&Office<'_>> = owners.iter().map(|owner| &owner.office).collect();
        owners
            .iter()
            .map(|owner| deposits.of_holder(&owner.office, &offices, today))
            .collect()
    };
    let in_extract: Vec<Option<&Person>> = owners
        .iter()
        .map(|owner| in_extract(owner, &owners, history, extract))
        .collect();
    let with_share = owners.into_iter().zip(shares).zip(in_extract);
    with_share
        .map(|((owner, share), in_extract)| {
            let kind = share.kind.or_else(|| in_extract?.contribution_kind.clone());
            Shareholder {
                address: owner.address(in_extract),
                share_amount: share
                    .amount
                    .or_else(|| without_currency(in_extract?.share_amount.as_deref()?)),
                share_paid: in_extract
                    .and_then(|person| without_currency(person.share_paid.as_deref()?)),
                share_currency: share
                    .currency
                    .or_else(|| in_extract?.share_currency.clone()),
                share_percentage: share
                    .percentage
                    .or_else(|| in_extract?.share_percentage.clone())
                    .filter(|_| owner.current),
                contribution_kind: kind,
                deposit_lien: in_extract.and_then(|person| person.deposit_lien.clone().flatten()),
                has_read_lien: in_extract.is_some_and(|person| person.deposit_lien.is_some()),
                function: owner.function.name(),
                is_company: owner.known.is_company,
                ico: owner
                    .known
                    .ico
                    .or_else(|| in_extract.and_then(|person| person.ico.clone())),
                stakeholder_type: owner.label,
                effective_from: owner.office.from,
                effective_to: owner.effective_to,
                current: owner.current,
                name: owner.known.shown,
            }
        })
        .collect()
}

/// What the extract says about a holder's deposit. The extract of an ended company may list the last holders as present
/// or as former ones.
fn in_extract<'e>(
    owner: &Seat<'_>,
    all: &[Seat<'_>],
    history: &History,
    extract: &'e Extract,
) -> Option<&'e Person> {
    let present = || extract.person("shareholders", &owner.known);
    if owner.current {
        return present();
    }
    let left = owner.effective_to.as_deref()?;
    if history.ended.as_deref() == Some(left)
        && let Some(last) = present()
    {
        return Some(last);
    }
    if has_namesake(owner, all) {
        return None;
    }
    extract.former_deposit(&owner.known, owner.office.from.as_deref(), left)
}

/// Whether another holder of the same time has the same name.
fn has_namesake(owner: &Seat<'_>, all: &[Seat<'_>]) -> bool {
    let is_before = |left: &Seat<'_>, from: &Seat<'_>| {
        left.effective_to
            .as_ref()
            .is_some_and(|left| from.office.from.as_ref().is_some_and(|from| left < from))
    };
    let namesakes = all
        .iter()
        .filter(|other| other.office.key == owner.office.key)
        .filter(|other| !is_before(owner, other) && !is_before(other, owner));
    namesakes.count() > 1
}

/// The issues of the extract, which also states their form and kind of record; without one those of this register.
pub(super) fn shares(history: &History, extract: &Extract, today: &str) -> Vec<Share> {
    let mut issues = extract.shares();
    if !issues.is_empty() {
        if let Some(ended) = &history.ended {
            for issue in &mut issues {
                issue.current = false;
                issue.effective_to.get_or_insert_with(|| ended.clone());
            }
        }
        return issues;
    }
    let mut seen: Vec<&crate::history::kept::Share> = Vec::new();
    for row in &history.shares {
        if !seen.contains(&row) {
            seen.push(row);
        }
    }
    seen.into_iter()
        .map(|row| {
            let mut end = row.validity.end();
            if let (End::Open, Some(ended)) = (&end, &history.ended) {
                end = End::On(ended.clone());
            }
            Share {
                share_type: row.kind.clone(),
                share_form: row.form.clone(),
                share_state: None,
                nominal_value: row.nominal.as_deref().and_then(plain),
                currency: row.currency.clone(),
                count: row.count.as_deref().and_then(count),
                transferability: row.transferability.clone(),
                effective_from: row.validity.from(),
                current: history.ended.is_none() && is_current(&end, today),
                effective_to: match end {
                    End::On(day) => Some(day),
                    End::Open | End::Unknown => None,
                },
            }
        })
        .collect()
}
