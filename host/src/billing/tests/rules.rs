//! The rules without a database, compared with the model. Failing cases are shrunk.

use proptest::prelude::*;
use time::{Duration, OffsetDateTime};

use super::model::{Model, ModelPlan};
use super::{ACCOUNT, START, terms_of};
use crate::billing::account_ledger::{AccountLedger, NewGrant};
use crate::store::{AccountBalance, Bookings, Grant, GrantKind, LedgerEntry};

#[derive(Debug, Clone)]
enum Step {
    Pass(i64),
    Call,
    GiveBack(usize),
    Give(u8, i64, Option<i64>),
    Take(i64),
    Plan(i64, i64, bool),
    Overage(bool),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let hours = prop_oneof![
        4 => 0i64..48,
        3 => 0i64..24 * 40,
        1 => 0i64..24 * 200,
        1 => -24i64 * 3..0,
    ];
    let step = prop_oneof![
        4 => hours.prop_map(Step::Pass),
        12 => Just(Step::Call),
        2 => any::<usize>().prop_map(Step::GiveBack),
        2 => (2u8..4, 1i64..6, proptest::option::of(1i64..24 * 60)).prop_map(|(kind, credits, end)| Step::Give(kind, credits, end)),
        1 => (1i64..8).prop_map(Step::Take),
        1 => (0i64..9, 0i64..9, any::<bool>()).prop_map(|(monthly, rollover, overage)| Step::Plan(monthly, rollover, overage)),
        1 => any::<bool>().prop_map(Step::Overage),
    ];
    proptest::collection::vec(step, 1..120)
}

fn kind(kind: u8) -> GrantKind {
    [
        GrantKind::Plan,
        GrantKind::Rollover,
        GrantKind::Purchase,
        GrantKind::Adjustment,
    ][usize::from(kind)]
}

/// The rows that a store would hold. Each step reads the ledger from them and writes it back.
struct StoredRows {
    account: AccountBalance,
    grants: Vec<Grant>,
    entries: Vec<LedgerEntry>,
}

impl StoredRows {
    fn ledger(&self) -> AccountLedger {
        let live = self
            .grants
            .iter()
            .filter(|grant| grant.remaining > 0)
            .cloned()
            .collect();
        AccountLedger::stored(self.account.clone(), live)
    }

    fn put(&mut self, ledger: AccountLedger) {
        let mut bookings = Bookings::default();
        ledger.finish(&mut bookings);
        if let Some(account) = bookings
            .opened
            .into_iter()
            .chain(bookings.periods)
            .chain(bookings.moved)
            .next()
        {
            self.account = account;
        }
        for grant in bookings.grants {
            let stored = self
                .grants
                .iter_mut()
                .find(|stored| stored.number == grant.number);
            *stored.unwrap() = grant;
        }
        self.grants.extend(bookings.new_grants);
        self.entries.extend(bookings.entries);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_bookings_matches_the_model(
        (monthly, rollover, overage) in (0i64..9, 0i64..9, any::<bool>()),
        steps in steps(),
    ) {
        let mut plan = ModelPlan { version: 1, monthly, rollover, overage };
        let mut now: OffsetDateTime = START;
        let mut model = Model::new(plan, now);
        let opened = AccountLedger::open(ACCOUNT, &terms_of(plan), now);
        let mut rows = StoredRows { account: opened.account().clone(), grants: Vec::new(), entries: Vec::new() };
        rows.put(opened);
        let mut calls = 0;
        for step in steps {
            let mut ledger = rows.ledger();
            match step {
                Step::Pass(hours) => now += Duration::hours(hours),
                Step::Call => {
                    let name = format!("call {calls}");
                    calls += 1;
                    let paid = ledger.charge(&name, "test", &terms_of(plan), now).ok();
                    let paid = paid.map(|paid| (paid.credits, paid.remaining));
                    prop_assert_eq!(paid, model.call(&name, plan, now));
                }
                Step::GiveBack(which) if calls > 0 => {
                    let name = format!("call {}", which % calls);
                    let refunded = format!("refund:{name}");
                    let entry = rows.entries.iter().find(|entry| entry.operation == name).cloned();
                    let entry = entry.filter(|_| rows.entries.iter().all(|entry| entry.operation != refunded));
                    let done = entry.is_some_and(|entry| {
                        let grant = rows.grants.iter().find(|grant| Some(grant.number) == entry.grant);
                        ledger.refund(&entry, grant.cloned(), &terms_of(plan), now)
                    });
                    prop_assert_eq!(done, model.refund(&name, plan, now));
                }
                Step::GiveBack(_) => {}
                Step::Give(which, credits, end) => {
                    let expires_at = end.map(|hours| now + Duration::hours(hours));
                    let source = format!("grant {}", rows.entries.len());
                    let new = NewGrant { kind: kind(which), credits, expires_at, source: source.clone(), about: String::new() };
                    // A grant that has already expired cannot be given; the clock may have gone back.
                    if expires_at.is_none_or(|at| at > now.max(rows.account.booked_at)) {
                        ledger.grant(&new, &terms_of(plan), now);
                        model.grant(which, credits, expires_at, &source, plan, now);
                    }
                }
                Step::Take(credits) => {
                    let taken = ledger.take(credits, &format!("take {}", rows.entries.len()), "", &terms_of(plan), now);
                    prop_assert_eq!(taken.is_ok(), model.take(credits, plan, now));
                }
                Step::Plan(monthly, rollover, overage) => {
                    plan = ModelPlan { version: plan.version + 1, monthly, rollover, overage };
                }
                Step::Overage(overage) => plan.overage = overage,
            }
            ledger.advance(&terms_of(plan), now);
            model.pass(plan, now);
            rows.put(ledger);
            let account = &rows.account;
            prop_assert_eq!(account.balance, model.balance());
            prop_assert_eq!((account.used, account.overage), (model.used, model.beyond));
            let left: i64 = rows.grants.iter().map(|grant| grant.remaining).sum();
            prop_assert_eq!(account.balance, left);
        }
        let operations: std::collections::BTreeSet<_> =
            rows.entries.iter().map(|entry| (&entry.operation, entry.part)).collect();
        prop_assert_eq!(operations.len(), rows.entries.len(), "an operation was booked twice");
    }
}
