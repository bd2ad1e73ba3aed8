//! Whether a host that runs for long still takes what it took at first.
//!
//! `cargo bench -- soak` runs for five minutes, with `--days 240 --seconds 15` for an hour. A host in a process of its
//! own, with all shipped connectors and all background work, answers a constant load while simulated days pass: lists
//! are imported, watched companies change, webhooks are sent, registers fail. At the end of each day its memory,
//! descriptors, threads, log and store are read. Days of the second third are compared with those of the last: nothing
//! but stored data may have grown.

mod child;
mod load;

use std::fs::File;
use std::net::SocketAddr;
use std::path::Path;
use std::process::ChildStdin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::StatusCode;
use axum::routing::any;
use lustra_demo as demo;
use lustra_tests::components;
use lustra_tests::lustra::billing::NewKey;
use lustra_tests::lustra::store::Store;
use lustra_tests::register_simulator::{Fault, Register, Simulator};
use tokio::runtime::Runtime;

use crate::support::figures::say;
use crate::support::sizes::{mib, of_folder};
use crate::support::{self, Aim, Figures, Options, median, upstream};
pub use child::serve_as_child;
use child::{HostProcess, tell_day};
use load::{Answers, Load};

/// Registers that fail for a day, and how. One in ten days has a fault.
const FAULTS: [(Register, Fault); 4] = [
    (Register::Orsr, Fault::Error500),
    (Register::FsApi, Fault::Throttled),
    (Register::Ruz, Fault::Html200),
    (Register::RpoDumps, Fault::Down),
];
const DAYS_BETWEEN_FAULTS: usize = 10;

/// The most that a measure of the last third may be, relative to the second.
const FLAT: Aim = Aim::AtMost(1.05);

/// The name of a measure, its unit, its value of a day, and the aim for the last third relative to the second.
type Measure = (&'static str, &'static str, fn(&Sample) -> f64, Aim);

/// What a host holds at the end of a day.
struct Sample {
    /// Resident memory that is not the content of files, in MiB.
    memory: f64,
    descriptors: f64,
    threads: f64,
    /// Lines of the log since the day before.
    log: f64,
    /// MiB of all files of the host.
    stored: f64,
    /// Answers since the day before.
    answers: f64,
}

pub fn run(options: &Options) {
    let runtime = support::runtime();
    let companies = options.number("companies", 500, 60);
    let days = options.number("days", 60, 8);
    let day = options.seconds(5, 5);
    let rate = options.number("profiles-rate", 50, 20);
    let mut figures = Figures::new("Soak");
    figures.explain(&format!(
        "{companies} simulated companies with all shipped connectors on SQLite, a fifth of them watched with webhooks. \
         {days} days of {:.1} s each, {rate} requests a second; the registers and clients are another process.",
        day.as_secs_f64()
    ));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let now = time::OffsetDateTime::now_utc();
    let simulator = runtime.block_on(demo::simulator(companies, 1, now));
    let (simulator, _) = simulator.expect("a free port");
    let keys = runtime.block_on(keys(&simulator, folder.path()));
    let log = folder.path().join("log");
    let written = File::create(&log).expect("a folder of our own");
    let mut host = HostProcess::start(&simulator.url(), &components(), folder.path(), written);
    let webhooks = Arc::new(AtomicU64::new(0));
    let receiver = receiver(&runtime, &webhooks);
    let answers = Answers::default();
    let load = Load::new(host.address, simulator.population(), &keys, rate);
    load.subscribe(receiver, companies / 5);
    let samples = std::thread::scope(|scope| {
        let clients = scope.spawn(|| load.run(day * days, &answers));
        let read = Reader {
            simulator: &simulator,
            folder: folder.path(),
            process: host.id(),
            answers: &answers,
        };
        let samples = read.days(days, day, &mut host.input);
        clients.join().expect("the clients end with the days");
        samples
    });
    host.end();
    report(&samples, &answers, &mut figures);
    figures.report(
        "webhooks received",
        count(webhooks.load(Ordering::Relaxed)),
        "",
    );
    figures.end();
}

/// Two keys: of an account without limits, and of one that pays for each answer.
async fn keys(simulator: &Simulator, data: &Path) -> [String; 2] {
    let config = child::config(&simulator.url(), Path::new(""), data);
    let store = Store::connect(&config.store_url(), 1).await;
    let store = store.expect("a folder of our own");
    let now = simulator.clock().now();
    let mut all = Vec::new();
    for plan in ["enterprise", child::CHARGED] {
        let account = store.keys().create_account(plan, plan, now).await;
        let account = account.expect("the store is there").id;
        let key = NewKey::live();
        let hash = key.text.hash();
        let keys = store.keys();
        let created = keys.create_key(account, "soak", &key.prefix, &hash, None, now);
        created.await.expect("the store is there");
        all.push(key.text.reveal().to_owned());
    }
    store.close().await;
    all.try_into().expect("there are two plans")
}

