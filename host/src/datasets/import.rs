//! One import run: from the register through the sandbox into the store, batch by batch.

mod batches;
mod preview;

use std::sync::Arc;
use std::time::Duration;

use time::OffsetDateTime;
use tracing::Instrument;

use super::Schedule;
use super::error::{ImportError, is_resumable};
use super::progress::{Imported, Progress};
use crate::clock::rfc3339;
use crate::companies::Companies;
use crate::connectors::bindings::types::Failure;
use crate::connectors::manifest::{self, DatasetManifest};
use crate::connectors::{CallFailure, Loaded};
use crate::context::Context;
use crate::disk::Disk;
use crate::store::{ConnectorId, DatasetKind, Run, RunClaim, RunError};

pub use preview::{ImportPreview, PreviewError};

/// Lease of a run, extended with every batch. When it ends, another host may take the run over.
const LEASE: Duration = Duration::from_secs(180);

/// Runs the imports of one host.
#[derive(Clone)]
pub struct Importer {
    context: Context,
    companies: Companies,
    pub(super) retry: time::Duration,
    pub(super) keep_runs: time::Duration,
    host: String,
    pub(super) disk: Disk,
}

/// Condition for claiming a dataset.
#[derive(Debug, Clone, Copy)]
enum Which {
    Any,
    Due,
}

fn join(connector: &ConnectorId, dataset: &str) -> String {
    format!("{connector}/{dataset}")
}

impl Importer {
    /// Creates an importer for the connectors of `companies`.
    #[must_use]
    pub fn new(context: Context, companies: Companies, host: String, disk: Disk) -> Self {
        let config = context.config();
        Self {
            retry: time::Duration::minutes(
                i64::try_from(config.imports.retry_minutes).unwrap_or(30),
            ),
            keep_runs: time::Duration::days(config.imports.keep_runs_days.into()),
            context,
            companies,
            host,
            disk,
        }
    }

    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// The companies that imports write to.
    #[must_use]
    pub fn companies(&self) -> &Companies {
        &self.companies
    }

    /// All enabled datasets, each with its connector and manifest.
    #[must_use]
    pub fn switched_on(&self) -> Vec<(Arc<Loaded>, DatasetManifest)> {
        let catalogue = self.companies.connectors().catalogue();
        let of = |loaded: &Arc<Loaded>| {
            let on = loaded
                .manifest
                .datasets
                .iter()
                .filter(|dataset| loaded.datasets_on.contains(&dataset.id));
            on.map(|dataset| (Arc::clone(loaded), dataset.clone()))
                .collect::<Vec<_>>()
        };
        catalogue.all_serving().flat_map(of).collect()
    }

    /// Finds a dataset by `connector/dataset`, or by `dataset` alone if only one connector has it.
    ///
    /// # Errors
    /// [`ImportError::Unknown`], which lists the available datasets.
    pub fn find(&self, name: &str) -> Result<(ConnectorId, String), ImportError> {
        let catalogue = self.companies.connectors().catalogue();
        let all: Vec<(ConnectorId, String)> = catalogue
            .all_serving()
            .flat_map(|loaded| {
                loaded
                    .manifest
                    .datasets
                    .iter()
                    .map(|dataset| (loaded.manifest.id.clone(), dataset.id.clone()))
            })
            .collect();
        let matching: Vec<&(ConnectorId, String)> = match name.split_once('/') {
            Some((connector, dataset)) => all
                .iter()
                .filter(|(c, d)| *c == *connector && d == dataset)
                .collect(),
            None => all.iter().filter(|(_, dataset)| dataset == name).collect(),
        };
        match matching.as_slice() {
            [one] => Ok((*one).clone()),
            _ => {
                let known: Vec<String> = all
                    .iter()
                    .map(|(connector, dataset)| join(connector, dataset))
                    .collect();
                Err(ImportError::Unknown(format!(
                    "{name}; there are {}",
                    known.join(", ")
                )))
            }
        }
    }

