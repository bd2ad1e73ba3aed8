//! The ledgers of customers against what they were charged.

use std::collections::HashMap;

use lustra_tests::lustra::billing::verify::{Findings as Mistakes, verify};
use lustra_tests::lustra::store::{AccountId, EntryKind, LedgerEntry, Store};

use crate::clients::{Customer, Day};
use crate::invariants::{CHARGED_ONCE, JUMPS_GRANT_NOTHING, LEDGER_ADDS_UP, NO_OVERSPENDING};
use crate::stage::Stage;

/// Days of the shortest month.
const SHORTEST_MONTH: u32 = 28;

/// Compares a customer's ledger with the answers that it got. Returns the balance.
pub async fn check(stage: &Stage, customer: &mut Customer, day: &mut Day<'_>) -> i64 {
    check_sums(stage, customer.id, day).await;
    let today = day.day;
    let entries = entries(&stage.world.store, customer.id).await;
    let months = i64::from(today / SHORTEST_MONTH) + 2;
    // A month grants its credits, and those that roll over.
    let grants = entries
        .iter()
        .filter(|entry| entry.kind == EntryKind::Grant);
    let grants = i64::try_from(grants.count()).unwrap_or(i64::MAX);
    day.findings
        .check(today, JUMPS_GRANT_NOTHING, grants <= 2 * months, || {
            format!("{}: {grants} grants in {months} months", customer.name)
        });
    check_charged(&entries, &customer.charged, customer.name, day);
    let answered: i64 = customer.charged.iter().map(|(_, cost)| cost).sum();
    let kept = kept(&entries);
    // Answers of an account with a quota do not say what they cost.
    let is_comparable = customer.name != "quota";
    day.findings.check(
        today,
        CHARGED_ONCE,
        !is_comparable || kept == answered,
        || format!("{}: {kept} kept, {answered} answered", customer.name),
    );
    entries.last().map_or(0, |entry| entry.balance)
}

/// Recomputes an account's balances.
pub async fn check_sums(stage: &Stage, account: AccountId, day: &mut Day<'_>) {
    let mut mistakes = Mistakes::default();
    let verified = verify(&stage.world.store, account, &mut mistakes).await;
    verified.expect("the store is there");
    let is_right = mistakes.mistakes.is_empty();
    day.findings.check(day.day, LEDGER_ADDS_UP, is_right, || {
        format!("{mistakes:?}")
    });
}

/// Checks that each answered call was charged once, and that no balance is below zero.
pub fn check_charged(
    entries: &[LedgerEntry],
    answered: &[(String, i64)],
    name: &str,
    day: &mut Day<'_>,
) {
    let is_covered = entries.iter().all(|entry| entry.balance >= 0);
    day.findings
        .check(day.day, NO_OVERSPENDING, is_covered, || name.to_owned());
    let mut by_operation: HashMap<&str, Vec<&LedgerEntry>> = HashMap::new();
    for entry in entries {
        by_operation
            .entry(&entry.operation)
            .or_default()
            .push(entry);
    }
    for (operation, cost) in answered {
        let of_call = by_operation.get(operation.as_str());
        let of_call = of_call.map_or(&[][..], Vec::as_slice);
        let sum: i64 = of_call.iter().map(|entry| -entry.amount).sum();
        let is_once = of_call.iter().all(|entry| entry.kind == EntryKind::Charge) && sum == *cost;
        day.findings.check(day.day, CHARGED_ONCE, is_once, || {
            format!("{name}: {operation} cost {cost}: {of_call:?}")
        });
    }
}

/// The credits that were charged and not refunded.
pub fn kept(entries: &[LedgerEntry]) -> i64 {
    let of_calls = entries
        .iter()
        .filter(|entry| matches!(entry.kind, EntryKind::Charge | EntryKind::Refund));
    of_calls.map(|entry| -entry.amount).sum()
}

/// All entries of an account.
pub async fn entries(store: &Store, account: AccountId) -> Vec<LedgerEntry> {
    let billing = store.billing();
    let books = billing.books(account).await;
    let Some(mut books) = books.expect("the store is there") else {
        return Vec::new();
    };
    let mut all: Vec<LedgerEntry> = Vec::new();
    loop {
        let after = all.last().map_or(0, |entry| entry.number);
        let page = books.entries(after, 1_000).await;
        let page = page.expect("the store is there");
        if page.is_empty() {
            return all;
        }
        all.extend(page);
    }
}
