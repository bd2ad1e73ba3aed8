//! Which irregularities and receivables of a company are one debt, so that totals count it once.
//!
//! Rows of the lists need not name their counterpart. Without a link, a receivable that may follow from an irregularity
//! is left out of the totals, and the section names it in `unread`. Invariant: what is still owed never disappears
//! behind an irregularity that is settled.

use super::{Debt, Kind, Standing};
use crate::settings::Settings;

/// The entries of a company, by how totals count them. Entries that are no debt count nowhere.
#[derive(Debug, Default)]
pub struct Pairs<'a> {
    /// Entries that count as debts of their own.
    pub own: Vec<&'a Debt>,
    /// Receivables that a link assigns to a settled irregularity. The amount counts with the irregularity, but what is
    /// outstanding counts here, since a settled irregularity owes nothing.
    pub of_settled: Vec<&'a Debt>,
    /// Receivables that are left out without a link, because they may follow from an irregularity.
    pub suspected: Vec<&'a Debt>,
}

/// Assigns the receivables of a company to its irregularities.
#[must_use]
pub fn of<'a>(debts: &'a [Debt], settings: &Settings) -> Pairs<'a> {
    let entries = debts.iter().map(|debt| Entry {
        debt,
        standing: Standing::of(debt, settings),
    });
    let of_debt = entries.filter(|entry| entry.standing != Standing::NoDebt);
    let (mut irregularities, receivables): (Vec<Entry<'_>>, Vec<Entry<'_>>) =
        of_debt.partition(|entry| entry.debt.kind == Kind::Irregularity);
    // An irregularity with a project has fewer candidates, so it chooses first.
    irregularities.sort_by_key(|entry| !entry.has_project());
    let mut pairs = Pairs {
        own: irregularities.iter().map(|entry| entry.debt).collect(),
        ..Pairs::default()
    };
    let mut unlinked = Vec::new();
    for receivable in receivables {
        let links = |entry: &&Entry<'_>| entry.is_linked_to(receivable.debt);
        match irregularities.iter().find(links) {
            Some(linked) if linked.standing == Standing::Settled => {
                pairs.of_settled.push(receivable.debt);
            }
            Some(_) => {}
            // The link names an irregularity that is no debt, or none of the company.
            None if is_linked(receivable.debt, debts) => pairs.own.push(receivable.debt),
            None => unlinked.push(receivable),
        }
    }
    // Irregularities that name their receivables have no others.
    irregularities.retain(|entry| entry.debt.receivables.is_empty());
    // Equal amounts belong together. An irregularity that has its receivable explains no others.
    irregularities.retain(|irregularity| {
        let equal = |one: &Entry<'_>| irregularity.equals(one) && irregularity.may_be(one);
        let place = unlinked.iter().position(equal);
        pairs
            .suspected
            .extend(place.map(|place| unlinked.remove(place).debt));
        place.is_none()
    });
    let (suspected, own): (Vec<_>, Vec<_>) = unlinked
        .into_iter()
        .partition(|receivable| irregularities.iter().any(|one| one.may_be(receivable)));
    pairs
        .suspected
        .extend(suspected.iter().map(|entry| entry.debt));
    pairs.own.extend(own.iter().map(|entry| entry.debt));
    pairs
}

/// True if a receivable or any irregularity names the other.
fn is_linked(receivable: &Debt, debts: &[Debt]) -> bool {
    let names =
        |debt: &Debt| debt.kind == Kind::Irregularity && debt.receivables.contains(&receivable.id);
    receivable.irregularity.is_some() || debts.iter().any(names)
}

#[derive(Clone, Copy)]
struct Entry<'a> {
    debt: &'a Debt,
    standing: Standing,
}

impl Entry<'_> {
    fn has_project(&self) -> bool {
        self.debt.project_code.is_some() || self.debt.project_id.is_some()
    }

    /// Whether this irregularity or the receivable names the other.
    fn is_linked_to(&self, receivable: &Debt) -> bool {
        match receivable.irregularity {
            Some(of) => of == self.debt.id,
            None => self.debt.receivables.contains(&receivable.id),
        }
    }

    /// Whether a receivable without a link may follow from this irregularity.
    fn may_be(&self, receivable: &Entry<'_>) -> bool {
        // An irregularity is settled only when all of its receivables are.
        let is_over = self.standing == Standing::Settled;
        if is_over && receivable.standing != Standing::Settled {
            return false;
        }
        // The larger amount includes the national share.
        let whole = cents(self.debt.amount.as_ref()).max(cents(self.debt.to_recover.as_ref()));
        let part = receivable.cents();
        if whole.zip(part).is_some_and(|(whole, part)| part > whole) {
            return false;
        }
        let (one, other) = (self.debt, receivable.debt);
        match (&one.project_code, &other.project_code) {
            (Some(one), Some(other)) => one == other,
            _ => match (one.project_id, other.project_id) {
                (Some(one), Some(other)) => one == other,
                _ => true,
            },
        }
    }

    /// Whether this irregularity and a receivable have the same amount, and both are settled or neither is.
    fn equals(&self, receivable: &Entry<'_>) -> bool {
        let amounts = [&self.debt.to_recover, &self.debt.amount];
        let mut amounts = amounts.into_iter().map(|amount| cents(amount.as_ref()));
        let is_settled = |entry: &Entry<'_>| entry.standing == Standing::Settled;
        let part = receivable.cents();
        part.is_some()
            && amounts.any(|amount| amount == part)
            && is_settled(self) == is_settled(receivable)
    }

    /// What a receivable demands.
    fn cents(&self) -> Option<i64> {
        cents(self.debt.to_recover.as_ref().or(self.debt.amount.as_ref()))
    }
}

/// A stored amount, which has two decimals, in cents.
fn cents(amount: Option<&String>) -> Option<i64> {
    amount?.replace('.', "").parse().ok()
}
