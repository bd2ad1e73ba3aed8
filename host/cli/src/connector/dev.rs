//! `lustra connector dev`: builds, loads, calls and prints in rounds; each change of the crate starts a round.
//!
//! An error ends the round and not the loop, so that an author can leave it running.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use notify::{RecursiveMode, Watcher};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::super::{CliError, asked_to_end, print, say, start_log};
use super::bench::{BenchArgs, CallArgs, say_withheld};
use lustra_author::bench::{Bench, OnBench};
use lustra_author::call::{self, Called};
use lustra_author::difference;
use lustra_sandbox::build::{Profile, is_connector};
use lustra_sandbox::recording::{CallOutcome, Exchange};

/// Debounce time: an editor writes several files, so a round starts this long after the last change.
const DEBOUNCE: Duration = Duration::from_millis(60);

/// Try a connector while it is written: build, load and call it after each change.
///
/// Shows the result of the call, the duration of each step, the requests, the log, and the difference from the previous
/// round. The component is compiled quickly and runs slowly; `lustra connector build` makes the release component.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    lustra connector dev connectors/orsr --ico 36421928\n  \
    lustra connector dev connectors/licences --ico 99999994 --upstream register=http://127.0.0.1:7070/licences\n  \
    lustra connector dev connectors/tax-authority --dataset reliability --once --json")]
pub struct Dev {
    #[command(flatten)]
    bench: BenchArgs,
    #[command(flatten)]
    call: CallArgs,
    /// Run one round, for scripts. Fails if the round fails.
    #[arg(long)]
    once: bool,
    /// Print JSON, one object a round.
    #[arg(long)]
    json: bool,
}

/// Result of a round.
struct Round {
    built: Duration,
    on_bench: OnBench,
    called: Called,
    difference: Option<String>,
}

impl Dev {
    pub(super) async fn run(self) -> Result<(), CliError> {
        start_log("off", false);
        let directory = &self.bench.component;
        if !self.once && !is_connector(directory) {
            return Err(CliError(format!(
                "{} is not a connector: a crate has a Cargo.toml with a manifest.json beside it",
                directory.display()
            )));
        }
        // An error in the arguments ends the command, because no change of the crate can fix it.
        self.call.check()?;
        let bench = self.bench.bench(self.call.clock()?).await?;
        let mut previous = None;
        let mut imported = false;
        if self.once {
            let round = self.round(&bench, &mut previous, &mut imported).await?;
            self.show(&round);
            return match &round.called.outcome {
                CallOutcome::Gave(_) => Ok(()),
                CallOutcome::Failed(why) => Err(CliError(format!("the call failed: {why}"))),
            };
        }
        let (_watcher, mut changes) = watch(directory)?;
        // Subscribe once; a second subscription would miss signals in between.
        let ended = asked_to_end();
        tokio::pin!(ended);
        loop {
            let round = tokio::select! {
                round = self.round(&bench, &mut previous, &mut imported) => round,
                _ = &mut ended => return Ok(()),
            };
            match round {
                Ok(round) => self.show(&round),
                Err(error) if self.json => {
                    print(&json!({ "error": error.to_string() }).to_string());
                }
                Err(error) => say(&format!("✗ {error}")),
            }
            say("· waiting for a change; end with Ctrl-C");
            tokio::select! {
                () = changed(&mut changes) => {}
                _ = &mut ended => return Ok(()),
            }
        }
    }

    async fn round(
        &self,
        bench: &Bench,
        previous: &mut Option<CallOutcome>,
        imported: &mut bool,
    ) -> Result<Round, CliError> {
        let started = Instant::now();
        let file = self.bench.file(Profile::Quick).await?;
        let built = started.elapsed();
        let on_bench = bench.load(&file).await?;
        say_withheld(&on_bench);
        if !*imported {
            self.call.import(bench, &on_bench).await?;
            *imported = true;
        }
        let wanted = self
            .call
            .call_request()?
            .call(bench, on_bench.manifest())
            .await?;
        let called = call::make(bench, &on_bench, wanted).await;
        let difference = previous
            .as_ref()
            .and_then(|previous| difference::of_outcomes(previous, &called.outcome));
        *previous = Some(called.outcome.clone());
        Ok(Round {
            built,
            on_bench,
            called,
            difference,
        })
    }

