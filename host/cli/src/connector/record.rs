//! `lustra connector record`.

use std::path::{Path, PathBuf};

use super::super::{CliError, print, say, start_log};
use super::bench::{self, BenchArgs, CallArgs};
use lustra_author::call::{self, Called};
use lustra_author::cassette::Cassette;
use lustra_sandbox::Cost;
use lustra_sandbox::build::Profile;
use lustra_sandbox::recording::CallOutcome;

/// Make a call and record it in a cassette.
///
/// A cassette is a readable file with the requests and answers, the clock, the settings and the result. `lustra
/// connector test` replays it without the network. It does not contain the values of secret settings.
///
/// An existing cassette is replaced only with `--force`. A call that fails is recorded only with `--failure`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    lustra connector record connectors/orsr --ico 36421928\n  \
    lustra connector record connectors/licences --ico 99999994 --upstream register=http://127.0.0.1:7070/licences\n  \
    lustra connector record connectors/tax-authority --dataset reliability --cassette reliability.toml\n  \
    lustra connector record connectors/tax-authority --ico 99999994 --scope tax --config lustra.toml")]
pub struct Record {
    #[command(flatten)]
    bench: BenchArgs,
    #[command(flatten)]
    call: CallArgs,
    /// Path of the cassette. Default: in `cassettes` of the crate, named after the call.
    #[arg(long, value_name = "FILE")]
    cassette: Option<PathBuf>,
    /// Replace an existing cassette.
    #[arg(long)]
    force: bool,
    /// Record the call even if it fails. The cassette then expects this failure.
    #[arg(long)]
    failure: bool,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

impl Record {
    pub(super) async fn run(self) -> Result<(), CliError> {
        start_log("off", false);
        // Check before the build, which may take half a minute.
        let directory = match &self.cassette {
            Some(_) => None,
            None => Some(bench::cassettes(&self.bench.component, None).map_err(
                |_no_directory| {
                    let why = "--cassette names the file: a component has no cassettes of its own";
                    CliError(why.to_owned())
                },
            )?),
        };
        if let Some(path) = &self.cassette {
            self.refuse_existing(path)?;
        }
        self.call.check()?;
        let file = self.bench.file(Profile::Shipped).await?;
        let bench = self.bench.bench(self.call.clock()?).await?;
        let on_bench = bench.load(&file).await?;
        bench::say_withheld(&on_bench);
        self.call.import(&bench, &on_bench).await?;
        let wanted = self
            .call
            .call_request()?
            .call(&bench, on_bench.manifest())
            .await?;
        let Called {
            cassette,
            outcome,
            cost,
            exchanges,
            log,
            ..
        } = call::make(&bench, &on_bench, wanted).await;
        let Some(cassette) = cassette else {
            return Err(CliError(
                "the answers are too large for a cassette".to_owned(),
            ));
        };
        if let CallOutcome::Failed(why) = &outcome {
            for (level, line) in &log {
                say(&format!("  log {level}: {line}"));
            }
            if !self.failure {
                return Err(CliError(format!(
                    "the call failed, so no cassette was written: {why}; --failure records a cassette that expects the failure"
                )));
            }
            say(&format!(
                "· the call failed, and the cassette expects that: {why}"
            ));
        }
        let path = match &self.cassette {
            Some(path) => path.clone(),
            None => directory.unwrap_or_default().join(cassette.file_name()),
        };
        self.refuse_existing(&path)?;
        cassette.save(&path)?;
        self.report(&path, &cassette, &outcome, cost, exchanges.len());
        Ok(())
    }

    fn report(
        &self,
        path: &Path,
        cassette: &Cassette,
        outcome: &CallOutcome,
        cost: Cost,
        requests: usize,
    ) {
        let answers = cassette.recording.host_answers.len();
        if self.json {
            let line = serde_json::json!({
                "cassette": path, "call": cassette.recording.call.name(), "requests": requests,
                "store_answers": answers, "outcome": outcome, "secret": cassette.secret,
                "cpu_ms": cost.cpu.as_millis(), "wall_ms": cost.wall.as_millis(),
            });
            print(&line.to_string());
            return;
        }
        print(&format!(
            "{}  {requests} requests, {answers} answers of the store",
            path.display()
        ));
        if !cassette.secret.is_empty() {
            print(&format!("  masked: {}", cassette.secret.join(", ")));
        }
    }

    /// Keeps a cassette that exists, because it may have taken effort to record.
    fn refuse_existing(&self, path: &Path) -> Result<(), CliError> {
        if self.force || path.symlink_metadata().is_err() {
            return Ok(());
        }
        Err(CliError(format!(
            "{} exists; --force replaces it, and --cassette names another file",
            path.display()
        )))
    }
}
