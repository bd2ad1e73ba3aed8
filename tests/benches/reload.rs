//! Loading a new version under load, starting with every connector, and the memory of connectors.

mod memory;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use lustra_tests::lustra::config::{Config, ConnectorConfig, UpstreamConfig};
use lustra_tests::lustra::connectors::compile;
use lustra_tests::lustra::connectors::engine::{PoolSize, Tier};
use lustra_tests::lustra::store::testing::connector_id;
use lustra_tests::{World, guests, reworded};
use tokio::runtime::Runtime;

use crate::support::client::{self, Connection, Request};
use crate::support::{self, Aim, Figures, Options};

const GUEST: &str = "guest-versions";

/// Look-ups per second, sent whether or not answers arrive.
const LOAD: u32 = 200;

pub fn run(options: &Options) {
    support::log_like_a_server();
    let runtime = support::runtime();
    let mut figures = Figures::new("Reload, start and memory");
    reloads(&runtime, options, &mut figures);
    memory::starts(&runtime, options, &mut figures);
    figures.end();
}

/// Runs this program as the host's compile process: it contains the same code, built with the same profile.
pub fn compile_as_child() -> bool {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().map(String::as_str) != Some("connector") {
        return false;
    }
    let number = |name: &str| {
        let place = words.iter().position(|word| word == name);
        let value = place.and_then(|place| words.get(place + 1)?.parse::<usize>().ok());
        value.expect("the host names all of them")
    };
    let pool = PoolSize {
        instances: u32::try_from(number("--instances")).expect("a small number"),
        memory: number("--memory"),
        stack: number("--stack"),
    };
    let tier = words.iter().position(|word| word == "--tier");
    let tier = tier.and_then(|place| Tier::try_from(words.get(place + 1)?.clone()).ok());
    compile::as_child(
        pool,
        tier.expect("the host names it"),
        &mut std::io::stdin().lock(),
        &mut std::io::stdout().lock(),
    )
    .expect("the component compiles");
    true
}

fn component() -> Vec<u8> {
    std::fs::read(guests().join("guest-versions.wasm")).expect("it was built")
}

fn put(directory: &Path, name: &str, bytes: &[u8]) {
    let temporary = directory.join("new.tmp");
    std::fs::write(&temporary, bytes).expect("a folder of our own");
    std::fs::rename(&temporary, directory.join(name)).expect("a folder of our own");
}

fn granted(simulator: &str) -> ConnectorConfig {
    let mut connector = ConnectorConfig::default();
    connector.grants.push(simulator.to_owned());
    connector.upstreams.insert(
        "register".to_owned(),
        UpstreamConfig {
            address: Some(simulator.to_owned()),
            ..UpstreamConfig::default()
        },
    );
    connector
}

fn address(url: &str) -> SocketAddr {
    let address = url.strip_prefix("http://").unwrap_or(url);
    address.parse().expect("a world listens on an address")
}

/// Adds the settings of [`granted`] and the single-pass compiler to the settings file, which the host watches.
fn enable(world: &World) {
    let simulator = world.simulator.url();
    let text = std::fs::read_to_string(world.settings_file()).expect("it is there");
    let more = format!(
        "[connector.{GUEST}]\ngrants = [\"{simulator}\"]\n[connector.{GUEST}.upstreams]\nregister = {{ address = \"{simulator}\" }}\n\
         [reload]\nsingle_pass = true\n"
    );
    std::fs::write(world.settings_file(), format!("{text}{more}")).expect("a folder of our own");
}

/// Switches the single-pass compiler off. The host applies changed settings while it runs.
fn optimize_at_once(world: &World) {
    let text = std::fs::read_to_string(world.settings_file()).expect("it is there");
    let text = text.replace("single_pass = true", "single_pass = false");
    std::fs::write(world.settings_file(), text).expect("a folder of our own");
}

