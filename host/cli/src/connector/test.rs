//! `lustra connector test`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::super::{CliError, print, start_log};
use super::bench::{self, BenchArgs};
use lustra_author::bench::{Bench, OnBench};
use lustra_author::cassette::{self, Cassette};
use lustra_author::faults::{self, Reaction, Tried};
use lustra_author::repeat::repeat;
use lustra_sandbox::build::Profile;

/// Replay recorded calls without the network and compare the results.
///
/// Fails if a result differs from the expected one, or if the connector sends a request that was not recorded.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    lustra connector test connectors/orsr\n  \
    lustra connector test connectors/orsr --fault\n  \
    lustra connector test components/orsr.wasm --cassettes connectors/orsr/cassettes\n  \
    lustra connector test connectors/orsr --bless    # what comes now is right")]
pub struct Test {
    /// Directory of a connector's crate, which is built first, or a component file.
    #[arg(value_name = "DIR|FILE")]
    component: PathBuf,
    /// Directory of the cassettes. Default: `cassettes` in the crate.
    #[arg(long, value_name = "DIR")]
    cassettes: Option<PathBuf>,
    /// Write the actual results to the cassettes as the expected ones.
    #[arg(long)]
    bless: bool,
    /// Apply every known fault of registers to each recorded answer, and check the connector's reaction.
    #[arg(long, conflicts_with = "bless")]
    fault: bool,
    /// Cache directory for compiled components. Default: in the build directory of the connectors, if there is one.
    #[arg(long, value_name = "DIR")]
    compiled: Option<PathBuf>,
    /// Print JSON, one object a cassette, or a fault.
    #[arg(long)]
    json: bool,
}

/// A cassette with its display name.
struct Named {
    path: PathBuf,
    name: String,
    cassette: Cassette,
}

impl Test {
    pub(super) async fn run(self) -> Result<(), CliError> {
        start_log("off", false);
        let directory = bench::cassettes(&self.component, self.cassettes.as_ref())?;
        let cassettes = read(&directory)?;
        let file = bench::component(&self.component, Profile::Shipped).await?;
        let bench = BenchArgs::quiet_bench(self.compiled.as_ref()).await?;
        let on_bench = bench.load(&file).await?;
        let id = &on_bench.manifest().id;
        if let Some(other) = cassettes
            .iter()
            .find(|named| named.cassette.connector != *id)
        {
            return Err(CliError(format!(
                "{} is a call of {}, and this connector is {id}",
                other.name, other.cassette.connector
            )));
        }
        let mut failed = 0;
        for named in &cassettes {
            failed += if self.fault {
                self.faults(&bench, &on_bench, named).await
            } else {
                usize::from(!self.one(&bench, &on_bench, named).await?)
            };
        }
        let what = if self.fault { "faults" } else { "cassettes" };
        if failed > 0 {
            return Err(CliError(format!("{failed} {what} failed")));
        }
        Ok(())
    }

    /// Replays one call; returns whether the outcome was as expected.
    async fn one(
        &self,
        bench: &Bench,
        on_bench: &OnBench,
        named: &Named,
    ) -> Result<bool, CliError> {
        let repeated = repeat(bench, on_bench, &named.cassette).await;
        let replayed = &repeated.replayed;
        let blessed = self.bless && repeated.difference.is_some() && replayed.unmatched.is_empty();
        let is_good = repeated.is_good() || blessed;
        if blessed {
            let mut cassette = named.cassette.clone();
            cassette.recording.outcome = replayed.outcome.clone();
            cassette.version.clone_from(&on_bench.manifest().version);
            cassette.save(&named.path)?;
        }
        if self.json {
            let line = serde_json::json!({
                "cassette": named.path, "passed": is_good, "blessed": blessed,
                "difference": repeated.difference, "not_recorded": replayed.unmatched,
                "not_asked": replayed.unused, "cpu_ms": replayed.cost.cpu.as_millis(),
                "memory_bytes": replayed.cost.memory_high, "log": replayed.log,
            });
            print(&line.to_string());
            return Ok(is_good);
        }
        let word = match (is_good, blessed) {
            (_, true) => "blessed",
            (true, false) => "passed",
            (false, false) => "FAILED",
        };
        print(&format!(
            "{word:<8} {}  {} ms",
            named.name,
            replayed.cost.wall.as_millis()
        ));
        for what in &replayed.unmatched {
            print(&format!("    not recorded: {what}"));
        }
        for what in &replayed.unused {
            print(&format!("    recorded but not requested: {what}"));
        }
        if !is_good {
            for (level, line) in &replayed.log {
                print(&format!("    log {level}: {line}"));
            }
        }
        if let Some(difference) = &repeated.difference {
            print("    - expected, + actual");
            for line in difference.lines() {
                print(&format!("    {line}"));
            }
        }
        if self.bless && !is_good {
            print("    not blessed: record the missing requests first (lustra connector record)");
        }
        Ok(is_good)
    }

