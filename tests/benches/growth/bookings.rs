//! What grows with the bookings of one account, which are never deleted.
//!
//! `cargo bench -- growth-bookings`

use std::sync::Arc;
use std::time::{Duration, Instant};

use lustra_tests::DatabaseKind;
use lustra_tests::lustra::billing::{Customer, Ledger};
use lustra_tests::lustra::clock::Clock;
use lustra_tests::lustra::store::Store;

use super::points::{Grown, Points};
use super::{database, millis, name_of, sizes};
use crate::ledger::customers;
use crate::support::{self, Figures, Options, percentile};

const WHAT: &str = "bookings";
/// Concurrent callers while the bookings are made.
const CALLERS: u32 = 256;
/// Bookings of one page of the owner's list.
const PAGE: i64 = 100;

pub fn run(options: &Options) {
    support::log_like_a_server();
    let runtime = support::runtime();
    let most = options.number("bookings", 1_000_000, 10_000);
    let calls = options.number("iterations", 500, 100);
    let mut figures = Figures::new("Growth with bookings");
    figures.explain(&format!(
        "The ledger alone, with one account. {calls} calls are charged one after the other, then undone as after a failed \
         call, newest first; then {calls} pages of {PAGE} bookings are read from the middle. SQLite syncs each commit, \
         the PostgreSQL of the tests does not."
    ));
    let mut points = Points::open(options, WHAT, WHAT);
    for kind in [DatabaseKind::Sqlite, DatabaseKind::Postgres] {
        let Some(database) = database(&runtime, kind) else {
            continue;
        };
        runtime.block_on(async {
            let store = database.store().await;
            let ledger = Ledger::new(store.clone(), Clock::system());
            let customer = customers(1).remove(0);
            let mut booked = 0;
            for size in sizes(&[1_000, 100_000], 1, most) {
                make(&ledger, &customer, booked..size).await;
                booked = size;
                let mut grown = Grown {
                    figures: &mut figures,
                    points: &mut points,
                    series: name_of(kind),
                    size,
                };
                measure(&store, &ledger, &customer, calls, &mut grown).await;
            }
            store.close().await;
            database.remove().await;
        });
    }
    points.save();
    points.show();
    figures.end();
}

fn operation(kind: &str, number: u32) -> String {
    format!("{kind}-{number:026x}")
}

async fn charge(ledger: &Ledger, customer: &Arc<Customer>, operation: &str) {
    let charged = ledger.charge(customer, operation, "company/ico").await;
    charged.expect("there are credits");
}

/// Charges a call for each of these numbers.
async fn make(ledger: &Ledger, customer: &Arc<Customer>, numbers: std::ops::Range<u32>) {
    let callers = (0..CALLERS).map(|caller| {
        let (ledger, customer) = (ledger.clone(), Arc::clone(customer));
        let own = numbers
            .clone()
            .filter(move |number| number % CALLERS == caller);
        tokio::spawn(async move {
            for number in own {
                charge(&ledger, &customer, &operation("made", number)).await;
            }
        })
    });
    for caller in callers.collect::<Vec<_>>() {
        caller.await.expect("no caller fails");
    }
}

async fn measure(
    store: &Store,
    ledger: &Ledger,
    customer: &Arc<Customer>,
    calls: u32,
    grown: &mut Grown<'_>,
) {
    let operations: Vec<String> = (0..calls)
        .map(|number| operation(&format!("at-{}", grown.size), number))
        .collect();
    let mut charged = Vec::new();
    for operation in &operations {
        let started = Instant::now();
        charge(ledger, customer, operation).await;
        charged.push(started.elapsed());
    }
    let refunded_before = ledger.counts().refunded;
    let mut undone = Vec::new();
    for operation in operations.iter().rev() {
        let started = Instant::now();
        ledger.refund(customer, operation).await;
        undone.push(started.elapsed());
    }
    let refunded = ledger.counts().refunded - refunded_before;
    assert_eq!(refunded, u64::from(calls), "every charge is undone");
    let mut pages = Vec::new();
    let middle = Some(i64::from(grown.size / 2));
    for _ in 0..calls {
        let started = Instant::now();
        let page = store
            .billing()
            .entries_before(customer.account_id, middle, PAGE)
            .await;
        assert!(!page.expect("the store is there").is_empty());
        pages.push(started.elapsed());
    }
    let mut add = |what: &str, times: &mut Vec<Duration>| {
        for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
            let time = millis(percentile(times, share));
            grown.add(&format!("{what}, {name}"), time, "ms");
        }
    };
    add("charge", &mut charged);
    add("undoing a charge", &mut undone);
    add("page of bookings", &mut pages);
}
