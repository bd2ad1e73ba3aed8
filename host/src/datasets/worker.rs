//! The scheduler of imports: each due dataset is imported by one host at a time.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::{JoinError, JoinSet};

use super::{ImportError, Importer};
use crate::connectors::manifest::{DatasetManifest, Target};
use crate::plain_text;
use crate::store::{DatasetState, StoreError};

/// Concurrent imports of a host. They share the store's single writer, so more would only wait for each other.
const CONCURRENT_IMPORTS: usize = 2;

/// Maximum characters of a failure reason in the log summary.
const MAX_REASON_CHARS: usize = 300;

/// Old runs that one statement deletes.
const RUNS_OF_A_SLICE: u32 = 1_000;

impl Importer {
    /// Schedules the first run, now, of every enabled dataset that has no schedule yet.
    ///
    /// # Errors
    /// The store failed.
    pub async fn schedule_new(&self) -> Result<(), StoreError> {
        let datasets = self.context().store.datasets();
        let states = datasets.states().await?;
        for (loaded, manifest) in self.switched_on() {
            let is_scheduled = states.iter().any(|state| {
                state.connector == loaded.manifest.id
                    && state.dataset == manifest.id
                    && state.next_run_at.is_some()
            });
            if !is_scheduled {
                datasets
                    .set_next_run(&loaded.manifest.id, &manifest.id, Some(self.now()))
                    .await?;
            }
        }
        Ok(())
    }

    /// Enabled datasets that are due now and not running, longest overdue first. Before that it schedules first runs
    /// and completes interrupted invalidations.
    ///
    /// # Errors
    /// The store failed.
    pub async fn look_for_due(&self) -> Result<Vec<DatasetState>, StoreError> {
        self.schedule_new().await?;
        if let Err(error) = self.mark_unmarked().await {
            tracing::warn!(%error, "marking changes of an interrupted import failed; retrying at the next poll");
        }
        let mut due = self.context().store.datasets().due(self.now()).await?;
        let on = self.switched_on();
        due.retain(|state| {
            on.iter().any(|(loaded, manifest)| {
                loaded.manifest.id == state.connector && manifest.id == state.dataset
            })
        });
        Ok(due)
    }

    /// Imports everything that is due now, waits for the end, and returns the number of runs. First imports of base
    /// companies go first, because other lists are matched with companies by name. While disk space is low, nothing is
    /// imported.
    ///
    /// # Errors
    /// The store failed. A failed import is stored with its dataset.
    pub async fn run_due(&self) -> Result<usize, StoreError> {
        if self.disk.is_low() {
            return Ok(0);
        }
        let due = self.look_for_due().await?;
        let on = self.switched_on();
        let brings_first_companies = |state: &DatasetState| {
            let is_of_it = |manifest: &DatasetManifest| {
                manifest.id == state.dataset && manifest.target == Target::Companies
            };
            let mut own = on.iter();
            let is_theirs = own.any(|(loaded, manifest)| {
                loaded.manifest.id == state.connector && is_of_it(manifest)
            });
            is_theirs && state.imported_at.is_none()
        };
        let (first, then): (Vec<_>, Vec<_>) = due.into_iter().partition(brings_first_companies);
        let count = first.len() + then.len();
        let mut failed = self.run_all(first).await;
        failed.extend(self.run_all(then).await);
        if let Some(summary) = unreachable_summary(count, &failed, self.retry) {
            tracing::warn!("{summary}");
        }
        Ok(count)
    }

