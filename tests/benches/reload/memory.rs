//! Starts with every shipped connector, their memory, and the memory of calls in flight.

use std::sync::Arc;
use std::time::{Duration, Instant};

use lustra_tests::World;
use lustra_tests::lustra::clock::Clock;
use lustra_tests::lustra::config::Config;
use lustra_tests::lustra::connectors::bindings::enrichment::exports::lustra::connector::enrichment::Subject;
use lustra_tests::lustra::connectors::fixtures;
use lustra_tests::lustra::server::Host;
use lustra_tests::lustra::store::testing::{connector_id, scope_name};
use lustra_tests::register_simulator::{Fault, Register};
use tokio::runtime::Runtime;

use super::copies;
use crate::support::process::Resident;
use crate::support::{self, Aim, Figures, Options};

/// Measures a start with every shipped connector, cold and warm, their memory, and the memory of calls in flight.
pub(super) fn starts(runtime: &Runtime, options: &Options, figures: &mut Figures) {
    let rounds = options.number("rounds", 7, 2);
    let world = runtime.block_on(World::new().changeable().start());
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut config = world.config().clone();
    config.compiled = Some(folder.path().join("compiled"));
    config.data = folder.path().join("data");
    config.operator.on = false;
    config.reload.single_pass = true;
    config.reload.compiler = std::env::current_exe().ok();
    let all = u32::try_from(config.connector.len()).unwrap_or(u32::MAX);
    let most = usize::try_from(options.number("connectors", all, all)).unwrap_or(usize::MAX);
    config.connector = config.connector.into_iter().take(most).collect();
    let shipped = config.connector.len();
    figures.explain(&format!(
        "Starting a host with {shipped} shipped connectors: everything from the settings to being ready to listen, \
         store included. Cold: nothing compiled, and each connector replays its packaged cassettes. Then all are \
         optimized by a process of low priority. Warm: from the cache, the median of {rounds} starts. The store exists in both. \
         Packaged calls: replaying the cassettes of all connectors five times, with single-pass and optimized code."
    ));
    let prepare = |config: &Config| {
        let started = Instant::now();
        let host = runtime.block_on(Host::prepare(config.clone(), Clock::system()));
        (
            host.expect("it starts"),
            started.elapsed().as_secs_f64() * 1e3,
        )
    };
    let (first, cold) = prepare(&config);
    let catalogue = first.app.companies.connectors().catalogue();
    assert_eq!(
        catalogue.all_serving().count(),
        shipped,
        "all of them serve"
    );
    figures.aimed("start to ready, cold", cold, "ms", Aim::AtMost(3_000.0));
    let single_pass = packaged_calls(runtime, &first);
    let started = Instant::now();
    runtime.block_on(first.app.companies.connectors().optimize_all());
    let optimizing = started.elapsed().as_secs_f64() * 1e3;
    figures.report("optimizing all connectors", optimizing, "ms");
    let ratio = single_pass / packaged_calls(runtime, &first);
    figures.report("packaged calls, single-pass to optimized", ratio, "");
    drop(first);
    let warm: Vec<f64> = (0..rounds).map(|_| prepare(&config).1).collect();
    figures.aimed(
        "start to ready, warm",
        support::median(&warm),
        "ms",
        Aim::AtMost(100.0),
    );
    loaded(runtime, &config, figures);
    in_flight(runtime, &world, config, options, figures);
    runtime.block_on(world.end());
}

/// Seconds for replaying the packaged cassettes of all connectors five times.
fn packaged_calls(runtime: &Runtime, host: &Host) -> f64 {
    let connectors = host.app.companies.connectors();
    let catalogue = connectors.catalogue();
    let mut seconds = 0.0;
    for loaded in catalogue.all_serving() {
        let entry = &catalogue.entries[loaded.manifest.id.as_str()];
        let component = std::fs::read(&entry.file).expect("it serves");
        let started = Instant::now();
        for _ in 0..5 {
            let replayed = fixtures::check(loaded, &connectors.services, &component);
            runtime
                .block_on(replayed)
                .expect("they were replayed before it served");
        }
        seconds += started.elapsed().as_secs_f64();
    }
    seconds
}

/// Measures the memory of the idle shipped connectors.
fn loaded(runtime: &Runtime, config: &Config, figures: &mut Figures) {
    let mut without = config.clone();
    without.connector.clear();
    let prepare = |config: Config| {
        let host = runtime.block_on(Host::prepare(config, Clock::system()));
        host.expect("it starts")
    };
    let bare = prepare(without);
    let before = Resident::read().now;
    let host = prepare(config.clone());
    let after = Resident::read().now;
    drop((bare, host));
    let count = f64::from(u32::try_from(config.connector.len()).unwrap_or(u32::MAX));
    figures.report("memory of all connectors, loaded", after - before, "MiB");
    figures.report(
        "memory of a connector, loaded",
        (after - before) / count,
        "MiB",
    );
}

/// Measures the memory of calls that wait for a register, for copies of one component beside the shipped ones.
fn in_flight(
    runtime: &Runtime,
    world: &World,
    mut config: Config,
    options: &Options,
    figures: &mut Figures,
) {
    let names = copies(
        &mut config,
        &world.simulator.url(),
        options.number("copies", 26, 4),
    );
    let host = runtime
        .block_on(Host::prepare(config, Clock::system()))
        .expect("it starts");
    let before = Resident::read().now;
    // Every call waits for a register that does not answer yet.
    world.fault(Register::Licences, Fault::Slow);
    let connectors = Arc::clone(host.app.companies.connectors());
    let subject = Subject {
        ico: world.icos[0].clone(),
        name: String::new(),
        city: None,
        postal_code: None,
        nace_code: None,
        facts: Vec::new(),
        company: "{}".to_owned(),
        previous: None,
    };
    let (at_once, in_flight) = runtime.block_on(async {
        let mut calls = tokio::task::JoinSet::new();
        for name in &names {
            for _ in 0..4 {
                let catalogue = connectors.catalogue();
                let loaded = catalogue
                    .serving(&connector_id(&format!("guest-{name}")))
                    .cloned();
                let loaded = loaded.expect("it serves");
                let (services, subject, name) = (
                    connectors.services.clone(),
                    subject.clone(),
                    scope_name(name),
                );
                calls.spawn(async move { loaded.enrich(&services, &name, &subject).await.is_ok() });
            }
        }
        let counted = || -> u64 {
            let catalogue = connectors.catalogue();
            let serving = catalogue.all_serving();
            serving
                .map(|loaded| loaded.stats.snapshot().in_flight)
                .sum()
        };
        // All calls have begun when their number no longer grows. Each has an instance and waits for the register.
        let mut in_flight = 0;
        for _ in 0..50 {
            tokio::time::sleep(Duration::from_millis(200)).await;
            let before = std::mem::replace(&mut in_flight, counted());
            if in_flight > 0 && in_flight == before {
                break;
            }
        }
        let resident = Resident::read().now;
        calls.abort_all();
        while calls.join_next().await.is_some() {}
        (resident, in_flight)
    });
    let instances = f64::from(u32::try_from(in_flight).unwrap_or(u32::MAX)).max(1.0);
    figures.report("instances in flight", instances, "");
    figures.report(
        "memory of an instance in flight",
        (at_once - before) * 1024.0 / instances,
        "KiB",
    );
    world.fault(Register::Licences, Fault::Off);
}
