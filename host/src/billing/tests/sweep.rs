//! The sweep books what is due for unused accounts, with the times at which it was due.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use time::Duration;

use super::{ACCOUNT, START, customer, terms};
use crate::billing::verify::{Findings, verify};
use crate::billing::{Customer, Ledger};
use crate::clock::Clock;
use crate::store::testing::on_each_database;
use crate::store::{AccountId, EntryKind, StoreError};

const OTHER: AccountId = AccountId::new(2);

#[tokio::test]
async fn sweep_books_unused_accounts_with_and_without_plan() {
    on_each_database(|store| async move {
        let days = Arc::new(AtomicI64::new(0));
        let turned = Arc::clone(&days);
        let clock = Clock::from_fn(move || START + Duration::days(turned.load(Ordering::SeqCst)));
        let ledger = Ledger::new(store.clone(), clock);
        for account in [ACCOUNT, OTHER] {
            let payer = customer(account, terms("plan", 1, 10, 4, false));
            ledger.charge(&payer, "call", "company").await.unwrap();
        }
        // The second account's plan was removed from the settings, and the first account's plan now has more credits.
        let find = async |account| {
            let found = customer(account, terms("plan", 1, 20, 4, false));
            Ok::<Option<Customer>, StoreError>((account == ACCOUNT).then(|| found.as_ref().clone()))
        };
        assert_eq!(ledger.sweep(find).await.unwrap(), 0, "nothing has happened");
        days.store(31, Ordering::SeqCst);
        assert_eq!(ledger.sweep(find).await.unwrap(), 2);
        assert_eq!(ledger.sweep(find).await.unwrap(), 0, "it is done");
        let mut findings = Findings::default();
        for (account, balance) in [(ACCOUNT, 24), (OTHER, 14)] {
            let (stored, _) = store.billing().find(account).await.unwrap().unwrap();
            assert_eq!(stored.balance, balance);
            let entries = store.billing().entries(account, 2, 10).await.unwrap();
            let booked: Vec<_> = entries
                .iter()
                .map(|entry| (entry.kind, entry.amount))
                .collect();
            let month = balance - 4;
            assert_eq!(
                booked,
                [
                    (EntryKind::Expiry, -9),
                    (EntryKind::Grant, 4),
                    (EntryKind::Grant, month)
                ]
            );
            assert!(
                entries
                    .iter()
                    .all(|entry| entry.booked_at == stored.period_start)
            );
            verify(&store, account, &mut findings).await.unwrap();
        }
        assert_eq!(findings.mistakes, []);
        // Half a year later the rolled over credits have expired too.
        days.store(31 + 180, Ordering::SeqCst);
        assert_eq!(ledger.sweep(find).await.unwrap(), 2);
        let (stored, grants) = store.billing().find(ACCOUNT).await.unwrap().unwrap();
        assert_eq!((stored.balance, grants.len()), (20 + 3 * 4, 4));
    })
    .await;
}
