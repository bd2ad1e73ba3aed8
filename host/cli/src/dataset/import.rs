//! `lustra dataset import`.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::super::{CliError, ConfigFile, audit, print, say, start_log};
use super::{shown_reason, shown_time};
use lustra::datasets::{ImportError, Imported, Progress};
use lustra::server::Host;
use lustra_sandbox::clock::rfc3339;
use lustra_store::{ActionResult, ConnectorId, OperatorAction};

/// Import a dataset now, or all datasets that are due.
///
/// An interrupted run is resumed at its last batch. The previous list stays in use until the new one is complete and
/// has passed its checks.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  lustra dataset import rpo/companies --config lustra.toml\n  \
    lustra dataset import vat-payers --config lustra.toml --json\n  \
    lustra dataset import --due --config lustra.toml"
)]
pub struct Import {
    /// Name as `connector/dataset`, or `dataset` alone if it is unique.
    #[arg(conflicts_with = "due")]
    dataset: Option<String>,
    /// Import all enabled datasets that are due, one after the other. Fails if an import fails.
    #[arg(long)]
    due: bool,
    #[command(flatten)]
    config: ConfigFile,
    /// Print the result as JSON; with --due, one object a line.
    #[arg(long)]
    json: bool,
}

impl Import {
    pub(super) async fn run(self) -> Result<(), CliError> {
        if self.dataset.is_none() && !self.due {
            return Err(CliError(
                "no dataset is named; `lustra dataset list` shows the datasets, --due imports all that are due"
                    .to_owned(),
            ));
        }
        start_log("warn", false);
        let config = self.config.read()?;
        let clock = ConfigFile::clock(&config);
        let host = Host::prepare(config, clock).await?;
        let named = self.dataset.as_deref();
        let named = named.map(|name| host.importer.find(name)).transpose()?;
        // Register this process as a host, so that it takes its share of the rate limits while other hosts on the store
        // run.
        host.membership.step().await?;
        let beating = tokio::spawn(host.membership.clone().run());
        let outcome = match named {
            Some((connector, dataset)) => self.one(&host, &connector, &dataset).await,
            None => self.all_due(&host).await,
        };
        beating.abort();
        host.membership.leave().await;
        outcome
    }

    async fn one(
        &self,
        host: &Host,
        connector: &ConnectorId,
        dataset: &str,
    ) -> Result<(), CliError> {
        let imported = import(host, connector, dataset).await?;
        if self.json {
            print(&serde_json::to_string(&imported).unwrap_or_default());
        } else {
            print_result(&imported);
        }
        Ok(())
    }

    async fn all_due(&self, host: &Host) -> Result<(), CliError> {
        let mut tried = BTreeSet::new();
        let mut failed = 0;
        // Query again each time, because another host on the store may have imported a due dataset meanwhile.
        while let Some(state) = host
            .importer
            .look_for_due()
            .await?
            .into_iter()
            .find(|state| !tried.contains(&(state.connector.clone(), state.dataset.clone())))
        {
            let (connector, dataset) = (state.connector, state.dataset);
            match import(host, &connector, &dataset).await {
                Ok(imported) if self.json => {
                    let mut line = json!(imported);
                    line["outcome"] = "imported".into();
                    print(&line.to_string());
                }
                Ok(imported) => print_result(&imported),
                Err(ImportError::Busy) if self.json => print(
                    &json!({ "connector": connector, "dataset": dataset, "outcome": "busy" })
                        .to_string(),
                ),
                Err(ImportError::Busy) => print(&format!(
                    "{connector}/{dataset}: another host is importing it"
                )),
                Err(error) => {
                    failed += 1;
                    self.print_failure(host, &connector, &dataset, &error)
                        .await?;
                }
            }
            tried.insert((connector, dataset));
        }
        if tried.is_empty() {
            say("no dataset is due; `lustra dataset list` shows the schedules");
        }
        if failed > 0 {
            let all = super::super::many(tried.len(), "import", "imports");
            return Err(CliError(format!("{failed} of {all} failed")));
        }
        Ok(())
    }

    async fn print_failure(
        &self,
        host: &Host,
        connector: &ConnectorId,
        dataset: &str,
        error: &ImportError,
    ) -> Result<(), CliError> {
        let datasets = host.importer.context().store.datasets();
        let state = datasets.state(connector, dataset).await?;
        let next = state.and_then(|state| state.next_run_at);
        if self.json {
            let line = json!({
                "connector": connector, "dataset": dataset, "outcome": "failed",
                "failure": error.to_string(), "next_run_at": next.map(rfc3339),
            });
            print(&line.to_string());
            return Ok(());
        }
        let next = next.map_or_else(String::new, |at| format!("; next run {}", shown_time(at)));
        let why = shown_reason(&error.to_string());
        print(&format!("{connector}/{dataset}: failed: {why}{next}"));
        Ok(())
    }
}

async fn import(
    host: &Host,
    connector: &ConnectorId,
    dataset: &str,
) -> Result<Imported, ImportError> {
    let bar = Bar::new(&format!("{connector}/{dataset}"));
    let show = |progress| bar.show(progress);
    let outcome = host.importer.run(connector, dataset, &show).await;
    bar.end();
    let (result, about) = match &outcome {
        Ok(imported) => (ActionResult::Done, format!("{} records", imported.records)),
        Err(ImportError::Busy) => (ActionResult::Refused, "it is being imported".to_owned()),
        Err(error) => (ActionResult::Failed, error.to_string()),
    };
    let context = host.importer.context();
    let (action, object) = (
        OperatorAction::ImportDataset,
        format!("{connector}/{dataset}"),
    );
    let now = context.now();
    audit::ended(&context.store, action, &object, result, &about, now).await;
    outcome
}

fn print_result(imported: &Imported) {
    let list = imported.list_date.as_deref().unwrap_or("no date");
    print(&format!(
        "{}/{}: {} records imported (list of {list}): {} added, {} changed, {} removed; {} rows skipped",
        imported.connector,
        imported.dataset,
        imported.records,
        imported.added,
        imported.changed,
        imported.removed,
        imported.skipped
    ));
    for (note, count) in &imported.notes {
        print(&format!("  {note}: {count}"));
    }
}

/// Progress for people: a bar on a terminal, occasional lines elsewhere.
struct Bar {
    bar: ProgressBar,
    name: String,
    last: Mutex<Instant>,
    terminal: bool,
}

impl Bar {
    fn new(name: &str) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let bar = if terminal {
            ProgressBar::new_spinner()
        } else {
            ProgressBar::hidden()
        };
        if let Ok(style) = ProgressStyle::with_template(
            "{spinner} {prefix}: {human_pos} records, {per_sec} {msg} [{elapsed}]",
        ) {
            bar.set_style(style);
        }
        bar.set_prefix(name.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        Self {
            bar,
            name: name.to_owned(),
            last: Mutex::new(Instant::now()),
            terminal,
        }
    }

    fn show(&self, progress: Progress) {
        self.bar.set_position(progress.records);
        let share = progress
            .thousandths
            .map(|share| format!("{}.{} %", share / 10, share % 10))
            .unwrap_or_default();
        self.bar.set_message(share.clone());
        if self.terminal {
            return;
        }
        let mut last = self
            .last
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if last.elapsed() >= Duration::from_secs(5) {
            *last = Instant::now();
            say(&format!(
                "{}: {} records {share}",
                self.name, progress.records
            ));
        }
    }

    fn end(&self) {
        self.bar.finish_and_clear();
    }
}