/// Receives webhooks and counts them.
fn receiver(runtime: &Runtime, webhooks: &Arc<AtomicU64>) -> SocketAddr {
    let counted = Arc::clone(webhooks);
    let receive = async move || {
        counted.fetch_add(1, Ordering::Relaxed);
        StatusCode::OK
    };
    upstream::listen(runtime, Router::new().fallback(any(receive)))
}

/// Lets days pass and reads what the host holds.
struct Reader<'a> {
    simulator: &'a Simulator,
    folder: &'a Path,
    process: u32,
    answers: &'a Answers,
}

impl Reader<'_> {
    fn days(&self, days: u32, day: Duration, clock: &mut ChildStdin) -> Vec<Sample> {
        let started = Instant::now();
        let mut samples = Vec::new();
        let (mut lines, mut answers) = (0, 0);
        for number in 1..=days {
            let end = started + day * number;
            std::thread::sleep(end.saturating_duration_since(Instant::now()));
            let logged = self.logged();
            let answered = self.answers.all();
            let sample = self.sample(logged - lines, answered - answers);
            (lines, answers) = (logged, answered);
            let passed = started.elapsed().as_secs();
            say(&format!(
                "  {passed:>5} s, day {number:>3}: {:.0} MiB, {} descriptors, {} threads, {} log lines, {:.1} MiB stored, \
                 {} answers",
                sample.memory,
                sample.descriptors,
                sample.threads,
                sample.log,
                sample.stored,
                sample.answers
            ));
            samples.push(sample);
            self.fail_for_a_day(samples.len());
            self.simulator.advance(1);
            tell_day(clock, number);
        }
        samples
    }

    fn sample(&self, log: u64, answers: u64) -> Sample {
        let process = format!("/proc/{}", self.process);
        let status = std::fs::read_to_string(format!("{process}/status"));
        let status = status.expect("the host runs until it is ended");
        let value = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let value = line.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok());
            value.expect("Linux reports it")
        };
        let descriptors = std::fs::read_dir(format!("{process}/fd"));
        let descriptors = descriptors.expect("the host is a child of this process");
        Sample {
            memory: value("RssAnon:") / 1024.0,
            descriptors: count(descriptors.count() as u64),
            threads: value("Threads:"),
            log: count(log),
            stored: mib(of_folder(&self.folder.join(child::DATA))),
            answers: count(answers),
        }
    }

    /// The lines of the log so far.
    fn logged(&self) -> u64 {
        let log = std::fs::read(self.folder.join("log")).expect("the host writes it");
        memchr::memchr_iter(b'\n', &log).count() as u64
    }

    fn fail_for_a_day(&self, day: usize) {
        for (number, (register, fault)) in FAULTS.into_iter().enumerate() {
            let of_register = DAYS_BETWEEN_FAULTS * (number + 1);
            let fails = day % (DAYS_BETWEEN_FAULTS * FAULTS.len()) == of_register - 1;
            let mode = if fails { fault } else { Fault::Off };
            self.simulator.fault(register, mode);
        }
    }
}

fn report(samples: &[Sample], answers: &Answers, figures: &mut Figures) {
    let third = samples.len() / 3;
    let (second, last) = (
        &samples[third..2 * third.max(1)],
        &samples[samples.len() - third.max(1)..],
    );
    let medians = |of: fn(&Sample) -> f64| {
        let median_of = |days: &[Sample]| median(&days.iter().map(of).collect::<Vec<_>>());
        (median_of(second), median_of(last))
    };
    let measures: [Measure; 5] = [
        ("memory", "MiB", |sample| sample.memory, FLAT),
        ("descriptors", "", |sample| sample.descriptors, FLAT),
        ("threads", "", |sample| sample.threads, FLAT),
        ("log lines a day", "", |sample| sample.log, FLAT),
        (
            "answers a day",
            "",
            |sample| sample.answers,
            Aim::AtLeast(0.98),
        ),
    ];
    figures.explain("Medians of the days of the second and the last third.");
    for (name, unit, of, aim) in measures {
        let (before, after) = medians(of);
        figures.report(format!("{name}, second third"), before, unit);
        figures.report(format!("{name}, last third"), after, unit);
        let name = format!("{name}, last third to second");
        figures.aimed(name, after / before, "", aim);
    }
    let growth = |days: &[Sample]| match days {
        [first, .., last] => (last.stored - first.stored) / count(days.len() as u64 - 1),
        _ => 0.0,
    };
    figures.report("store, growth a day, second third", growth(second), "MiB");
    figures.report("store, growth a day, last third", growth(last), "MiB");
    for (status, number) in answers.by_status() {
        figures.report(format!("answers with status {status}"), count(number), "");
    }
}

#[expect(clippy::cast_precision_loss, reason = "a count far below 2^52")]
fn count(number: u64) -> f64 {
    number as f64
}
