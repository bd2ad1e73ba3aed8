//! How each cost grows: with the companies in the store, the subscriptions, the bookings of an account, the connectors
//! and the hosts on one database. Also what one day of a deployment costs, and the same questions to what users would
//! pick instead.
//!
//! `cargo bench -- growth` measures all of it and writes a table and plots. Each part keeps its figures in a file of
//! the output folder, so a run at one size renews the figures of that size, and the plots show all of them.

pub mod bookings;
pub mod companies;
pub mod connectors;
pub mod day;
mod fill;
pub mod hosts;
mod plot;
mod points;
pub mod rivals;
pub mod subscriptions;

use std::net::SocketAddr;
use std::time::Duration;

use lustra_tests::DatabaseKind;
use lustra_tests::lustra::store::testing::TestDatabase;
use tokio::runtime::Runtime;

use self::points::Grown;
use crate::support::client::{self, Request};
use crate::support::{Options, percentile};

/// The name of a kind of database in tables and plots.
fn name_of(kind: DatabaseKind) -> &'static str {
    match kind {
        DatabaseKind::Sqlite => "SQLite",
        DatabaseKind::Postgres => "PostgreSQL",
    }
}

/// An empty database. `None` if there is no server.
fn database(runtime: &Runtime, kind: DatabaseKind) -> Option<TestDatabase> {
    match kind {
        DatabaseKind::Sqlite => Some(TestDatabase::sqlite()),
        DatabaseKind::Postgres => runtime.block_on(TestDatabase::postgres()),
    }
}

/// The usual sizes below the largest, and the largest.
fn sizes(usual: &[u32], least: u32, most: u32) -> Vec<u32> {
    let usual = usual.iter().copied();
    let smaller = usual.filter(|size| (least..most).contains(size));
    smaller.chain([most]).collect()
}

fn address(url: &str) -> SocketAddr {
    let address = url.strip_prefix("http://").unwrap_or(url);
    address.parse().expect("a host listens on an address")
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Measures throughput and times of look-ups over all of these hosts together.
fn look_ups(
    hosts: &[SocketAddr],
    requests: &[Request],
    what: &str,
    options: &Options,
    grown: &mut Grown,
) {
    let connections = options.number("connections", 16, 4);
    let rate = options.number("profiles-rate", 400, 100);
    let span = options.seconds(10, 1);
    let count = u32::try_from(hosts.len()).unwrap_or(u32::MAX);
    let of_each = (connections / count).max(1);
    let throughput = |span: Duration| -> f64 {
        let of_host = |host| client::closed_loop(host, requests, of_each, span);
        on_each(hosts, of_host).into_iter().sum()
    };
    throughput(span / 5);
    grown.add(
        &format!("{what}, throughput"),
        throughput(span),
        "requests/s",
    );
    let of_host = |host| client::open_loop(host, requests, of_each, rate / count, span);
    let mut times = on_each(hosts, of_host).concat();
    for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
        let time = millis(percentile(&mut times, share));
        grown.add(&format!("{what}, {name}"), time, "ms");
    }
}

/// Asks all hosts at the same time.
fn on_each<T: Send>(hosts: &[SocketAddr], ask: impl Fn(SocketAddr) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let ask = &ask;
        let asking: Vec<_> = hosts
            .iter()
            .map(|host| scope.spawn(move || ask(*host)))
            .collect();
        asking
            .into_iter()
            .map(|asking| asking.join().expect("no answer was wrong"))
            .collect()
    })
}
