//! `lustra dataset history`.

use time::{Duration, OffsetDateTime};

use super::super::{CliError, ConfigFile, print, say};
use super::named::{find, known};
use super::{offered, shown_progress, shown_reason, shown_time, table};
use lustra_sandbox::clock::rfc3339;
use lustra_store::{ImportRun, RunState};

const HEADING: [&str; 9] = [
    "started", "took", "state", "records", "added", "changed", "removed", "skipped", "list of",
];
const NUMBERS: [usize; 6] = [1, 3, 4, 5, 6, 7];

/// Show the imports of a dataset, newest first.
///
/// Added, changed and removed records are known of finished runs. A run that was interrupted and resumed counts what it
/// added since it was resumed.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  lustra dataset history rpo/companies --config lustra.toml\n  \
    lustra dataset history vat-payers --config lustra.toml --limit 100 --json"
)]
pub struct History {
    /// Name as `connector/dataset`, or `dataset` alone if it is unique.
    dataset: String,
    #[command(flatten)]
    config: ConfigFile,
    /// Most imports to show.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
    /// Print JSON, one object.
    #[arg(long)]
    json: bool,
}

/// The state of a run.
struct Shown {
    run: ImportRun,
    now: OffsetDateTime,
}

impl History {
    pub(super) async fn run(self) -> Result<(), CliError> {
        let config = self.config.read()?;
        let offered = offered(&config)?;
        let now = ConfigFile::clock(&config).now();
        let store = config.open_store(2).await?;
        // Datasets of removed connectors still have a history.
        let known = known(&store, &offered).await?;
        let (connector, dataset) = find(&known, &self.dataset)?;
        let runs = store
            .datasets()
            .history(connector, dataset, self.limit)
            .await?;
        let runs: Vec<Shown> = runs.into_iter().map(|run| Shown { run, now }).collect();
        let state = store.datasets().state(connector, dataset).await?;
        // The store keeps the old date of a disabled dataset, which no longer applies.
        let is_on = offered.datasets.iter().any(|offered| {
            offered.on && offered.connector == *connector && offered.manifest.id == *dataset
        });
        let paused = state.as_ref().and_then(|state| state.paused_at);
        let next = state.filter(|_| is_on).and_then(|state| state.next_run_at);
        if self.json {
            let runs: Vec<_> = runs.iter().map(Shown::as_json).collect();
            let history = serde_json::json!({
                "connector": connector, "dataset": dataset, "next_run_at": next.map(rfc3339),
                "paused_at": paused.map(rfc3339), "runs": runs,
            });
            print(&history.to_string());
            return Ok(());
        }
        if runs.is_empty() {
            say(&format!("{connector}/{dataset} was never imported"));
        } else {
            print_result(&runs);
        }
        if let Some(since) = paused {
            say(&format!("paused since {}", shown_time(since)));
        } else if let Some(at) = next {
            say(&format!("next run: {}", shown_time(at)));
        }
        Ok(())
    }
}

fn print_result(runs: &[Shown]) {
    let heading = HEADING.map(str::to_owned).to_vec();
    let rows: Vec<Vec<String>> = std::iter::once(heading)
        .chain(runs.iter().map(Shown::as_row))
        .collect();
    let mut lines = table(&rows, &NUMBERS).into_iter();
    if let Some(heading) = lines.next() {
        print(&heading);
    }
    for (line, shown) in lines.zip(runs) {
        print(&line);
        if let Some(remark) = shown.remark() {
            print(&format!("    {remark}"));
        }
    }
}

impl Shown {
    /// Whether the run is unfinished and no worker holds its lease; the next claim resumes at its cursor.
    fn is_broken_off(&self) -> bool {
        self.run.state == RunState::Running && !self.run.is_under_way(self.now)
    }

    fn state(&self) -> &'static str {
        let state = if self.is_broken_off() {
            RunState::Failed
        } else {
            self.run.state
        };
        state.word()
    }

    fn failure(&self) -> Option<&str> {
        let unsaid = self.is_broken_off().then_some("its host stopped");
        let failure = self.run.failure.as_ref();
        failure.map(|failure| failure.detail.as_str()).or(unsaid)
    }

    /// Duration of the run so far. Unknown for an interrupted run.
    fn took(&self) -> Option<Duration> {
        let under_way = self.run.is_under_way(self.now).then_some(self.now);
        let end = self.run.finished_at.or(under_way)?;
        Some((end - self.run.started_at).max(Duration::ZERO))
    }

    fn as_row(&self) -> Vec<String> {
        let absent = || "-".to_owned();
        let count = |count: Option<i64>| count.map_or_else(absent, |count| count.to_string());
        vec![
            shown_time(self.run.started_at),
            self.took().map_or_else(absent, shown_duration),
            self.state().to_owned(),
            self.run.records.to_string(),
            count(self.run.added),
            count(self.run.changed),
            count(self.run.removed),
            self.run.skipped.to_string(),
            self.run.list_date.clone().unwrap_or_else(absent),
        ]
    }

    fn remark(&self) -> Option<String> {
        if self.run.is_under_way(self.now) {
            let host = self.run.owner.as_deref().unwrap_or("unknown");
            return Some(format!("by host {host}: {}", shown_progress(&self.run)));
        }
        let failure = shown_reason(self.failure()?);
        Some(if self.is_broken_off() {
            format!("{failure}; the next run resumes at its last batch")
        } else {
            failure
        })
    }

    fn as_json(&self) -> serde_json::Value {
        let run = &self.run;
        serde_json::json!({
            "started_at": rfc3339(run.started_at), "finished_at": run.finished_at.map(rfc3339),
            "seconds": self.took().map(Duration::as_seconds_f64), "state": self.state(),
            "records": run.records, "added": run.added, "changed": run.changed, "removed": run.removed,
            "skipped": run.skipped, "list_date": run.list_date,
            "failure": self.failure(), "goes_on": self.is_broken_off(), "host": run.owner,
            "thousandths": run.progress,
        })
    }
}

fn shown_duration(took: Duration) -> String {
    let seconds = took.whole_seconds();
    match seconds {
        ..60 => format!("{seconds}.{} s", took.subsec_milliseconds() / 100),
        60..3_600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duration_shows_two_largest_units() {
        for (milliseconds, shown) in [
            (0, "0.0 s"),
            (1_980, "1.9 s"),
            (61_500, "1 min 1 s"),
            (7_500_000, "2 h 5 min"),
        ] {
            assert_eq!(shown_duration(Duration::milliseconds(milliseconds)), shown);
        }
    }
}
