//! Large registers: sections of a company with thousands of contracts, and the import of a year of contracts.

use std::hint::black_box;
use std::time::{Duration, Instant};

use lustra_tests::World;
use lustra_tests::lustra::connectors::bindings::enrichment::exports::lustra::connector::enrichment::Subject;
use lustra_tests::lustra::config::SecretMap;
use lustra_tests::lustra::store::testing::{connector_id, scope_name};
use lustra_demo as demo;
use lustra_tests::register_simulator::population::Happening;
use lustra_tests::register_simulator::{ChangeKind, Simulator};
use serde_json::json;
use tokio::runtime::Runtime;

use crate::support::process::{self, Resident};
use crate::support::upstream::{self, Files};
use crate::support::{self, Aim, Figures, Options, client, figures::say};

/// Number of days that are imported.
const YEAR: u32 = 365;
/// Maximum age in days of the entries in the simulator's register.
const OLDEST: u32 = 120;

pub fn run(options: &Options) {
    support::log_like_a_server();
    let runtime = support::runtime();
    if let Some((days, address)) = &options.inner {
        import_year(&runtime, days, address);
        return;
    }
    let mut figures = Figures::new("Large registers");
    sections(&runtime, options, &mut figures);
    year(&runtime, options, &mut figures);
    figures.end();
}

/// Measures the sections of a company with more contracts and notices than almost any real one.
fn sections(runtime: &Runtime, options: &Options, figures: &mut Figures) {
    let contracts = options.number("contracts", 10_000, 300);
    let notices = options.number("entries", 500, 30);
    let iterations = options.number("iterations", 300, 20);
    let world = runtime.block_on(
        World::new()
            .settings(|config| {
                config.freshness.cache_seconds = 0;
            })
            .start(),
    );
    let population = world.simulator.population();
    let index = (12..60).find(|index| population.company(*index, 0).is_active());
    let index = index.expect("some company is active");
    let day = world.simulator.clock().day() + 1;
    for (kind, count) in [
        (Happening::ContractPublished, contracts),
        (Happening::NoticePublished, notices),
    ] {
        for _ in 0..count {
            assert!(population.force(index, day, ChangeKind::Happened(kind)));
        }
    }
    world.advance(3);
    runtime
        .block_on(world.importer.run_due())
        .expect("the store is there");
    let ico = population.ico(index);
    let answer = runtime.block_on(world.company(&ico, "public_contracts,commercial_bulletin"));
    let counts = [
        answer.at("/data/public_contracts_summary/count"),
        answer.at("/data/commercial_bulletin/total_entries"),
    ];
    for (count, least) in counts.iter().zip([contracts, notices]) {
        assert!(count.as_u64() >= Some(least.into()), "{count} of {least}");
    }
    figures.explain(&format!(
        "A company with {} contracts and {} entries of the bulletin. Made: the connector reads the imported records \
         out of SQLite and makes the section, schema check included, one call after another, {iterations} of each. \
         Assembled: an answer with both sections from the store over one HTTP connection, without the cache.",
        counts[0], counts[1],
    ));
    let connectors = world.importer.companies().connectors();
    let catalogue = connectors.catalogue();
    for (connector, scope, aim) in [
        ("crz", "public_contracts", Some(Aim::AtMost(20.0))),
        ("commercial-bulletin", "commercial_bulletin", None),
    ] {
        let loaded = catalogue
            .serving(&connector_id(connector))
            .expect("it serves");
        let (subject, name) = (subject(&ico), scope_name(scope));
        let mut times = Vec::new();
        for _ in 0..iterations {
            let started = Instant::now();
            let section = runtime.block_on(loaded.enrich(&connectors.services, &name, &subject));
            times.push(started.elapsed());
            black_box(section.expect("the list was imported"));
        }
        report_times(figures, &format!("{scope}, made"), aim, &mut times);
    }
    let address = world.url();
    let address = address
        .strip_prefix("http://")
        .unwrap_or(&address)
        .parse()
        .expect("an address");
    let request = client::get(
        &format!("/v1/company/ico/{ico}?scope=public_contracts,commercial_bulletin"),
        &world.key,
    );
    let mut connection = client::Connection::open(address);
    let mut times = Vec::new();
    for _ in 0..iterations * 5 {
        let started = Instant::now();
        black_box(connection.ask(&request));
        times.push(started.elapsed());
    }
    report_times(figures, "both, assembled from the store", None, &mut times);
    runtime.block_on(world.end());
}

/// Prints the median of some times, with its aim if there is one, and their 99th percentile.
fn report_times(figures: &mut Figures, what: &str, aim: Option<Aim>, times: &mut [Duration]) {
    for (name, share, aim) in [("p50", 0.5, aim), ("p99", 0.99, None)] {
        let time = support::percentile(times, share).as_secs_f64() * 1e3;
        figures.add(format!("{what}, {name}"), time, "ms", aim);
    }
}