    /// Tries every fault at one call; returns how many had a wrong reaction.
    async fn faults(&self, bench: &Bench, on_bench: &OnBench, named: &Named) -> usize {
        let bar = spinner(&named.name);
        let tried = faults::try_all(bench, on_bench, &named.cassette, &mut || bar.inc(1)).await;
        bar.finish_and_clear();
        let wrong: Vec<&Tried> = tried
            .iter()
            .filter(|tried| matches!(tried.reaction, Reaction::Wrong(_)))
            .collect();
        if self.json {
            for tried in &tried {
                print(&as_json(&named.path, tried).to_string());
            }
            return wrong.len();
        }
        let word = if wrong.is_empty() { "passed" } else { "FAILED" };
        print(&format!("{word:<8} {}  {}", named.name, counted(&tried)));
        for tried in &wrong {
            if let Reaction::Wrong(why) = &tried.reaction {
                print(&format!(
                    "    {} at answer {} ({}):\n        {why}",
                    tried.fault, tried.answer, tried.question
                ));
            }
        }
        wrong.len()
    }
}

fn counted(tried: &[Tried]) -> String {
    let of = |is: fn(&Reaction) -> bool| tried.iter().filter(|tried| is(&tried.reaction)).count();
    format!(
        "{} faults: {} structured failures, {} named as unread, {} without effect",
        tried.len(),
        of(|reaction| matches!(reaction, Reaction::Failure { .. })),
        of(|reaction| matches!(reaction, Reaction::Unread)),
        of(|reaction| matches!(reaction, Reaction::Same)),
    )
}

fn as_json(cassette: &Path, tried: &Tried) -> serde_json::Value {
    let (reaction, why) = match &tried.reaction {
        Reaction::Failure { kind, why } => (*kind, Some(why)),
        Reaction::Unread => ("unread", None),
        Reaction::Same => ("same", None),
        Reaction::Wrong(why) => ("wrong", Some(why)),
    };
    serde_json::json!({
        "cassette": cassette, "fault": tried.fault.to_string(), "answer": tried.answer,
        "question": tried.question, "made": reaction, "why": why,
        "passed": !matches!(tried.reaction, Reaction::Wrong(_)),
    })
}

/// Reads the cassettes of a directory. Fails if one is unreadable or if there are none.
fn read(directory: &Path) -> Result<Vec<Named>, CliError> {
    let mut cassettes = Vec::new();
    for (path, cassette) in cassette::below(directory)? {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        cassettes.push(Named {
            name,
            cassette: cassette?,
            path,
        });
    }
    if cassettes.is_empty() {
        return Err(CliError(format!(
            "there are no cassettes in {}; record one with `lustra connector record`",
            directory.display()
        )));
    }
    Ok(cassettes)
}

/// Progress indicator, shown on a terminal.
pub(super) fn spinner(name: &str) -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix}: {pos} tried [{elapsed}]") {
        bar.set_style(style);
    }
    bar.set_prefix(name.to_owned());
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
