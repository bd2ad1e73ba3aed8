//! The ledgers of customers against what they were charged.

use lustra_tests::lustra::billing::verify::{Findings as Mistakes, verify};
use lustra_tests::lustra::store::{EntryKind, LedgerEntry, Store};

use crate::clients::{Customer, Day};
use crate::invariants::{CHARGED_ONCE, JUMPS_GRANT_NOTHING, LEDGER_ADDS_UP, NO_OVERSPENDING};
use crate::stage::Stage;

/// Days of the shortest month.
const SHORTEST_MONTH: u32 = 28;

/// Compares a customer's ledger with the answers that it got. Returns the balance.
pub async fn check(stage: &Stage, customer: &mut Customer, day: &mut Day<'_>) -> i64 {
    let store = &stage.world.store;
    let mut mistakes = Mistakes::default();
    let verified = verify(store, customer.id, &mut mistakes).await;
    verified.expect("the store is there");
    let today = day.day;
    let is_right = mistakes.mistakes.is_empty();
    day.findings
        .check(today, LEDGER_ADDS_UP, is_right, || format!("{mistakes:?}"));
    let entries = entries(store, customer).await;
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
    let is_covered = entries.iter().all(|entry| entry.balance >= 0);
    day.findings.check(today, NO_OVERSPENDING, is_covered, || {
        customer.name.to_owned()
    });
    for (operation, cost) in &customer.charged {
        let of_call: Vec<&LedgerEntry> = entries
            .iter()
            .filter(|entry| entry.operation == *operation)
            .collect();
        let sum: i64 = of_call.iter().map(|entry| -entry.amount).sum();
        let is_once = of_call.iter().all(|entry| entry.kind == EntryKind::Charge) && sum == *cost;
        day.findings.check(today, CHARGED_ONCE, is_once, || {
            format!("{}: {operation} cost {cost}: {of_call:?}", customer.name)
        });
    }
    let answered: i64 = customer.charged.iter().map(|(_, cost)| cost).sum();
    let of_calls = entries
        .iter()
        .filter(|entry| matches!(entry.kind, EntryKind::Charge | EntryKind::Refund));
    let kept: i64 = of_calls.map(|entry| -entry.amount).sum();
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

async fn entries(store: &Store, customer: &Customer) -> Vec<LedgerEntry> {
    let billing = store.billing();
    let books = billing.books(customer.id).await;
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
