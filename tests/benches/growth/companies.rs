//! What grows with the companies in the store.
//!
//! `cargo bench -- growth-companies`, or `growth-companies-sqlite` for one database. The parent fills the store step by
//! step; a host in a process of its own, whose memory is therefore only a host's, is measured at each step.

use std::path::Path;
use std::time::{Duration, Instant};

use lustra_tests::lustra::billing::NewKey;
use lustra_tests::lustra::config::{Config, Secret};
use lustra_tests::lustra::search::{Page, Search, SearchCriteria};
use lustra_tests::lustra::server::Host;
use lustra_tests::lustra::store::Store;
use lustra_tests::{Builder, DatabaseKind, Neighbour, World};
use serde_json::json;
use tokio::runtime::Runtime;

use super::fill::{self, Source};
use super::points::{Grown, Points};
use super::{address, database, look_ups, millis, name_of, sizes};
use crate::search::typed;
use crate::support::client::{self, Request};
use crate::support::figures::say;
use crate::support::process::{self, Resident};
use crate::support::sizes::{mib, of_folder, of_store};
use crate::support::{self, Figures, Options, percentile, rate};

const WHAT: &str = "companies";

/// Companies that are looked up in turn without and with the cache.
const LOOKED_UP: u32 = 20_000;
const CACHED: u32 = 1_000;
/// Companies whose people are looked up.
const WITH_PEOPLE: u32 = 2_000;
/// Items of a large batch.
const BATCH: u32 = 1_000;

pub fn on_sqlite(options: &Options) {
    run(options, DatabaseKind::Sqlite);
}

pub fn on_postgresql(options: &Options) {
    run(options, DatabaseKind::Postgres);
}

fn run(options: &Options, kind: DatabaseKind) {
    support::log_like_a_server();
    let runtime = support::runtime();
    if let Some((url, _)) = &options.inner {
        measure(&runtime, name_of(kind), url, options);
        return;
    }
    let most = options.number("companies", 3_000_000, 5_000);
    let least = options.number("least-companies", 10_000, 1_000);
    let steps = sizes(&[10_000, 100_000, 1_300_000], least, most);
    let Some(database) = database(&runtime, kind) else {
        return;
    };
    let source = Source::new(&runtime, most);
    let mut stored = 0;
    for size in steps {
        let took = source.fill(&runtime, database.url(), stored..size);
        say(&format!(
            "\n{}: {} more companies with their histories, through the functions of the store that imports use, in {:.1} \
             s ({:.0}/s)",
            name_of(kind),
            size - stored,
            took.as_secs_f64(),
            rate(u64::from(size - stored), took)
        ));
        stored = size;
        let status = process::again([database.url(), ""]).status();
        assert!(
            status.is_ok_and(|status| status.success()),
            "{size} companies were measured"
        );
    }
    runtime.block_on(database.remove());
    Points::open(options, WHAT, WHAT).show();
}

/// A world on an existing store, without a cache and with the register of companies only.
pub(super) fn world_on(url: &str) -> Builder {
    let url = url.to_owned();
    world().settings(move |config| {
        config.store = Some(Secret::new(url));
        config.freshness.cache_seconds = 0;
    })
}

/// A world with the register of companies only.
fn world() -> Builder {
    let world = World::new().companies(12).connectors(&["rpo"]);
    world.nothing_imported().without_index()
}

/// Creates a key of an account that is not charged. Returns it with the number of companies.
async fn prepared(url: &str, world: &World) -> (String, u32) {
    let store = Store::connect(url, 1).await.expect("the store is there");
    let keys = store.keys();
    let known = keys.find_account("tests").await;
    let account = match known.expect("the store is there") {
        Some(account) => account,
        None => {
            let created = keys.create_account("tests", "enterprise", world.now());
            created.await.expect("the store is there")
        }
    };
    let key = NewKey::live();
    let hash = key.text.hash();
    let created = keys.create_key(account.id, "bench", &key.prefix, &hash, None, world.now());
    created.await.expect("the store is there");
    let count = store.companies().count().await.expect("the store is there");
    store.close().await;
    let size = u32::try_from(count).expect("benchmarks store fewer");
    (key.text.reveal().to_owned(), size)
}

