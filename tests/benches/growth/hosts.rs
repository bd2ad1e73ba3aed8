//! What grows with the hosts on one `PostgreSQL`.
//!
//! `cargo bench -- growth-hosts`. Hosts, database and clients share the machine, so this shows what hosts cost each
//! other, not what more machines bring.

use std::net::SocketAddr;

use lustra_tests::DatabaseKind;
use lustra_tests::World;
use lustra_tests::lustra::billing::NewKey;
use lustra_tests::lustra::config::Plan;

use super::companies::world_on;
use super::fill::{self, Source};
use super::points::{Grown, Points};
use super::{address, database, look_ups};
use crate::support::client::{self, Request};
use crate::support::{self, Figures, Options};

const WHAT: &str = "hosts";
const LOOKED_UP: u32 = 5_000;
/// Accounts that pay for look-ups in turn.
const ACCOUNTS: usize = 50;

pub fn run(options: &Options) {
    support::log_like_a_server();
    let runtime = support::runtime();
    let companies = options.number("companies", 100_000, 2_000);
    let most = options.number("hosts", 4, 2);
    let Some(database) = database(&runtime, DatabaseKind::Postgres) else {
        return;
    };
    let source = Source::new(&runtime, companies);
    source.fill(&runtime, database.url(), 0..companies);
    let mut figures = Figures::new("Growth with hosts");
    figures.explain(&format!(
        "{companies} companies in one PostgreSQL that does not sync. Stored look-ups of base data without a cache, spread \
         over all hosts: of an account that is not charged, and of {ACCOUNTS} accounts that are, each charge durable \
         before its answer. The hosts share one process and, with PostgreSQL and the clients, the cores."
    ));
    let mut points = Points::open(options, WHAT, WHAT);
    let world = world_on(database.url()).plan("free").settings(|config| {
        let charged = Plan {
            credits: Some(100_000_000),
            ..Plan::default()
        };
        config.plans.insert("charged".to_owned(), charged);
        config.plans.insert("free".to_owned(), Plan::default());
    });
    let world = runtime.block_on(world.start());
    runtime.block_on(world.indexed());
    let keys = runtime.block_on(charged_keys(&world));
    let free = requests(companies, std::slice::from_ref(&world.key));
    let charged = requests(companies, &keys);
    let mut hosts: Vec<SocketAddr> = vec![address(&world.url())];
    let mut neighbours = Vec::new();
    for size in 1..=most {
        if size > 1 {
            let mut config = world.config().clone();
            config.data = world.config().data.join(format!("host-{size}"));
            let neighbour = runtime.block_on(world.neighbour_with(config));
            // Otherwise it would build its index while it is measured.
            runtime.block_on(neighbour.indexed());
            hosts.push(address(&neighbour.url()));
            neighbours.push(neighbour);
        }
        for host in &hosts {
            assert_eq!(client::Connection::open(*host).exchange(&charged[0]).0, 200);
        }
        let mut grown = Grown {
            figures: &mut figures,
            points: &mut points,
            series: "PostgreSQL",
            size,
        };
        look_ups(&hosts, &free, "stored look-up", options, &mut grown);
        look_ups(&hosts, &charged, "charged look-up", options, &mut grown);
    }
    points.save();
    points.show();
    figures.end();
    drop(neighbours);
    runtime.block_on(world.verify_ledgers());
    runtime.block_on(world.end());
    runtime.block_on(database.remove());
}

/// Look-ups with these keys in turn.
fn requests(companies: u32, keys: &[String]) -> Vec<Request> {
    let icos = fill::spread(companies, LOOKED_UP);
    let with_keys = icos.iter().zip(keys.iter().cycle());
    with_keys
        .map(|(ico, key)| client::get(&format!("/v1/company/ico/{ico}"), key))
        .collect()
}

/// The keys of accounts that are charged.
async fn charged_keys(world: &World) -> Vec<String> {
    let keys = world.store.keys();
    let mut all = Vec::new();
    for number in 0..ACCOUNTS {
        let name = format!("charged-{number}");
        let account = keys.create_account(&name, "charged", world.now()).await;
        let account = account.expect("the store is there").id;
        let key = NewKey::live();
        let hash = key.text.hash();
        let created = keys.create_key(account, "bench", &key.prefix, &hash, None, world.now());
        created.await.expect("the store is there");
        all.push(key.text.reveal().to_owned());
    }
    all
}
