//! All benchmarks in one program: `cargo bench` runs all of them, `cargo bench -- profiles` those whose name contains
//! the word.
//!
//! Each runs in a separate process, so that its figures do not depend on earlier runs, and a failure does not stop the
//! others. `cargo bench` passes `--bench`; without it, they run with the smallest sizes, as criterion's benchmarks do:
//! `cargo test --workspace --bench benchmarks` checks that each still works. Then as many run at once as there are
//! cores, because their figures mean nothing.

mod collections;
mod growth;
mod hostile;
mod imports;
mod ledger;
mod notices;
mod pages;
mod profiles;
mod registers;
mod reload;
mod sanctions;
mod sandbox;
mod search;
mod soak;
mod support;

use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus};
use std::sync::Mutex;
use std::thread;
use std::time::Instant;

use lustra_sandbox::time_slice;
use support::figures::{self, say};
use support::options::Size;
use support::{Options, process, repeated};

type Benchmark = (&'static str, fn(&Options));

const BENCHMARKS: [Benchmark; 22] = [
    ("profiles", profiles::run),
    ("sandbox", sandbox::run),
    ("imports", imports::run),
    ("reload", reload::run),
    ("search", search::run),
    ("collections", collections::run),
    ("ledger", ledger::run),
    ("ledger-beside-import", ledger::beside_import::run),
    ("notices", notices::run),
    ("registers", registers::run),
    ("hostile", hostile::run),
    ("sanctions", sanctions::run),
    ("pages", pages::run),
    ("growth-companies-sqlite", growth::companies::on_sqlite),
    (
        "growth-companies-postgresql",
        growth::companies::on_postgresql,
    ),
    ("growth-subscriptions", growth::subscriptions::run),
    ("growth-bookings", growth::bookings::run),
    ("growth-connectors", growth::connectors::run),
    ("growth-hosts", growth::hosts::run),
    ("growth-rivals", growth::rivals::run),
    ("growth-day", growth::day::run),
    ("soak", soak::run),
];

fn main() -> ExitCode {
    // As the program does.
    lustra_cli::allocator::return_memory_soon();
    time_slice::shorten().expect("the system allows this");
    if reload::compile_as_child() || soak::serve_as_child() {
        return ExitCode::SUCCESS;
    }
    let Some(options) = Options::read() else {
        return ExitCode::FAILURE;
    };
    if let Some(alone) = &options.alone {
        let (_, run) = BENCHMARKS
            .iter()
            .find(|(name, _)| name == alone)
            .expect("this program names one of its own");
        run(&options);
        return ExitCode::SUCCESS;
    }
    let wanted: Vec<&str> = BENCHMARKS
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| options.wants(name))
        .collect();
    if wanted.is_empty() {
        let names = BENCHMARKS.map(|(name, _)| name).join(", ");
        say(&format!("No benchmark matches. Benchmarks: {names}."));
        return ExitCode::FAILURE;
    }
    let times = options.number("times", 1, 1).max(1);
    let folder = tempfile::tempdir().expect("a benchmark can write temporary files");
    let failed = if options.size == Size::Least && times == 1 {
        ran_at_once(&wanted, folder.path())
    } else {
        ran_in_turn(&wanted, times, folder.path())
    };
    if times > 1 {
        for name in &wanted {
            repeated::print(folder.path(), name, times);
        }
    }
    if failed.is_empty() {
        return ExitCode::SUCCESS;
    }
    say(&format!("\nFailed: {}", failed.join(", ")));
    ExitCode::FAILURE
}

/// Runs each benchmark this many times, one at a time. Returns the names of those that failed.
fn ran_in_turn<'a>(wanted: &[&'a str], times: u32, folder: &Path) -> Vec<&'a str> {
    let mut failed: Vec<&str> = Vec::new();
    // In turn, so that a change of the machine's speed affects all of them.
    for round in 0..times {
        for name in wanted {
            let started = Instant::now();
            let status = alone(name, &repeated::file(folder, name, round)).status();
            let status = status.expect("this program runs again");
            say(&outcome(name, started, status));
            if !status.success() && !failed.contains(name) {
                failed.push(name);
            }
        }
    }
    failed
}

/// Runs each benchmark once, as many at once as there are cores, and prints what one has printed when it ends. Returns
/// the names of those that failed.
fn ran_at_once<'a>(wanted: &[&'a str], folder: &Path) -> Vec<&'a str> {
    let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let waiting = Mutex::new(wanted.iter());
    let next = || waiting.lock().expect("no thread panicked").next();
    let failed = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(name) = next() {
                    let started = Instant::now();
                    let output = alone(name, &repeated::file(folder, name, 0)).output();
                    let output = output.expect("this program runs again");
                    let printed = [&output.stdout[..], &output.stderr[..]].concat();
                    let printed = String::from_utf8_lossy(&printed);
                    // As one text, so that the lines of two benchmarks are not mixed.
                    say(&format!(
                        "{printed}{}",
                        outcome(name, started, output.status)
                    ));
                    if !output.status.success() {
                        failed.lock().expect("no thread panicked").push(*name);
                    }
                }
            });
        }
    });
    failed.into_inner().expect("no thread panicked")
}

/// A separate process for a benchmark, which writes its figures to a file.
fn alone(name: &str, file: &Path) -> Command {
    let mut command = process::alone(name);
    command.env(figures::FILE, file);
    command
}

/// How a benchmark ended and after how many seconds, with an empty line before it.
fn outcome(name: &str, started: Instant, status: ExitStatus) -> String {
    format!(
        "\n{name}: {status} after {:.1} s",
        started.elapsed().as_secs_f64()
    )
}