fn measure(runtime: &Runtime, series: &'static str, url: &str, options: &Options) {
    // Its own store is empty, so that one host alone has an index and a cache in this process.
    let world = runtime.block_on(world().start());
    let (key, size) = runtime.block_on(prepared(url, &world));
    let mut figures = Figures::new("Growth with companies");
    let mut points = Points::open(options, WHAT, WHAT);
    let mut grown = Grown {
        figures: &mut figures,
        points: &mut points,
        series,
        size,
    };
    let folder = tempfile::tempdir().expect("temporary files can be written");
    let mut config = world.config().clone();
    config.store = Some(Secret::new(url.to_owned()));
    config.data = folder.path().join("data");
    config.freshness.cache_seconds = 0;
    config.operator.on = false;
    // A batch of this size is work for the background.
    config.batch.jobs = true;
    grown.add("store", mib(runtime.block_on(of_store(url))), "MiB");
    start(runtime, &world, &config, options, &mut grown);
    let mut caching = config.clone();
    caching.data = folder.path().join("caching");
    caching.freshness.cache_seconds = 3_600;
    // With an index of its own, so that it does not build one while it is measured.
    copy(&config.data, &caching.data);
    let host = started(runtime, &world, config);
    explain(&grown, options);
    let hosts = [address(&host.url())];
    let stored = requests(&fill::spread(size, LOOKED_UP), "", &key);
    assert_from(&stored[0], &hosts, "database");
    look_ups(&hosts, &stored, "stored look-up", options, &mut grown);
    let people = fill::spread(size, WITH_PEOPLE);
    let people = requests(&people, "?scope=orsr", &key);
    client::each_once(hosts[0], &people, 2);
    look_ups(
        &hosts,
        &people,
        "stored look-up with people",
        options,
        &mut grown,
    );
    let store = runtime.block_on(Store::connect(url, 1));
    let store = store.expect("the store is there");
    typing(runtime, host.search(), &store, options, &mut grown);
    runtime.block_on(store.close());
    batches(runtime, &host, &key, options, &mut grown);
    let resident = Resident::read();
    grown.add("memory, resident", resident.now, "MiB");
    grown.add("memory without mapped files", resident.own, "MiB");
    drop(host);
    let host = started(runtime, &world, caching);
    let hosts = [address(&host.url())];
    let cached = requests(&fill::spread(size, CACHED), "", &key);
    client::each_once(hosts[0], &cached, 2);
    assert_from(&cached[0], &hosts, "cache");
    look_ups(&hosts, &cached, "cached look-up", options, &mut grown);
    points.save();
    figures.end();
    drop(host);
    runtime.block_on(world.end());
}

/// Starts a host whose index is there already.
fn started(runtime: &Runtime, world: &World, config: Config) -> Neighbour {
    let host = runtime.block_on(world.neighbour_with(config));
    let stepped = runtime.block_on(host.indexed());
    assert!(!stepped.made, "the index is there");
    host
}

/// Copies the files of a folder and of those in it.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("temporary files can be written");
    for entry in std::fs::read_dir(from).expect("it is there").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("temporary files can be written");
        }
    }
}

fn explain(grown: &Grown, options: &Options) {
    grown.figures.explain(&format!(
        "A host with the register of companies alone, without a cache except where it says so. Look-ups of at most \
         {LOOKED_UP} companies spread over the store, base data each; of {WITH_PEOPLE} with people and their history, \
         whose sections are stored; of {CACHED} from the cache. Times at a fixed rate start when a request is due. Names typed letter \
         by letter in process. Batches of {BATCH} numbers as lines over HTTP. {} s for each throughput and each time.",
        options.seconds(10, 1).as_secs_f64()
    ));
}

fn requests(icos: &[String], query: &str, key: &str) -> Vec<Request> {
    let path = |ico: &String| format!("/v1/company/ico/{ico}{query}");
    icos.iter()
        .map(|ico| client::get(&path(ico), key))
        .collect()
}