    /// Runs these imports concurrently and waits for them. Returns those whose registers were unreachable; other
    /// failures are logged here.
    async fn run_all(&self, due: Vec<DatasetState>) -> Vec<Failed> {
        let permits = Arc::new(Semaphore::new(CONCURRENT_IMPORTS));
        let (mut runs, mut names) = (JoinSet::new(), HashMap::new());
        let background = &self.companies().connectors().services.background;
        for state in due {
            let (this, permits) = (self.clone(), Arc::clone(&permits));
            let name = format!("{}/{}", state.connector, state.dataset);
            let run = async move {
                let _permit = permits.acquire_owned().await;
                if this.disk.look() {
                    return None;
                }
                match this.run_if_due(&state.connector, &state.dataset).await {
                    Ok(imported) => {
                        tracing::info!(
                            connector.id = %state.connector,
                            dataset = %state.dataset,
                            records = imported.records,
                            "imported {}/{}: {} records, {} added, {} changed, {} removed",
                            state.connector,
                            state.dataset,
                            imported.records,
                            imported.added,
                            imported.changed,
                            imported.removed
                        );
                        None
                    }
                    Err(error) => this.report(&state, &error),
                }
            };
            names.insert(runs.spawn_on(run, background.handle()).id(), name);
        }
        let is_any = !runs.is_empty();
        let mut failed = Vec::new();
        while let Some(ended) = runs.join_next().await {
            match ended {
                Ok(unreachable) => failed.extend(unreachable),
                Err(error) => {
                    let name = names.get(&error.id()).map_or("?", String::as_str);
                    log_end(name, &error);
                }
            }
        }
        if is_any {
            let datasets = self.context().store.datasets();
            let before = self.now() - self.keep_runs;
            if let Err(error) = datasets.forget_runs(before, RUNS_OF_A_SLICE).await {
                tracing::warn!(%error, "deleting old import runs failed; retrying after the next import");
            }
        }
        failed
    }

    /// Logs a failed import. Unreachable registers are returned instead, for one summary at the end.
    fn report(&self, state: &DatasetState, error: &ImportError) -> Option<Failed> {
        let (connector, dataset) = (state.connector.as_str(), state.dataset.as_str());
        if error.is_of_another_host() {
            tracing::debug!(connector.id = connector, dataset, %error, "skipped an import: another host runs it or has run it, or it is paused");
            return None;
        }
        if error.is_out_of_reach() {
            return Some(Failed {
                dataset: format!("{connector}/{dataset}"),
                why: plain_text::one_line(&error.to_string(), MAX_REASON_CHARS),
            });
        }
        let minutes = self.retry.whole_minutes();
        tracing::warn!(connector.id = connector, dataset, %error, "the import of {connector}/{dataset} failed; retrying in {minutes} min");
        None
    }
}

/// Logs an import whose task ended without a result. Its lease stays until it expires.
fn log_end(name: &str, error: &JoinError) {
    if error.is_panic() {
        tracing::error!(%error, "the import of {name} panicked; it is due again when its lease expires");
    } else {
        tracing::warn!("the import of {name} was cancelled, because the host ends");
    }
}

/// A failed import whose register was unreachable.
struct Failed {
    dataset: String,
    why: String,
}

/// The log line about unreachable registers. `None` if there are none.
fn unreachable_summary(count: usize, failed: &[Failed], retry: time::Duration) -> Option<String> {
    let (first, minutes) = (failed.first()?, retry.whole_minutes());
    if failed.len() == 1 {
        let Failed { dataset, why } = first;
        return Some(format!(
            "the import of {dataset} failed: {why}; retrying in {minutes} min"
        ));
    }
    let names: Vec<&str> = failed
        .iter()
        .map(|failed| failed.dataset.as_str())
        .collect();
    Some(format!(
        "{} of {count} imports could not reach their registers; retrying in {minutes} min. The first: {}. All: {}",
        failed.len(),
        first.why,
        names.join(", ")
    ))
}

/// Imports what is due every `poll`, until the task ends.
pub async fn run_scheduled(importer: Importer, poll: Duration) {
    loop {
        if let Err(error) = importer.run_due().await {
            tracing::error!(%error, "finding due imports failed; retrying at the next poll");
        }
        tokio::time::sleep(poll).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreachable_registers_are_one_line() {
        let failed = |dataset: &str| Failed {
            dataset: dataset.to_owned(),
            why: "unavailable: no address".to_owned(),
        };
        let retry = time::Duration::minutes(30);
        assert_eq!(unreachable_summary(5, &[], retry), None);
        assert_eq!(
            unreachable_summary(5, &[failed("a/b")], retry).as_deref(),
            Some("the import of a/b failed: unavailable: no address; retrying in 30 min")
        );
        assert_eq!(
            unreachable_summary(5, &[failed("a/b"), failed("c/d")], retry).as_deref(),
            Some(
                "2 of 5 imports could not reach their registers; retrying in 30 min. \
                 The first: unavailable: no address. All: a/b, c/d"
            )
        );
    }
}
