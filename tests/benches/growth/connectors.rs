//! What grows with the connectors: copies of one connector, under names of their own, beside the register of companies.
//!
//! `cargo bench -- growth-connectors`. Each number is measured in a process of its own.

use std::path::Path;
use std::time::Instant;

use lustra_tests::World;
use lustra_tests::lustra::server::Host;
use tokio::runtime::Runtime;

use super::points::{Grown, Points};
use super::{address, look_ups, millis, sizes};
use crate::reload::copies;
use crate::support::client;
use crate::support::process::{self, Resident};
use crate::support::{self, Figures, Options, percentile};

const WHAT: &str = "connectors";
const COMPANIES: u32 = 60;

pub fn run(options: &Options) {
    support::log_like_a_server();
    let runtime = support::runtime();
    if let Some((folder, count)) = &options.inner {
        let count = count.parse().expect("the parent passes a number");
        measure(&runtime, Path::new(folder), count, options);
        return;
    }
    let folder = tempfile::tempdir().expect("temporary files can be written");
    let folder = folder.path().display().to_string();
    let most = options.number("connectors", 200, 10);
    for count in sizes(&[1, 10, 50, 100], 1, most) {
        let status = process::again([&folder, &count.to_string()]).status();
        assert!(
            status.is_ok_and(|status| status.success()),
            "{count} connectors were measured"
        );
    }
    Points::open(options, WHAT, WHAT).show();
}

/// Measures a host with so many connectors. Their compiled code is kept in the folder.
fn measure(runtime: &Runtime, folder: &Path, count: u32, options: &Options) {
    let rounds = options.number("rounds", 7, 2);
    let world = World::new()
        .companies(COMPANIES)
        .connectors(&["rpo"])
        .changeable();
    let world = runtime.block_on(world.start());
    let mut config = world.config().clone();
    config.compiled = Some(folder.join("compiled"));
    config.data = folder.join("data");
    config.operator.on = false;
    config.freshness.cache_seconds = 0;
    copies(&mut config, &world.simulator.url(), count - 1);
    let mut figures = Figures::new("Growth with connectors");
    let mut points = Points::open(options, WHAT, WHAT);
    figures.explain(&format!(
        "A host on SQLite with the register of companies and {} copies of a connector with one scope. Start: from the \
         settings to being ready to listen, from compiled code, the median of {rounds}. Memory: of the process with one \
         such host, with the simulator of {COMPANIES} companies in it. Look-ups of base data without a cache.",
        count - 1
    ));
    let mut grown = Grown {
        figures: &mut figures,
        points: &mut points,
        series: "SQLite",
        size: count,
    };
    let start = || {
        let started = Instant::now();
        let host = Box::pin(Host::prepare(config.clone(), world.clock()));
        let host = runtime.block_on(host).expect("it starts");
        (host, started.elapsed())
    };
    let (first, _) = start();
    let catalogue = first.app.companies.connectors().catalogue();
    assert_eq!(catalogue.all_serving().count(), count as usize);
    drop((catalogue, first));
    let mut warm: Vec<_> = (0..rounds).map(|_| start().1).collect();
    grown.add("start to ready", millis(percentile(&mut warm, 0.5)), "ms");
    let host = runtime.block_on(world.neighbour_with(config.clone()));
    let population = world.simulator.population();
    let path = |index| format!("/v1/company/ico/{}", population.ico(index));
    let requests: Vec<_> = (0..COMPANIES)
        .map(|index| client::get(&path(index), &world.key))
        .collect();
    let hosts = [address(&host.url())];
    client::each_once(hosts[0], &requests, 2);
    runtime.block_on(host.wait_idle());
    look_ups(&hosts, &requests, "stored look-up", options, &mut grown);
    grown.add("memory, resident", Resident::read().now, "MiB");
    points.save();
    figures.end();
    drop(host);
    runtime.block_on(world.end());
}
