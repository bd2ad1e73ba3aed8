//! The cost of charging: over HTTP compared with uncharged look-ups, and in the ledger compared with one transaction
//! per call.

pub mod beside_import;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use lustra_tests::lustra::billing::{Customer, Ledger, NewKey};
use lustra_tests::lustra::clock::Clock;
use lustra_tests::lustra::config::Plan;
use lustra_tests::lustra::store::testing::TestDatabase;
use lustra_tests::{Builder, World};
use tokio::runtime::Runtime;

use crate::support::client::{self, Request};
use crate::support::{self, Aim, Figures, Options, percentile};
use lustra_tests::lustra::store::AccountId;

pub fn run(options: &Options) {
    support::log_like_a_server();
    let runtime = support::runtime();
    let mut figures = Figures::new("Charging");
    through_http(&runtime, options, &mut figures);
    debits(&runtime, options, &mut figures);
    figures.end();
}

/// Number of companies that are looked up in turn.
const COMPANIES: u32 = 60;

/// A world with a charged plan and an unmetered one.
fn world() -> Builder {
    World::new().plan("charged").settings(|config| {
        config.freshness.cache_seconds = 0;
        let charged = Plan {
            credits: Some(100_000_000),
            ..Plan::default()
        };
        config.plans.insert("charged".to_owned(), charged);
        config.plans.insert("unmetered".to_owned(), Plan::default());
    })
}

/// Creates a key of an unmetered account.
async fn unmetered(world: &World) -> String {
    let keys = world.store.keys();
    let account = keys
        .create_account("unmetered", "unmetered", world.now())
        .await;
    let account = account.expect("the store is there").id;
    let key = NewKey::live();
    let hash = key.text.hash();
    let created = keys.create_key(account, "bench", &key.prefix, &hash, None, world.now());
    created.await.expect("the store is there");
    key.text.reveal().to_owned()
}

fn address(world: &World) -> SocketAddr {
    let url = world.url();
    let address = url.strip_prefix("http://").unwrap_or(&url);
    address.parse().expect("a world listens on an address")
}

fn look_ups(world: &World, key: &str) -> Vec<Request> {
    let population = world.simulator.population();
    let path = |index| format!("/v1/company/ico/{}", population.ico(index));
    (0..COMPANIES)
        .map(|index| client::get(&path(index), key))
        .collect()
}

