//! `lustra dataset list`.

use time::OffsetDateTime;

use super::super::{CliError, ConfigFile, print, say};
use super::{offered, shown_progress, shown_reason, shown_time, table};
use lustra_sandbox::clock::rfc3339;
use lustra_sandbox::dataset_catalogue::CatalogueDataset;
use lustra_store::{DatasetState, ImportRun};

const HEADING: [&str; 7] = [
    "dataset", "", "schedule", "records", "list of", "imported", "next run",
];
const RECORDS: usize = 3;

/// List the datasets of all enabled connectors with their states, including datasets that are off.
///
/// Reads only manifests and the store, so it works while hosts run. No component is executed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: lustra dataset list --config lustra.toml")]
pub struct List {
    #[command(flatten)]
    config: ConfigFile,
    /// Print JSON, one array.
    #[arg(long)]
    json: bool,
}

/// A dataset with its state in the store.
struct Listed {
    offered: CatalogueDataset,
    /// `None` if it was never scheduled.
    state: Option<DatasetState>,
    /// The unfinished run, if there is one.
    unfinished: Option<ImportRun>,
    now: OffsetDateTime,
}

impl List {
    pub(super) async fn run(self) -> Result<(), CliError> {
        let config = self.config.read()?;
        let offered = offered(&config)?;
        let now = ConfigFile::clock(&config).now();
        let store = config.open_store(2).await?;
        // Read the runs first, so that a run that ends meanwhile is shown with its result.
        let mut unfinished = store.datasets().unfinished().await?;
        let mut states = store.datasets().states().await?;
        let listed: Vec<Listed> = offered
            .datasets
            .into_iter()
            .map(|offered| {
                let (connector, dataset) = (&offered.connector, &offered.manifest.id);
                let state = states
                    .iter()
                    .position(|state| state.connector == *connector && state.dataset == *dataset)
                    .map(|at| states.swap_remove(at));
                let run = unfinished
                    .iter()
                    .position(|run| run.connector == *connector && run.dataset == *dataset)
                    .map(|at| unfinished.swap_remove(at));
                Listed {
                    offered,
                    state,
                    unfinished: run,
                    now,
                }
            })
            .collect();
        if self.json {
            let listed: Vec<_> = listed.iter().map(Listed::as_json).collect();
            print(&serde_json::Value::Array(listed).to_string());
            return Ok(());
        }
        if listed.is_empty() {
            say("no enabled connector has a dataset; `lustra connector list` shows the connectors");
            return Ok(());
        }
        let heading = HEADING.map(str::to_owned).to_vec();
        let rows: Vec<Vec<String>> = std::iter::once(heading)
            .chain(listed.iter().map(Listed::as_row))
            .collect();
        let mut lines = table(&rows, &[RECORDS]).into_iter();
        if let Some(heading) = lines.next() {
            print(&heading);
        }
        for (line, listed) in lines.zip(&listed) {
            print(&line);
            for remark in listed.remarks() {
                print(&format!("    {remark}"));
            }
        }
        Ok(())
    }
}

impl Listed {
    /// The unfinished run, if a worker holds its lease.
    fn under_way(&self) -> Option<&ImportRun> {
        self.unfinished
            .as_ref()
            .filter(|run| run.is_under_way(self.now))
    }

    /// State of the list in use, or `None` if none was imported.
    fn in_use(&self) -> Option<&DatasetState> {
        self.state
            .as_ref()
            .filter(|state| state.imported_at.is_some())
    }

    /// Next scheduled run. `None` if the dataset is disabled, or if no host has scheduled it yet.
    fn next_run_at(&self) -> Option<OffsetDateTime> {
        let state = self.state.as_ref().filter(|_| self.offered.on);
        state.and_then(|state| state.next_run_at)
    }

    fn paused_at(&self) -> Option<OffsetDateTime> {
        self.state.as_ref().and_then(|state| state.paused_at)
    }

    fn as_row(&self) -> Vec<String> {
        let absent = || "-".to_owned();
        let next = match self.next_run_at() {
            _ if self.paused_at().is_some() => "paused".to_owned(),
            _ if self.under_way().is_some() => "under way".to_owned(),
            _ if !self.offered.on => absent(),
            Some(at) if at > self.now => shown_time(at),
            Some(_) | None => "due".to_owned(),
        };
        let in_use = self.in_use();
        vec![
            format!("{}/{}", self.offered.connector, self.offered.manifest.id),
            if self.offered.on { "on" } else { "off" }.to_owned(),
            self.offered.schedule.clone(),
            in_use.map_or_else(absent, |state| state.records.to_string()),
            in_use
                .and_then(|state| state.list_date.clone())
                .unwrap_or_else(absent),
            in_use
                .and_then(|state| state.imported_at)
                .map_or_else(absent, shown_time),
            next,
        ]
    }

    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        let state = self.state.as_ref();
        if let Some(since) = self.paused_at() {
            let (connector, dataset) = (&self.offered.connector, &self.offered.manifest.id);
            let since = shown_time(since);
            remarks.push(format!(
                "paused since {since}; to resume: lustra dataset resume {connector}/{dataset}"
            ));
        }
        let failure = state.and_then(|state| state.failed_at.zip(state.failure.as_ref()));
        if let Some((at, why)) = failure {
            remarks.push(format!(
                "failed {}: {}",
                shown_time(at),
                shown_reason(&why.detail)
            ));
        }
        let Some(run) = &self.unfinished else {
            return remarks;
        };
        let (since, progress) = (shown_time(run.started_at), shown_progress(run));
        if run.is_under_way(self.now) {
            let host = run.owner.as_deref().unwrap_or("unknown");
            remarks.push(format!(
                "being imported by host {host} since {since}: {progress}"
            ));
        } else if run.records > 0 || failure.is_none() {
            remarks.push(format!(
                "the run of {since} was interrupted at {progress}; the next run resumes there"
            ));
        }
        remarks
    }

    fn as_json(&self) -> serde_json::Value {
        let (state, in_use) = (self.state.as_ref(), self.in_use());
        serde_json::json!({
            "connector": self.offered.connector, "dataset": self.offered.manifest.id,
            "title": self.offered.manifest.title, "on": self.offered.on, "schedule": self.offered.schedule,
            "records": in_use.map(|state| state.records),
            "list_date": in_use.and_then(|state| state.list_date.as_deref()),
            "imported_at": in_use.and_then(|state| state.imported_at).map(rfc3339),
            "next_run_at": self.next_run_at().map(rfc3339),
            "paused_at": self.paused_at().map(rfc3339),
            "failed_at": state.and_then(|state| state.failed_at).map(rfc3339),
            "failure": state.and_then(|state| Some(state.failure.as_ref()?.detail.as_str())),
            "running": self.under_way().map(|run| serde_json::json!({
                "host": run.owner, "started_at": rfc3339(run.started_at), "records": run.records,
                "thousandths": run.progress,
            })),
        })
    }
}
