//! Counts of calls that cost nothing.

use super::{ACCOUNT, START, clock};
use crate::billing::Ledger;
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