fn subject(ico: &str) -> Subject {
    Subject {
        ico: ico.to_owned(),
        name: "Vzorová, s. r. o.".to_owned(),
        city: Some("Bratislava".to_owned()),
        postal_code: Some("81101".to_owned()),
        nace_code: None,
        facts: Vec::new(),
        company: "{}".to_owned(),
        previous: None,
    }
}

/// Imports a year of daily exports, generated by the simulator and served from memory, in a separate process.
fn year(runtime: &Runtime, options: &Options, figures: &mut Figures) {
    // The real register gets about one contract per five hundred subjects on a working day.
    let companies = options.number("companies", 1_400_000, 20_000);
    let days = options.number("days", YEAR, 30);
    let (files, bytes) = exports(runtime, companies, days);
    let address = upstream::serve(runtime, files);
    let output = process::again([&days.to_string(), &address])
        .output()
        .expect("the program runs again");
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<f64> = text
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    let [records, seconds, guest, before, high] = numbers[..] else {
        let why = String::from_utf8_lossy(&output.stderr);
        panic!("the import in its own process gave {text:?}: {why}");
    };
    figures.explain(&format!(
        "{days} daily exports with {records} contracts for {companies} companies, {} MiB packed, served from memory by \
         another process on the same cores: fetched, unpacked, read in the sandbox and committed to SQLite in one run. \
         Memory: resident memory of the process with only the host, before the import and at its peak; and the guest's \
         peak memory.",
        bytes >> 20
    ));
    figures.report("contracts imported", records / seconds, "records/s");
    figures.report("the whole run", seconds, "s");
    figures.report("resident before", before, "MiB");
    figures.report("resident at most", high, "MiB");
    figures.report("the guest at most", guest, "MiB");
}

/// The exports of this many days before a world's current day, and their total size.
fn exports(runtime: &Runtime, companies: u32, days: u32) -> (Files, usize) {
    let earlier = days.saturating_sub(OLDEST);
    let start = lustra_tests::START - time::Duration::days(earlier.into());
    let (simulator, _) = runtime
        .block_on(demo::simulator(companies, 1, start))
        .expect("it starts");
    if earlier > 0 {
        simulator.advance(earlier);
    }
    let mut files = Files::new();
    let mut bytes = 0;
    for back in 1..=days {
        let date = (lustra_tests::START - time::Duration::days(back.into())).date();
        let path = format!("/export/{date}.zip");
        if let Some(file) = export(runtime, &simulator, &path) {
            bytes += file.bytes.len();
            files.insert(path, file);
        }
    }
    (files, bytes)
}

/// Reads one daily export. `None` if the day has none.
fn export(runtime: &Runtime, simulator: &Simulator, path: &str) -> Option<upstream::File> {
    let answer = runtime.block_on(reqwest::get(format!("{}/crz{path}", simulator.url())));
    let answer = answer.expect("the simulator answers");
    answer.status().is_success().then(|| upstream::File {
        content_type: "application/zip".to_owned(),
        bytes: runtime.block_on(answer.bytes()).expect("the body arrives"),
    })
}

/// The child process of [`year`]: prints records, seconds, the guest's memory, and resident memory before and at its
/// peak.
fn import_year(runtime: &Runtime, days: &str, address: &str) {
    let (days, address) = (days.parse::<u32>().expect("a number"), address.to_owned());
    let world = World::new()
        .companies(12)
        .nothing_imported()
        .settings(move |config| {
            upstream::point(config, "crz", "crz", &address);
            let crz = config
                .connector
                .get_mut("crz")
                .expect("the demo has the connector");
            let since = (lustra_tests::START - time::Duration::days(days.into())).date();
            let mut settings = crz.settings.reveal().clone();
            settings.insert("since".to_owned(), json!(since.to_string()));
            crz.settings = SecretMap::new(settings);
        });
    let world = runtime.block_on(world.start());
    Resident::forget_high();
    let before = Resident::read().now;
    let started = Instant::now();
    let imported = runtime.block_on(world.importer.run(
        &connector_id("crz"),
        "contracts",
        &|_progress| (),
    ));
    let seconds = started.elapsed().as_secs_f64();
    let records = imported.expect("the exports are imported").records;
    let high = Resident::read().high;
    let connectors = world.importer.companies().connectors();
    let catalogue = connectors.catalogue();
    let loaded = catalogue.serving(&connector_id("crz")).expect("it serves");
    let guest = runtime.block_on(async {
        let opened = loaded
            .open_import(&connectors.services, "contracts", None)
            .await;
        let mut run = opened.expect("the exports are there");
        // One month is enough to measure the guest's memory, because it reads day by day.
        let mut read = 0;
        while let Some(batch) = run.next().await.expect("the exports are read") {
            read += batch.items.len();
            if read > 60_000 {
                break;
            }
        }
        run.cost().memory_high
    });
    say(&format!(
        "{records} {seconds:.3} {} {before:.1} {high:.1}",
        guest >> 20
    ));
    runtime.block_on(world.end());
}
