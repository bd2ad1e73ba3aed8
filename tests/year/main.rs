//! A year of a host in seconds: simulated days of registers, customers, faults, killed hosts, new versions and wrong
//! clocks, after which the invariants of `ARCHITECTURE.md` are checked.
//!
//! Everything that happens follows from the seed, so the same seed gives the same log. Ids and times of the machine are
//! not in the log. A violation is printed with the seed and the day, and the program ends with exit code 1.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for people: results on standard output, progress on standard error"
)]

mod child;
mod clients;
mod deliveries;
mod dice;
mod invariants;
mod ledger;
mod log;
mod stage;
mod troubled;
mod truth;
mod year;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, ValueEnum};
use lustra_tests::DatabaseKind;

use self::year::{Options, Summary};

/// Drives a host through simulated days with faults, and checks that nothing is lost, doubled or wrongly claimed.
#[derive(Debug, Parser)]
#[command(name = "year")]
struct Arguments {
    /// The first seed. Everything that happens follows from it.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of seeds to run, one after the other.
    #[arg(long, default_value_t = 1)]
    seeds: u64,
    /// Simulated days for each seed.
    #[arg(long, default_value_t = 365)]
    days: u32,
    /// The database. With SQLite, its disk is full on some days, and clocks are wrong. With PostgreSQL, its connections
    /// fail; clocks are not set wrong, because the clock of the database decides there.
    #[arg(long, value_enum, default_value = "sqlite")]
    database: Database,
    /// Writes the log of the last seed to this file.
    #[arg(long)]
    log: Option<PathBuf>,
    /// Prints results as JSON, one line for each seed.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Database {
    Sqlite,
    Postgres,
}

impl From<Database> for DatabaseKind {
    fn from(database: Database) -> Self {
        match database {
            Database::Sqlite => Self::Sqlite,
            Database::Postgres => Self::Postgres,
        }
    }
}

fn main() -> ExitCode {
    if let Some(parameters) = child::parameters() {
        return child::serve(&parameters);
    }
    let arguments = Arguments::parse();
    if arguments.database == Database::Sqlite {
        // The store is on a small disk, which is full on some days.
        lustra_tests::with_own_mounts();
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("threads can be created");
    runtime.block_on(run(&arguments))
}

async fn run(arguments: &Arguments) -> ExitCode {
    let mut is_clean = true;
    for seed in arguments.seed..arguments.seed.saturating_add(arguments.seeds) {
        let began = Instant::now();
        let options = Options {
            seed,
            days: arguments.days,
            database: arguments.database.into(),
        };
        let Some(summary) = Box::pin(year::run(&options)).await else {
            eprintln!("PostgreSQL is not available");
            return ExitCode::FAILURE;
        };
        is_clean &= summary.violations.is_empty();
        if arguments.json {
            println!("{}", summary.json(seed, began.elapsed()));
        } else {
            print(&summary, seed, began);
        }
        if let Some(file) = &arguments.log
            && let Err(error) = std::fs::write(file, summary.log.text())
        {
            eprintln!("error: {}: {error}", file.display());
            return ExitCode::FAILURE;
        }
    }
    if is_clean {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn print(summary: &Summary, seed: u64, began: Instant) {
    println!(
        "seed {seed}: {} days in {:.1?}, log {} ({} lines)",
        summary.days,
        began.elapsed(),
        summary.log.digest(),
        summary.log.lines(),
    );
    for (name, count) in &summary.happened {
        println!("  {count:>6} {name}");
    }
    for (invariant, checks) in &summary.checks {
        println!("  {checks:>6} checks of {}", invariant.line());
    }
    for violation in &summary.violations {
        println!("  VIOLATED: {violation}");
    }
}
