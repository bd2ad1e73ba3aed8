//! All benchmarks in one program: `cargo bench` runs all of them, `cargo bench -- profiles` those whose name contains
//! the word.
//!
//! Each runs in a separate process, so that its figures do not depend on earlier runs, and a failure does not stop the
//! others. `cargo bench` passes `--bench`; without it, they run with the smallest sizes, as criterion's benchmarks do:
//! `cargo test --workspace --bench benchmarks` checks within a minute that each still works.

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
use std::process::ExitCode;
use std::time::Instant;

use lustra_sandbox::time_slice;
use support::figures::{self, say};
use support::{Options, process, repeated};

type Benchmark = (&'static str, fn(&Options));

const BENCHMARKS: [Benchmark; 21] = [
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
    let mut failed: Vec<&str> = Vec::new();
    // In turn, so that a change of the machine's speed affects all of them.
    for round in 0..times {
        for name in &wanted {
            let succeeded = ran(name, &repeated::file(folder.path(), name, round));
            if !succeeded && !failed.contains(name) {
                failed.push(*name);
            }
        }
    }
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

/// Runs a benchmark in a separate process, which writes its figures to a file. Returns whether it succeeded.
fn ran(name: &str, file: &Path) -> bool {
    let started = Instant::now();
    let status = process::alone(name)
        .env(figures::FILE, file)
        .status()
        .expect("this program runs again");
    say(&format!(
        "\n{name}: {status} after {:.1} s",
        started.elapsed().as_secs_f64()
    ));
    status.success()
}