/// Measures the time from the rename of a file to the first answer of the new version.
fn reloads(runtime: &Runtime, options: &Options, figures: &mut Figures) {
    let reloads = options.number("reloads", 50, 5);
    let program = std::env::current_exe().expect("a benchmark is a program");
    let world = World::new()
        .watching()
        .settings(move |config| config.reload.compiler = Some(program));
    let world = runtime.block_on(world.start());
    let settle = Duration::from_millis(world.config().reload.settle_ms);
    enable(&world);
    let original = component();
    put(world.components(), "guest-versions.wasm", &original);
    runtime.block_on(world.reload());
    let host = address(&world.url());
    let versions = client::get(
        &format!("/v1/company/ico/{}?scope=versions", world.icos[0]),
        &world.key,
    );
    assert!(says(Connection::open(host).ask(&versions), "answers"));
    figures.explain(&format!(
        "A new version of a component of {} kB, {reloads} times each: from the file's rename to the first answer that \
         comes from the new version, minus the {} ms that the directory must be quiet. Meanwhile {LOAD} look-ups a second \
         of another connector's scopes, and one connection that continuously requests the scope being replaced. A \
         process of low priority compiles the components, and another one optimizes their code in the background. Every answer must be a 200 with its section.",
        original.len() / 1024,
        settle.as_millis()
    ));
    let neighbours: Vec<Request> = world.icos[..5]
        .iter()
        .map(|ico| {
            client::get(
                &format!("/v1/company/ico/{ico}?scope=tax,erased_vat"),
                &world.key,
            )
        })
        .collect();
    let span = options.seconds(15, 2);
    let mut alone = client::open_loop(host, &neighbours, 8, LOAD, span);
    let mut measured = under_load(&world, &versions, &neighbours, &original, reloads);
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    let p50 = |times: &mut [Duration]| millis(support::percentile(times, 0.5));
    let p99 = |times: &mut [Duration]| millis(support::percentile(times, 0.99));
    figures.report(
        "reload with a compile, p50",
        p50(&mut measured.compiled),
        "ms",
    );
    figures.aimed(
        "reload with a compile, p99",
        p99(&mut measured.compiled),
        "ms",
        Aim::AtMost(200.0),
    );
    figures.report(
        "reload from the cache, p50",
        p50(&mut measured.cached),
        "ms",
    );
    figures.aimed(
        "reload from the cache, p99",
        p99(&mut measured.cached),
        "ms",
        Aim::AtMost(10.0),
    );
    let missing = f64::from(u32::try_from(measured.missing).unwrap_or(u32::MAX));
    figures.aimed(
        "requests without their section",
        missing,
        "",
        Aim::AtMost(0.0),
    );
    let asked = f64::from(u32::try_from(measured.asked).unwrap_or(u32::MAX));
    figures.report("requests of the replaced scope", asked, "");
    figures.report("neighbours alone, p99", p99(&mut alone), "ms");
    figures.report(
        "neighbours during reloads, p99",
        p99(&mut measured.beside),
        "ms",
    );
    figures.aimed(
        "neighbours' p99, during to alone",
        p99(&mut measured.beside) / p99(&mut alone),
        "",
        Aim::AtMost(1.1),
    );
    runtime.block_on(world.end());
}

/// Results of reloads under load.
struct Measured {
    compiled: Vec<Duration>,
    cached: Vec<Duration>,
    beside: Vec<Duration>,
    asked: u64,
    missing: u64,
}

/// Whether an answer of the guest's scope contains this word.
fn says(body: &[u8], word: &str) -> bool {
    let wanted = format!("\"said\":\"{word}\"");
    body.windows(wanted.len())
        .any(|bytes| bytes == wanted.as_bytes())
}

/// Loads new versions during look-ups: first versions that were never compiled, then the same ones from the cache.
fn under_load(
    world: &World,
    versions: &Request,
    neighbours: &[Request],
    original: &[u8],
    reloads: u32,
) -> Measured {
    let (asked, missing) = (AtomicU64::new(0), AtomicU64::new(0));
    let done = AtomicBool::new(false);
    let host = address(&world.url());
    let settle = Duration::from_millis(world.config().reload.settle_ms);
    let (mut compiled, mut cached, mut beside) = (Vec::new(), Vec::new(), Vec::new());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // Requests the scope that is being replaced: no answer may be missing.
            let mut connection = Connection::open(host);
            while !done.load(Ordering::Relaxed) {
                let body = connection.ask(versions);
                asked.fetch_add(1, Ordering::Relaxed);
                if !body.windows(7).any(|bytes| bytes == b"\"said\":") {
                    missing.fetch_add(1, Ordering::Relaxed);
                }
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        let load = scope.spawn(|| {
            let mut times = Vec::new();
            while !done.load(Ordering::Relaxed) {
                let part = Duration::from_millis(500);
                times.extend(client::open_loop(host, neighbours, 8, LOAD, part));
            }
            times
        });
        let mut connection = Connection::open(host);
        let mut take_up = |word: &str| {
            let bytes = reworded(original, b"word:answers", format!("word:{word}").as_bytes());
            let started = Instant::now();
            put(world.components(), "guest-versions.wasm", &bytes);
            while !says(connection.ask(versions), word) {
                std::thread::sleep(Duration::from_millis(1));
            }
            started.elapsed().saturating_sub(settle)
        };
        // Words that no earlier run has compiled, so that no cache contains them.
        let run = std::process::id() % 1_000;
        let word = |number: u32| format!("{run:03}{number:04}");
        for number in 0..reloads {
            compiled.push(take_up(&word(number)));
        }
        // Versions that were replaced before they were optimized are not in the cache yet.
        optimize_at_once(world);
        for number in 0..reloads {
            take_up(&word(number));
        }
        for number in 0..reloads {
            cached.push(take_up(&word(number)));
        }
        done.store(true, Ordering::Relaxed);
        beside = load.join().expect("no answer was wrong");
    });
    Measured {
        compiled,
        cached,
        beside,
        asked: asked.into_inner(),
        missing: missing.into_inner(),
    }
}

/// Adds copies of one component under different names, and the settings that enable them. Returns the names.
pub fn copies(config: &mut Config, simulator: &str, count: u32) -> Vec<String> {
    let original = component();
    let names = (0..count).map(|number| format!("versi{number:03}"));
    names
        .map(|name| {
            let copy = reworded(&original, b"versions", name.as_bytes());
            put(&config.components, &format!("guest-{name}.wasm"), &copy);
            config
                .connector
                .insert(connector_id(&format!("guest-{name}")), granted(simulator));
            name
        })
        .collect()
}