    /// Imports a dataset now, or resumes an interrupted run.
    ///
    /// # Errors
    /// An [`ImportError`]. It is stored with the dataset, the published list stays, and the retry is scheduled. It is
    /// not logged; the caller reports it.
    pub async fn run(
        &self,
        connector: &ConnectorId,
        dataset: &str,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Imported, ImportError> {
        self.run_where(Which::Any, connector, dataset, progress)
            .await
    }

    /// Like [`Self::run`], but only if the dataset is still due when it is claimed.
    ///
    /// # Errors
    /// Like [`Self::run`], and [`ImportError::NotDue`].
    pub async fn run_if_due(
        &self,
        connector: &ConnectorId,
        dataset: &str,
    ) -> Result<Imported, ImportError> {
        self.run_where(Which::Due, connector, dataset, &|_| {})
            .await
    }

    async fn run_where(
        &self,
        which: Which,
        connector: &ConnectorId,
        dataset: &str,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Imported, ImportError> {
        let catalogue = self.companies.connectors().catalogue();
        let unknown = || ImportError::Unknown(join(connector, dataset));
        let loaded = catalogue.serving(connector).ok_or_else(unknown)?;
        let manifest = loaded.manifest.dataset(dataset).ok_or_else(unknown)?;
        if !loaded.datasets_on.contains(dataset) {
            return Err(ImportError::Off {
                connector: connector.clone(),
                dataset: dataset.to_owned(),
            });
        }
        match self.attempt(which, loaded, manifest, progress).await {
            Err(ImportError::Call(CallFailure::Failed(Failure::Other((code, _)))))
                if code == "list-changed" =>
            {
                tracing::info!(
                    connector.id = connector.as_str(),
                    dataset,
                    "the list was replaced during the import; restarting the import"
                );
                // The failed run has scheduled the retry for later, so the dataset is no longer due.
                self.attempt(Which::Any, loaded, manifest, progress).await
            }
            outcome => outcome,
        }
    }

    async fn attempt(
        &self,
        which: Which,
        loaded: &Arc<Loaded>,
        manifest: &DatasetManifest,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Imported, ImportError> {
        let connector = &loaded.manifest.id;
        let kind = match manifest.kind {
            manifest::DatasetKind::Snapshot => DatasetKind::Snapshot,
            manifest::DatasetKind::Delta => DatasetKind::Delta,
        };
        let datasets = self.context.store.datasets();
        let (dataset, owner, now) = (manifest.id.as_str(), self.host.as_str(), self.now());
        let claimed = match which {
            Which::Any => {
                datasets
                    .claim_run(connector, dataset, kind, owner, LEASE, now)
                    .await
            }
            Which::Due => {
                datasets
                    .claim_due_run(connector, dataset, kind, owner, LEASE, now)
                    .await
            }
        };
        let run = match claimed? {
            RunClaim::Run(run) => run,
            RunClaim::Busy => return Err(ImportError::Busy),
            RunClaim::NotDue => return Err(ImportError::NotDue),
            RunClaim::Paused(since) => {
                return Err(ImportError::Paused {
                    name: join(connector, dataset),
                    since: rfc3339(since),
                });
            }
        };
        let span = tracing::info_span!("import", connector.id = connector.as_str(), connector.version = %loaded.manifest.version, dataset = %manifest.id);
        let running = self.run_batches(loaded, manifest, &run, progress);
        let outcome = running.instrument(span).await;
        match outcome {
            Ok(imported) => {
                self.companies.connectors().note_success(connector);
                Ok(imported)
            }
            Err(error) => {
                self.record_failure(connector, &run, &error).await;
                Err(error)
            }
        }
    }

    async fn record_failure(&self, connector: &ConnectorId, run: &Run, error: &ImportError) {
        if let ImportError::Call(failure) = error {
            let connectors = self.companies.connectors();
            connectors.note_failed_import(connector, failure);
        }
        if matches!(error, ImportError::Run(RunError::LeaseLost)) {
            return;
        }
        let now = self.now();
        let failed = self
            .context
            .store
            .datasets()
            .fail(
                run,
                &error.as_source_failure(),
                now,
                Some(now + self.retry),
                is_resumable(error),
            )
            .await;
        if let Err(error) = failed {
            tracing::warn!(%error, "recording an import failure failed; the run can be claimed again when its lease expires");
        }
    }

    /// The next scheduled time after now.
    #[must_use]
    pub fn next_run(&self, loaded: &Loaded, manifest: &DatasetManifest) -> Option<OffsetDateTime> {
        let configured = loaded.config.datasets.get(&manifest.id);
        let schedule = configured
            .and_then(|dataset| dataset.schedule.as_deref())
            .unwrap_or(&manifest.schedule);
        Schedule::parse(schedule)
            .ok()
            .map(|schedule| schedule.next_after(self.now()))
    }

    pub(super) fn now(&self) -> OffsetDateTime {
        self.context.now()
    }
}