/// Checks where answers come from, before their time is measured.
fn assert_from(request: &Request, hosts: &[std::net::SocketAddr], source: &str) {
    let mut connection = client::Connection::open(hosts[0]);
    let body: serde_json::Value =
        serde_json::from_slice(connection.ask(request)).expect("an answer is JSON");
    assert_eq!(body["meta"]["source"], source, "{}", body["meta"]);
    assert_eq!(body["meta"]["stale"], false, "{}", body["meta"]);
}

/// Measures a start with an empty data folder, and later ones.
fn start(runtime: &Runtime, world: &World, config: &Config, options: &Options, grown: &mut Grown) {
    let rounds = options.number("rounds", 5, 2);
    grown.figures.explain(&format!(
        "From the settings to a host that is ready to listen and whose name index is current: first with an empty data \
         folder, so that the index is built from the store, and its segments are merged later; then the median of \
         {rounds} starts with the index there. Components are compiled."
    ));
    let ready = || {
        let started = Instant::now();
        let host = Box::pin(Host::prepare(config.clone(), world.clock()));
        let host = runtime.block_on(host).expect("it starts");
        let prepared = started.elapsed();
        let stepped = runtime
            .block_on(host.search.step())
            .expect("the index follows");
        (prepared, started.elapsed(), stepped.made, host.search)
    };
    let (prepared, current, _, search) = ready();
    let index = (current - prepared).as_secs_f64();
    grown.add("index from nothing", index, "s");
    let merging = Instant::now();
    runtime.block_on(search.merged());
    let merging = merging.elapsed().as_secs_f64();
    grown.add("merge of its segments", merging, "s");
    drop(search);
    grown.add("index", mib(of_folder(&config.data)), "MiB");
    let mut later: Vec<Duration> = (0..rounds)
        .map(|_| {
            let (_, current, made, _) = ready();
            assert!(!made, "the index of the first start is there");
            current
        })
        .collect();
    grown.add("start to ready", millis(percentile(&mut later, 0.5)), "ms");
}

/// Measures names that are typed letter by letter.
pub(super) fn typing(
    runtime: &Runtime,
    search: &Search,
    store: &Store,
    options: &Options,
    grown: &mut Grown,
) {
    let icos = fill::spread(grown.size, options.number("names", 1_000, 50));
    let icos: Vec<&str> = icos.iter().map(String::as_str).collect();
    let names = runtime.block_on(store.companies().names_of(&icos));
    let names = names.expect("the store is there");
    let page = || Page {
        limit: 10,
        offset: 0,
    };
    let mut times = Vec::new();
    runtime.block_on(async {
        for typed in names.iter().flat_map(|(_, name)| typed(name)) {
            let criteria = SearchCriteria {
                name: Some(typed.to_owned()),
                ..SearchCriteria::default()
            };
            let started = Instant::now();
            let found = search.suggestions(criteria, page()).await;
            times.push(started.elapsed());
            assert!(!found.expect("it answers").hits.is_empty(), "{typed}");
        }
    });
    for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
        let time = millis(percentile(&mut times, share));
        grown.add(&format!("autocomplete, {name}"), time, "ms");
    }
}

/// Measures large batches of numbers that were not asked before.
fn batches(runtime: &Runtime, host: &Neighbour, key: &str, options: &Options, grown: &mut Grown) {
    let rounds = options.number("rounds", 5, 2);
    let items = BATCH.min(grown.size / rounds);
    let icos = fill::spread(grown.size, items * rounds);
    let client = lustra_tests::client();
    let mut times: Vec<Duration> = icos
        .chunks_exact(items as usize)
        .map(|icos| {
            let request = client
                .post(format!("{}/v1/batch/ico", host.url()))
                .header("x-api-key", key)
                .header("accept", "application/x-ndjson")
                .json(&json!({ "icos": icos }));
            let started = Instant::now();
            let text = runtime.block_on(async {
                let answer = request.send().await.expect("the host answers");
                answer.text().await.expect("the lines arrive")
            });
            let time = started.elapsed();
            let last = text.lines().last().unwrap_or_default();
            let last: serde_json::Value = serde_json::from_str(last).expect("JSON");
            assert_eq!(last["meta"]["found"], items, "{last}");
            time
        })
        .collect();
    let time = millis(percentile(&mut times, 0.5));
    grown.add(&format!("batch of {BATCH}"), time, "ms");
}
