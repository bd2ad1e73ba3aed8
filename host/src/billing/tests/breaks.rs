//! Callers that leave, and connections that break.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::join_all;
use sqlx::Connection;

use super::{ACCOUNT, clock, customer, terms};
use crate::billing::verify::{Findings, verify};
use crate::billing::{ChargeError, Customer, Ledger};
use crate::store::testing::{TestDatabase, on_each_database};
use crate::store::{AccountId, EntryKind, Store};

async fn verified(store: &Store, account: AccountId) {
    let mut findings = Findings::default();
    verify(store, account, &mut findings).await.unwrap();
    assert_eq!(findings.mistakes, []);
}

/// How often an operation was charged and refunded.
async fn booked(store: &Store, account: AccountId, operation: &str) -> (usize, usize) {
    let billing = store.billing();
    let entries = billing.entries_of(account, operation).await.unwrap();
    let refunds = billing
        .entries_of(account, &format!("refund:{operation}"))
        .await
        .unwrap();
    assert!(entries.iter().all(|entry| entry.kind == EntryKind::Charge));
    (entries.len(), refunds.len())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn caller_that_leaves_is_not_charged() {
    on_each_database(|store| async move {
        let ledger = Ledger::new(store.clone(), clock());
        let payer = customer(ACCOUNT, terms("plan", 1, 10_000, 0, false));
        // Callers leave at different moments: before the command is queued, while it is queued, during the commit, or
        // between the commit and reading the result. Some stay.
        let (mut answered, mut left) = (Vec::new(), Vec::new());
        for number in 0..400u32 {
            let operation = format!("call {number}");
            let mut charging = Box::pin(ledger.charge(&payer, &operation, "company"));
            let mut done = false;
            // With 0 rounds the future is never polled.
            for _ in 0..number % 40 {
                done = charging.as_mut().now_or_never().is_some();
                if done {
                    break;
                }
                tokio::task::yield_now().await;
            }
            if number % 7 == 0 && number % 40 > 0 && !done {
                // Wait until the result exists, but never read it.
                while charged(&store, &operation).await == 0 {
                    tokio::task::yield_now().await;
                }
            }
            if number % 40 == 39 && !done {
                done = charging.await.is_ok();
            } else {
                drop(charging);
            }
            if done { &mut answered } else { &mut left }.push(operation);
        }
        assert!(!answered.is_empty() && !left.is_empty());
        // Refunds go through the queue like other commands.
        settle(&store, &ledger, &payer, &left).await;
        for operation in &answered {
            let booked = booked(&store, ACCOUNT, operation).await;
            assert_eq!(booked, (1, 0), "{operation} was answered");
        }
        verified(&store, ACCOUNT).await;
    })
    .await;
}

async fn charged(store: &Store, operation: &str) -> usize {
    booked(store, ACCOUNT, operation).await.0
}

/// Charges further calls until all of these unanswered ones have been refunded.
async fn settle(store: &Store, ledger: &Ledger, payer: &Arc<Customer>, unanswered: &[String]) {
    let settling = async {
        let mut further = 0;
        for operation in unanswered {
            loop {
                let (charges, refunds) = booked(store, ACCOUNT, operation).await;
                assert!(charges <= 1 && refunds <= charges, "{charges} {refunds}");
                if charges == refunds {
                    break;
                }
                further += 1;
                let further = format!("further {further}");
                // The ledger may still be unavailable.
                let _charged: Result<_, ChargeError> =
                    ledger.charge(payer, &further, "company").await;
            }
        }
    };
    let settled = tokio::time::timeout(Duration::from_secs(60), settling).await;
    assert!(settled.is_ok(), "{:?}", store.kind());
}

/// Terminates every database connection except this one.
async fn cut(connection: &mut sqlx_postgres::PgConnection) {
    const CUT: &str = "select pg_terminate_backend(pid) from pg_stat_activity \
        where datname = current_database() and pid <> pg_backend_pid()";
    sqlx::query(CUT).execute(connection).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answered_calls_are_booked_once_despite_broken_connections() {
    let Some(database) = TestDatabase::postgres().await else {
        return;
    };
    let store = database.store().await;
    let ledger = Ledger::new(store.clone(), clock());
    let payer = customer(ACCOUNT, terms("plan", 1, 1_000_000, 0, false));
    assert!(ledger.charge(&payer, "first", "company").await.is_ok());
    let mut breaking = sqlx_postgres::PgConnection::connect(database.url())
        .await
        .unwrap();
    let mut charged = Vec::new();
    let mut refused = Vec::new();
    for round in 0..60 {
        let calls = (0..40).map(|call| {
            charging(
                ledger.clone(),
                Arc::clone(&payer),
                format!("call {round} {call}"),
            )
        });
        let (outcomes, ()) = tokio::join!(join_all(calls), cut(&mut breaking));
        for (operation, outcome) in outcomes {
            match outcome {
                Ok(()) => charged.push(operation),
                Err(error) => {
                    assert_eq!(error, ChargeError::Unavailable);
                    refused.push(operation);
                }
            }
        }
    }
    assert!(!charged.is_empty());
    for operation in &charged {
        let booked = booked(&store, ACCOUNT, operation).await;
        assert_eq!(booked, (1, 0), "{operation} was answered");
    }
    // Commands in doubt are settled as soon as the database answers again.
    settle(&store, &ledger, &payer, &refused).await;
    verified(&store, ACCOUNT).await;
    breaking.close().await.unwrap();
    store.close().await;
    database.remove().await;
}

async fn charging(
    ledger: Ledger,
    payer: Arc<Customer>,
    operation: String,
) -> (String, Result<(), ChargeError>) {
    let charged = ledger.charge(&payer, &operation, "company").await;
    (operation, charged.map(drop))
}
