//! Which commands share a transaction.

use std::sync::Arc;

use futures_util::FutureExt;

use super::{ACCOUNT, clock, customer, terms};
use crate::billing::Ledger;
use crate::store::testing::TestDatabase;

/// On one thread the order of tasks is known: the worker of the queue runs before the calls that are ready.
#[tokio::test]
async fn call_shares_its_transaction_with_ready_calls() {
    let database = TestDatabase::sqlite();
    let ledger = Ledger::new(database.store().await, clock());
    let payer = customer(ACCOUNT, terms("plan", 1, 1_000, 0, false));
    ledger.charge(&payer, "opens", "company").await.unwrap();

    let mut first = Box::pin(ledger.charge(&payer, "first", "company"));
    assert!(first.as_mut().now_or_never().is_none(), "it is queued");
    let ready: Vec<_> = (0..10)
        .map(|number| {
            let (ledger, payer) = (ledger.clone(), Arc::clone(&payer));
            tokio::spawn(async move {
                let operation = format!("ready {number}");
                ledger.charge(&payer, &operation, "company").await
            })
        })
        .collect();
    first.await.unwrap();
    // The results of one transaction come together. Another transaction takes longer than one turn of the tasks.
    tokio::task::yield_now().await;
    for call in ready {
        let charged = call.now_or_never().expect("it shares the transaction");
        assert!(charged.unwrap().is_ok());
    }
}
