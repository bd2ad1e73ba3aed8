//! Counts of calls that cost nothing, and usage that is deleted when it is old.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use time::Duration;

use super::{ACCOUNT, START, clock, customer, terms};
use crate::billing::Ledger;
use crate::billing::verify::verify_all;
use crate::clock::Clock;
use crate::store::testing::on_each_database;

#[tokio::test]
async fn usage_includes_counts_that_another_task_is_writing() {
    on_each_database(|store| async move {
        let ledger = Ledger::new(store.clone(), clock());
        let requests = async || {
            let rows = ledger
                .usage(ACCOUNT, START.date(), START.date())
                .await
                .unwrap();
            rows.iter().map(|row| row.requests).sum::<i64>()
        };
        for counted in 1..=20 {
            ledger.count(ACCOUNT, "company", true);
            assert_eq!(tokio::join!(requests(), requests()), (counted, counted));
        }
    })
    .await;
}

#[tokio::test]
async fn ledger_without_its_old_usage_has_no_mistakes() {
    on_each_database(|store| async move {
        let days = Arc::new(AtomicI64::new(0));
        let turned = Arc::clone(&days);
        let clock = Clock::from_fn(move || START + Duration::days(turned.load(Ordering::SeqCst)));
        let ledger = Ledger::new(store.clone(), clock);
        // Two credits a month: the third call is beyond them.
        let payer = customer(ACCOUNT, terms("plan", 1, 2, 0, true));
        for (day, calls) in [(0, ["a", "b", "c"]), (10, ["d", "e", "f"])] {
            days.store(day, Ordering::SeqCst);
            for call in calls {
                ledger.charge(&payer, call, "company").await.unwrap();
            }
        }
        let sweep = async || {
            let before = (START + Duration::days(5)).date();
            store
                .old_rows()
                .sweep_usage(0, before, 10)
                .await
                .unwrap()
                .unwrap()
        };
        assert_eq!(sweep().await.1, 1, "one day with one endpoint");
        assert_eq!(verify_all(&store).await.unwrap().mistakes, []);
        // Refunds count on the day of their charge, whose usage is deleted.
        for call in ["a", "c"] {
            ledger.refund(&payer, call).await;
        }
        assert_eq!(verify_all(&store).await.unwrap().mistakes, []);
        assert_eq!(sweep().await.1, 1);
        assert_eq!(verify_all(&store).await.unwrap().mistakes, []);
    })
    .await;
}