/// Starts a world with stored companies. Returns its address, and charged and uncharged look-ups.
fn prepared(runtime: &Runtime, world: Builder) -> (World, SocketAddr, [Vec<Request>; 2]) {
    let world = runtime.block_on(world.companies(COMPANIES).start());
    let host = address(&world);
    let free = runtime.block_on(unmetered(&world));
    let requests = [&world.key, &free].map(|key| look_ups(&world, key));
    client::each_once(host, &requests[0], 2);
    runtime.block_on(world.wait_idle());
    (world, host, requests)
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn through_http(runtime: &Runtime, options: &Options, figures: &mut Figures) {
    let rounds = options.number("rounds", 5, 2);
    let span = options.seconds(4, 1);
    // Enough connections to keep the host busy, so that work is compared and not waiting.
    let connections = options.number("connections", 64, 64);
    let rate = options.number("profiles-rate", 200, 100);
    let (world, host, [charged, free]) = prepared(runtime, world());
    figures.explain(&format!(
        "Base data of {COMPANIES} companies from SQLite for each request, over HTTP without the cache: a charged account, \
         whose calls are durable before their answers, compared with an unmetered one. Throughput with {connections} \
         kept-alive connections in {rounds} alternating rounds of {} s; the median ratio counts. Times at {rate} \
         requests a second start when a request is due.",
        span.as_secs(),
    ));
    for requests in [&charged, &free] {
        client::closed_loop(host, requests, connections, span / 3);
    }
    let (mut with, mut without, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..rounds {
        let measure = |requests| client::closed_loop(host, requests, connections, span);
        let (ours, theirs) = if round % 2 == 0 {
            let ours = measure(&charged);
            (ours, measure(&free))
        } else {
            let theirs = measure(&free);
            (measure(&charged), theirs)
        };
        with.push(ours);
        without.push(theirs);
        ratios.push(ours / theirs);
    }
    figures.report("charged look-ups", support::median(&with), "requests/s");
    figures.report(
        "look-ups that are not charged",
        support::median(&without),
        "requests/s",
    );
    figures.aimed(
        "throughput, charged to not charged",
        support::median(&ratios),
        "",
        Aim::AtLeast(0.8),
    );
    let time = |requests| client::open_loop(host, requests, connections, rate, span * 3);
    let (mut paid, mut unpaid) = (time(&charged), time(&free));
    for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
        let (paid, unpaid) = (
            millis(percentile(&mut paid, share)),
            millis(percentile(&mut unpaid, share)),
        );
        figures.report(format!("charged, {name}"), paid, "ms");
        figures.report(format!("not charged, {name}"), unpaid, "ms");
        if share < 0.9 {
            figures.aimed(
                format!("added at {name}"),
                paid - unpaid,
                "ms",
                Aim::AtMost(3.0),
            );
        } else {
            figures.report(format!("added at {name}"), paid - unpaid, "ms");
        }
    }
    runtime.block_on(world.verify_ledgers());
    runtime.block_on(world.end());
}

/// The billing data of this many accounts.
pub fn customers(accounts: i64) -> Vec<Arc<Customer>> {
    let plan = Plan {
        credits: Some(100_000_000),
        ..Plan::default()
    };
    let customer = |id: AccountId| {
        Arc::new(Customer::new(
            id,
            format!("account {id}"),
            "charged",
            1,
            &plan,
            false,
        ))
    };
    (1..=accounts).map(AccountId::new).map(customer).collect()
}

/// Charges from this many concurrent callers, in turn for each account. Returns calls per second.
async fn charge(
    ledger: &Ledger,
    customers: &Arc<Vec<Arc<Customer>>>,
    callers: usize,
    span: Duration,
) -> f64 {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let started = Instant::now();
    let calling = (0..callers).map(|_| {
        let (ledger, customers) = (ledger.clone(), Arc::clone(customers));
        tokio::spawn(async move {
            let mut answers = 0;
            while started.elapsed() < span {
                let call = CALLS.fetch_add(1, Ordering::Relaxed);
                let place = usize::try_from(call).unwrap_or(0) % customers.len();
                let operation = format!("{:012x}{call:020x}", 1_700_000_000_000_u64 + call);
                let charged = ledger
                    .charge(&customers[place], &operation, "company/ico")
                    .await;
                charged.expect("there are credits");
                answers += 1;
            }
            answers
        })
    });
    let calling: Vec<_> = calling.collect();
    let mut answers: u64 = 0;
    for caller in calling {
        answers += caller.await.expect("no caller fails");
    }
    support::rate(answers, started.elapsed())
}

fn debits(runtime: &Runtime, options: &Options, figures: &mut Figures) {
    let rounds = options.number("rounds", 3, 1);
    let span = options.seconds(4, 1);
    let callers = 256;
    figures.explain(&format!(
        "The ledger alone with {callers} concurrent callers: grouped transactions compared with one transaction per call, \
         in {rounds} alternating rounds of {} s; the median ratio counts. SQLite syncs each commit; the PostgreSQL of \
         the tests does not sync, so grouping saves only round trips there.",
        span.as_secs(),
    ));
    for name in ["SQLite", "PostgreSQL"] {
        let database = match name {
            "SQLite" => Some(TestDatabase::sqlite()),
            _ => runtime.block_on(TestDatabase::postgres()),
        };
        let Some(database) = database else { continue };
        runtime.block_on(async {
            let store = database.store().await;
            for accounts in [1, 1_000] {
                let customers = Arc::new(customers(accounts));
                let grouped = Ledger::new(store.clone(), Clock::system());
                let single = Ledger::with_most(store.clone(), Clock::system(), 1);
                // Warm-up: opens every account before the measurement.
                charge(&grouped, &customers, callers, span / 2).await;
                let (mut together, mut alone, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
                for _ in 0..rounds {
                    let ours = charge(&grouped, &customers, callers, span).await;
                    let theirs = charge(&single, &customers, callers, span).await;
                    together.push(ours);
                    alone.push(theirs);
                    ratios.push(ours / theirs);
                }
                let what = if accounts == 1 {
                    "one account"
                } else {
                    "1,000 accounts"
                };
                figures.report(
                    format!("{name}, {what}, together"),
                    support::median(&together),
                    "debits/s",
                );
                figures.report(
                    format!("{name}, {what}, one by one"),
                    support::median(&alone),
                    "debits/s",
                );
                let ratio = support::median(&ratios);
                figures.aimed(
                    format!("{name}, {what}, together to one by one"),
                    ratio,
                    "",
                    Aim::AtLeast(8.0),
                );
            }
            store.close().await;
            database.remove().await;
        });
    }
}
