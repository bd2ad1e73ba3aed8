//! The schedule carried out: what is due is imported, on one host at a time.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::Importer;
use crate::connectors::manifest::{DatasetManifest, Target};
use crate::store::{DatasetState, StoreError};

/// Imports that a host runs at once. They share the store's one writer, so more would only wait for each other.
const AT_ONCE: usize = 2;

/// Old runs deleted at once.
const MOST_FORGOTTEN: u32 = 1_000;

impl Importer {
    /// Gives every dataset that is on and was never scheduled its first run, now.
    ///
    /// # Errors
    /// The store failed.
    pub async fn schedule_new(&self) -> Result<(), StoreError> {
        let datasets = self.companies().store().datasets();
        for (loaded, manifest) in self.switched_on() {
            let state = datasets.state(&loaded.manifest.id, &manifest.id).await?;
            if state.is_none_or(|state| state.next_run_at.is_none()) {
                datasets
                    .set_next_run(&loaded.manifest.id, &manifest.id, Some(self.now()))
                    .await?;
            }
        }
        Ok(())
    }

    /// What is on and due now, and run by nobody, longest overdue first. Before that it brings in order what would keep
    /// something from being found or from taking effect: first runs are scheduled, unfinished marks are made.
    ///
    /// # Errors
    /// The store failed.
    pub async fn look_for_due(&self) -> Result<Vec<DatasetState>, StoreError> {
        self.schedule_new().await?;
        if let Err(error) = self.mark_unmarked().await {
            tracing::warn!(%error, "what a broken-off import changed could not be marked; the next look tries again");
        }
        let mut due = self.companies().store().datasets().due(self.now()).await?;
        let on = self.switched_on();
        due.retain(|state| {
            on.iter().any(|(loaded, manifest)| {
                loaded.manifest.id == state.connector && manifest.id == state.dataset
            })
        });
        Ok(due)
    }

    /// Imports everything that is due now and waits for it; how many runs there were. A register whose companies were
    /// never imported comes first: other lists are matched with companies by their names. While free space is low
    /// nothing is imported.
    ///
    /// # Errors
    /// The store failed. An import that fails is booked with its dataset.
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
        let (first, then) = due.into_iter().partition(brings_first_companies);
        Ok(self.run_all(first).await + self.run_all(then).await)
    }

    /// Runs these imports, several at once, and waits for them; how many there were.
    async fn run_all(&self, due: Vec<DatasetState>) -> usize {
        let turns = Arc::new(Semaphore::new(AT_ONCE));
        let mut runs = JoinSet::new();
        for state in due {
            let (this, turns) = (self.clone(), Arc::clone(&turns));
            runs.spawn(async move {
                let _turn = turns.acquire_owned().await;
                if this.disk.look() {
                    return;
                }
                match this.run_if_due(&state.connector, &state.dataset).await {
                    Ok(imported) => tracing::info!(
                        connector.id = %state.connector,
                        dataset = %state.dataset,
                        records = imported.records,
                        "imported {}/{}: {} records",
                        state.connector,
                        state.dataset,
                        imported.records
                    ),
                    // The failure was logged and stored where it was met.
                    Err(error) => tracing::debug!(%error, "an import ended without a list"),
                }
            });
        }
        let count = runs.len();
        while runs.join_next().await.is_some() {}
        if count > 0 {
            let datasets = self.companies().store().datasets();
            let before = self.now() - self.keep_runs;
            if let Err(error) = datasets.forget_runs(before, MOST_FORGOTTEN).await {
                tracing::warn!(%error, "runs that ended long ago could not be deleted; the next import tries again");
            }
        }
        count
    }
}

/// Runs what is due for ever, looking every `poll`.
pub async fn run_scheduled(importer: Importer, poll: Duration) {
    loop {
        if let Err(error) = importer.run_due().await {
            tracing::error!(%error, "what is due could not be looked up");
        }
        tokio::time::sleep(poll).await;
    }
}