    fn show(&self, round: &Round) {
        if self.json {
            print(&as_json(round).to_string());
            return;
        }
        let called = &round.called;
        let machine_code = if round.on_bench.was_compiled() {
            "compiled"
        } else {
            "loaded"
        };
        say(&format!(
            "· built in {}, {machine_code} in {}, called in {} (CPU {}, memory {:.1} MiB)",
            seconds(round.built),
            seconds(round.on_bench.took),
            seconds(called.cost.wall),
            cpu(called.cost.cpu),
            mib(called.cost.memory_high),
        ));
        for exchange in &called.exchanges {
            say(&format!("  {}", request_line(exchange)));
        }
        for (level, line) in &called.log {
            say(&format!("  log {level}: {line}"));
        }
        for misfit in &called.misfits {
            say(&format!(
                "✗ at {:?}: expected {}, found {}",
                misfit.pointer, misfit.expected, misfit.found
            ));
        }
        match &called.outcome {
            CallOutcome::Gave(_) => print(&call::shown(&called.outcome)),
            CallOutcome::Failed(why) => say(&format!("✗ {why}")),
        }
        if let Some(difference) = &round.difference {
            say("· difference from the previous round:");
            for line in difference.lines() {
                say(&format!("  {line}"));
            }
        }
    }
}

fn as_json(round: &Round) -> Value {
    let called = &round.called;
    let requests: Vec<Value> = called
        .exchanges
        .iter()
        .map(|exchange| {
            let question = &exchange.question;
            let answer = exchange.answer.as_ref();
            json!({
                "method": question.method, "upstream": question.upstream, "path": question.path,
                "status": answer.ok().map(|answer| answer.status),
                "bytes": answer.ok().map(|answer| answer.body.len()),
                "failed": answer.err(), "ms": exchange.took.as_millis(),
            })
        })
        .collect();
    json!({
        "build_ms": round.built.as_millis(), "compile_ms": round.on_bench.took.as_millis(),
        "compiled": round.on_bench.was_compiled(), "digest": round.on_bench.loaded.digest,
        "call_ms": called.cost.wall.as_millis(), "cpu_ms": called.cost.cpu.as_millis(),
        "memory_bytes": called.cost.memory_high, "requests": requests, "log": called.log,
        "misfits": called.misfits, "outcome": called.outcome, "difference": round.difference,
    })
}

fn request_line(exchange: &Exchange) -> String {
    let question = &exchange.question;
    let answer = match &exchange.answer {
        Ok(answer) => {
            let part = if answer.complete {
                ""
            } else {
                ", not read to the end"
            };
            format!("{}  {} bytes{part}", answer.status, answer.body.len())
        }
        Err(failure) => {
            let failure = lustra_sandbox::bindings::types::Failure::from(failure.clone());
            lustra_sandbox::call_failure::reason(&failure)
        }
    };
    format!(
        "{} {} {}  {answer}  {} ms",
        question.method,
        question.upstream,
        question.path,
        exchange.took.as_millis()
    )
}

fn seconds(duration: Duration) -> String {
    if duration < Duration::from_secs(1) {
        format!("{} ms", duration.as_millis())
    } else {
        format!("{:.1} s", duration.as_secs_f64())
    }
}

/// CPU time is counted in ticks.
fn cpu(duration: Duration) -> String {
    if duration.is_zero() {
        "under 5 ms".to_owned()
    } else {
        seconds(duration)
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "bytes of memory, far below 2^52"
)]
fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// Watches a crate; ignores files that the compiler and this kit write.
fn watch(directory: &Path) -> Result<(impl Watcher, mpsc::UnboundedReceiver<()>), CliError> {
    let (sender, receiver) = mpsc::unbounded_channel();
    let directory = std::fs::canonicalize(directory)?;
    let below = directory.clone();
    let of_notify = |error: notify::Error| CliError::caused("the crate cannot be watched", &error);
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return };
        let written = !matches!(event.kind, notify::EventKind::Access(_));
        if written && event.paths.iter().any(|path| is_source(&below, path)) {
            // At the end the receiver may be gone.
            sender.send(()).unwrap_or_default();
        }
    })
    .map_err(of_notify)?;
    watcher
        .watch(&directory, RecursiveMode::Recursive)
        .map_err(of_notify)?;
    Ok((watcher, receiver))
}

fn is_source(directory: &Path, path: &Path) -> bool {
    let below: PathBuf = path.strip_prefix(directory).unwrap_or(path).to_owned();
    let first = below.components().next();
    let first = first.map(|first| first.as_os_str().to_string_lossy().into_owned());
    !matches!(
        first.as_deref(),
        Some("target" | "cassettes" | "fixtures" | ".git" | "Cargo.lock")
    )
}

async fn changed(changes: &mut mpsc::UnboundedReceiver<()>) {
    if changes.recv().await.is_none() {
        std::future::pending::<()>().await;
    }
    while let Ok(Some(())) = tokio::time::timeout(DEBOUNCE, changes.recv()).await {}
}
