//! Times of look-ups while a register is imported into the same store.

use std::fs::File;
use std::net::SocketAddr;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use lustra_tests::lustra::store::testing::connector_id;
use tokio::runtime::Runtime;

use super::{millis, prepared, world};
use crate::support::client::{self, Request};
use crate::support::{self, Aim, Figures, Options, percentile, upstream};

/// What is timed, and the aim of its ratio beside the import to alone. A durable write of the benchmark itself shows
/// what the disk does and has none.
const MEASURED: [(&str, Option<Aim>); 3] = [
    ("charged", Some(Aim::AtMost(1.3))),
    ("not charged", Some(Aim::AtMost(1.3))),
    ("durable write", None),
];

pub fn run(options: &Options) {
    support::log_like_a_server();
    let runtime = support::runtime();
    let mut figures = Figures::new("Look-ups beside an import");
    measure(&runtime, options, &mut figures);
    figures.end();
}

fn measure(runtime: &Runtime, options: &Options, figures: &mut Figures) {
    let records = options.number("rpo-records", 1_000_000, 3_000);
    let rate = options.number("profiles-rate", 100, 50);
    let files = upstream::bucket(runtime, records);
    let address_of_files = upstream::serve(runtime, files);
    let world = world().nothing_imported().settings(move |config| {
        upstream::point(config, "rpo", "rpo-dumps", &address_of_files);
        // The whole dump is one file here; the real register splits it.
        let rpo = config.connector.get_mut("rpo").expect("the demo has it");
        rpo.import_limits.body_mib = Some(16_384);
        rpo.import_limits.bytes_mib = Some(16_384);
    });
    let (world, host, [charged, free]) = prepared(runtime, world);
    figures.explain(&format!(
        "Look-ups from SQLite at {rate} a second, alone and while a dump of {records} companies is imported into the same \
         store: served from memory, unpacked, parsed in the sandbox and written on the same two cores. Rounds of both \
         accounts alternate with rounds of durable writes to a file on the same disk, which show what the disk adds to \
         each charge.",
    ));
    let span = options.seconds(30, 2);
    let file = tempfile::tempfile().expect("a benchmark can write temporary files");
    let timed = |span| timed(host, [&charged, &free], &file, rate, span);
    let alone = timed(span);
    let importer = world.importer.clone();
    // Where the scheduler of imports runs them.
    let connectors = importer.companies().connectors();
    let background = connectors.services.background.clone();
    let importing = background.spawn(async move {
        let started = Instant::now();
        let run = importer
            .run(&connector_id("rpo"), "companies", &|_progress| ())
            .await;
        run.expect("the list is imported");
        started.elapsed()
    });
    let mut beside = [const { Vec::new() }; 3];
    while !importing.is_finished() {
        let round = timed(span.min(Duration::from_secs(6)));
        for (all, round) in beside.iter_mut().zip(round) {
            all.extend(round);
        }
    }
    let took = runtime
        .block_on(importing)
        .expect("the import does not panic");
    figures.report(
        "the import during look-ups",
        support::rate(records.into(), took),
        "records/s",
    );
    // A few rounds say nothing about one call in a hundred.
    let is_long_enough = took > span;
    if !is_long_enough {
        figures.explain(
            "The import took less time than the look-ups alone, so that the two are not compared.",
        );
    }
    for (((name, aim), mut alone), mut beside) in MEASURED.into_iter().zip(alone).zip(beside) {
        for (share, of) in [(0.5, "p50"), (0.95, "p95"), (0.99, "p99")] {
            let (alone, beside) = (
                percentile(&mut alone, share),
                percentile(&mut beside, share),
            );
            figures.report(format!("{name}, {of} alone"), millis(alone), "ms");
            figures.report(
                format!("{name}, {of} beside the import"),
                millis(beside),
                "ms",
            );
            if of == "p99" && is_long_enough {
                let ratio = beside.as_secs_f64() / alone.as_secs_f64();
                let name = format!("{name}, {of} beside the import to alone");
                figures.add(name, ratio, "", aim);
            }
        }
    }
    runtime.block_on(world.end());
}

/// The times of two kinds of requests and of durable writes, each for a third of the time.
fn timed(
    host: SocketAddr,
    [charged, free]: [&[Request]; 2],
    file: &File,
    rate: u32,
    span: Duration,
) -> [Vec<Duration>; 3] {
    let look_ups = |requests| client::open_loop(host, requests, 8, rate, span / 3);
    [
        look_ups(charged),
        look_ups(free),
        durable_writes(file, rate, span / 3),
    ]
}

/// Times of durable writes at a fixed rate, each from the time it is due. They overwrite the start of the file, like
/// commits in a write-ahead log.
fn durable_writes(file: &File, rate: u32, span: Duration) -> Vec<Duration> {
    let started = Instant::now();
    let interval = Duration::from_secs(1) / rate;
    (0..)
        .map(|turn| interval * turn)
        .take_while(|due| *due < span)
        .map(|due| {
            let due = started + due;
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            file.write_all_at(&[7; 8_192], 0)
                .and_then(|()| file.sync_data())
                .expect("the disk has space");
            due.elapsed()
        })
        .collect()
}
