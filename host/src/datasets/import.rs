//! One import run: from the register through the sandbox into the store, batch by batch.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest, Sha256};
use time::OffsetDateTime;
use tracing::Instrument;

use super::Schedule;
use super::bounds::Bounds;
use super::guard;
use super::marks::scopes_of;
use crate::companies::{Companies, Ico, base_company};
use crate::config::Config;
use crate::connectors::bindings::importer::exports::lustra::connector::importer::{Batch, Item};
use crate::connectors::bindings::types::Failure;
use crate::connectors::cache::hex;
use crate::connectors::manifest::{self, DatasetManifest, Target};
use crate::connectors::{CallFailure, Loaded};
use crate::disk::Disk;
use crate::store::{
    Checkpoint, Claimed, CompareCompanies, DatasetKind, Differences, Record, Run, RunError,
    StoreError,
};
use crate::{changes, names};

/// Lease of a run, extended with every batch. When it ends, another host may take the run over.
const LEASE: Duration = Duration::from_secs(180);

/// Distinct names of notes per run; further names are counted as `other`.
const MAX_NOTES: usize = 100;

/// Runs the imports of one host.
#[derive(Clone)]
pub struct Importer {
    companies: Companies,
    pub(super) retry: time::Duration,
    pub(super) keep_runs: time::Duration,
    host: String,
    pub(super) disk: Disk,
}

/// Progress of a run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Progress {
    /// Records or companies read so far.
    pub records: u64,
    /// Progress in thousandths, if the connector reports it.
    pub thousandths: Option<u16>,
}

/// Result of a run.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Imported {
    pub connector: String,
    pub dataset: String,
    /// Records or companies read.
    pub records: u64,
    /// New records or companies. For deltas and companies, a resumed run counts only what it added since it was
    /// resumed.
    pub added: u64,
    /// Changed records or companies.
    pub changed: u64,
    pub removed: u64,
    /// Rows that were skipped as unusable.
    pub skipped: u64,
    /// The date that the list itself states.
    pub list_date: Option<String>,
    /// Companies whose sections were marked for a refresh.
    pub companies_affected: u64,
    /// Counters of the connector, by name.
    pub notes: BTreeMap<String, u64>,
}

impl Imported {
    /// Counters of a run at the time it is claimed.
    fn resumed(run: &Run) -> Self {
        let notes = run.notes.as_deref();
        Self {
            connector: run.connector.clone(),
            dataset: run.dataset.clone(),
            records: u64::try_from(run.records).unwrap_or_default(),
            added: 0,
            changed: 0,
            removed: 0,
            skipped: u64::try_from(run.skipped).unwrap_or_default(),
            list_date: run.list_date.clone(),
            companies_affected: 0,
            notes: notes
                .and_then(|notes| serde_json::from_str(notes).ok())
                .unwrap_or_default(),
        }
    }

    fn count(&mut self, differences: Differences) {
        let count = |number: i64| u64::try_from(number).unwrap_or_default();
        self.added += count(differences.added);
        self.changed += count(differences.changed);
        self.removed += count(differences.removed);
    }
}

/// Why a run failed or did not start.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// No active connector has the dataset.
    #[error("no connector that serves has the dataset {0}")]
    Unknown(String),
    /// The dataset is disabled in the settings.
    #[error(
        "the dataset {connector}/{dataset} is off; switch it on with on = true under [connector.{connector}.datasets.{dataset}]"
    )]
    Off { connector: String, dataset: String },
    /// Another host is running the import.
    #[error("it is being imported already")]
    Busy,
    /// Another host has imported the dataset since it was due.
    #[error("it is not due any more")]
    NotDue,
    #[error("{0}")]
    Call(#[from] CallFailure),
    /// The list failed a plausibility guard.
    #[error("{0}")]
    Guard(String),
    /// The lease was lost, or the store failed.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// Condition for claiming a dataset.
#[derive(Debug, Clone, Copy)]
enum Which {
    Any,
    Due,
}

fn join(connector: &str, dataset: &str) -> String {
    format!("{connector}/{dataset}")
}

impl ImportError {
    /// Whether the register was unreachable. A network failure affects many datasets at once.
    pub(super) fn is_out_of_reach(&self) -> bool {
        matches!(
            self,
            Self::Call(CallFailure::Failed(Failure::Unavailable(_)) | CallFailure::Resting(_))
        )
    }

    /// Whether another host runs or has run the import, so that nothing failed.
    pub(super) fn is_of_another_host(&self) -> bool {
        matches!(
            self,
            Self::Busy | Self::NotDue | Self::Run(RunError::LeaseLost)
        )
    }
}

impl From<StoreError> for ImportError {
    fn from(error: StoreError) -> Self {
        Self::Run(RunError::Store(error))
    }
}

impl Importer {
    /// Creates an importer for the connectors of `companies`.
    #[must_use]
    pub fn new(companies: Companies, config: &Config, host: String, disk: Disk) -> Self {
        Self {
            retry: time::Duration::minutes(
                i64::try_from(config.imports.retry_minutes).unwrap_or(30),
            ),
            keep_runs: time::Duration::days(config.imports.keep_runs_days.into()),
            companies,
            host,
            disk,
        }
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
    pub fn find(&self, name: &str) -> Result<(String, String), ImportError> {
        let catalogue = self.companies.connectors().catalogue();
        let all: Vec<(String, String)> = catalogue
            .all_serving()
            .flat_map(|loaded| {
                loaded
                    .manifest
                    .datasets
                    .iter()
                    .map(|dataset| (loaded.manifest.id.clone(), dataset.id.clone()))
            })
            .collect();
        let matching: Vec<&(String, String)> = match name.split_once('/') {
            Some((connector, dataset)) => all
                .iter()
                .filter(|(c, d)| c == connector && d == dataset)
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
        connector: &str,
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
        connector: &str,
        dataset: &str,
    ) -> Result<Imported, ImportError> {
        self.run_where(Which::Due, connector, dataset, &|_| {})
            .await
    }

    async fn run_where(
        &self,
        which: Which,
        connector: &str,
        dataset: &str,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Imported, ImportError> {
        let catalogue = self.companies.connectors().catalogue();
        let unknown = || ImportError::Unknown(join(connector, dataset));
        let loaded = catalogue.serving(connector).ok_or_else(unknown)?;
        let manifest = loaded.manifest.dataset(dataset).ok_or_else(unknown)?;
        if !loaded.datasets_on.contains(dataset) {
            return Err(ImportError::Off {
                connector: connector.to_owned(),
                dataset: dataset.to_owned(),
            });
        }
        match self.attempt(which, loaded, manifest, progress).await {
            Err(ImportError::Call(CallFailure::Failed(Failure::Other((code, _)))))
                if code == "list-changed" =>
            {
                tracing::info!(
                    connector.id = connector,
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
        let connector = loaded.manifest.id.as_str();
        let kind = match manifest.kind {
            manifest::DatasetKind::Snapshot => DatasetKind::Snapshot,
            manifest::DatasetKind::Delta => DatasetKind::Delta,
        };
        let datasets = self.companies.store().datasets();
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
            Claimed::Run(run) => run,
            Claimed::Busy => return Err(ImportError::Busy),
            Claimed::NotDue => return Err(ImportError::NotDue),
        };
        let span = tracing::info_span!("import", connector.id = connector, connector.version = %loaded.manifest.version, dataset = %manifest.id);
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

    async fn record_failure(&self, connector: &str, run: &Run, error: &ImportError) {
        if let ImportError::Call(failure) = error {
            let connectors = self.companies.connectors();
            connectors.note_failed_import(connector, failure);
        }
        if matches!(error, ImportError::Run(RunError::LeaseLost)) {
            return;
        }
        let now = self.now();
        let failed = self
            .companies
            .store()
            .datasets()
            .fail(
                run,
                &error.to_string(),
                now,
                Some(now + self.retry),
                is_resumable(error),
            )
            .await;
        if let Err(error) = failed {
            tracing::warn!(%error, "recording an import failure failed; the run can be claimed again when its lease expires");
        }
    }

    /// The connector version that has replaced this one, if it has the dataset with the same kind and target.
    fn newer(&self, loaded: &Arc<Loaded>, manifest: &DatasetManifest) -> Option<Arc<Loaded>> {
        let catalogue = self.companies.connectors().catalogue();
        let serving = catalogue.serving(&loaded.manifest.id)?;
        let same = serving
            .manifest
            .dataset(&manifest.id)
            .is_some_and(|dataset| {
                dataset.kind == manifest.kind && dataset.target == manifest.target
            });
        (same && !Arc::ptr_eq(serving, loaded)).then(|| Arc::clone(serving))
    }

    async fn run_batches(
        &self,
        loaded: &Arc<Loaded>,
        manifest: &DatasetManifest,
        run: &Run,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Imported, ImportError> {
        let services = &self.companies.connectors().services;
        let datasets = self.companies.store().datasets();
        let mut bounds = Bounds::begin(&loaded.import_limits);
        let mut open = loaded
            .open_import(services, &manifest.id, run.cursor.as_deref())
            .await?;
        let mut imported = Imported::resumed(run);
        let mut last_cursor = run.cursor.clone();
        let mut loaded = Arc::clone(loaded);
        loop {
            if let Some(newer) = self.newer(&loaded, manifest) {
                tracing::info!(connector.id = %newer.manifest.id, dataset = %manifest.id, "continuing the import with connector version {}", newer.manifest.version);
                open = newer
                    .open_import(services, &manifest.id, last_cursor.as_deref())
                    .await?;
                loaded = newer;
            }
            let Some(batch) = open.next().await? else {
                break;
            };
            bounds.batch(batch.items.len() + batch.companies.len())?;
            let checkpoint = checkpoint(&batch, &mut imported);
            imported.records += (batch.items.len() + batch.companies.len()) as u64;
            last_cursor = Some(batch.cursor);
            let now = self.now();
            match manifest.target {
                Target::Companies if batch.companies.is_empty() => {
                    datasets.commit_cursor(run, &checkpoint, now).await?;
                }
                Target::Companies => {
                    let companies: Vec<_> = batch
                        .companies
                        .into_iter()
                        .map(|company| base_company(company, &loaded))
                        .collect();
                    let compare: CompareCompanies<'_> =
                        &|old, new, revision| changes::company(old, new, revision, now);
                    let upserted = datasets
                        .commit_companies_compared(run, &companies, &checkpoint, compare, now)
                        .await?;
                    imported.added += upserted.inserted;
                    imported.changed += upserted.changed;
                }
                Target::Records => {
                    let records: Vec<Record> = batch.items.into_iter().map(record).collect();
                    let scopes = scopes_of(&loaded, manifest);
                    let committed = datasets
                        .commit_batch_and_mark(run, &records, &checkpoint, &scopes, now)
                        .await?;
                    imported.count(committed.differences);
                    imported.companies_affected += committed.marked;
                    // The sections are marked; this wakes the watches of their companies.
                    self.mark(&loaded, manifest, &committed.changed).await?;
                }
            }
            progress(Progress {
                records: imported.records,
                thousandths: batch.progress,
            });
        }
        self.guard(&loaded, manifest, run, &imported).await?;
        let next = self.next_run(&loaded, manifest);
        let published = match run.kind {
            DatasetKind::Snapshot => datasets.publish(run, self.now(), next).await?,
            DatasetKind::Delta => {
                datasets
                    .finish_delta(run, last_cursor.as_deref(), self.now(), next)
                    .await?
            }
        };
        if manifest.target == Target::Records {
            if run.kind == DatasetKind::Snapshot {
                let (before, now) = (published.previous, published.generation);
                let differences = datasets.differences(&run.connector, &run.dataset, before, now);
                imported.count(differences.await?);
            }
            imported.companies_affected += self
                .mark_published(&loaded, manifest, published.previous, published.generation)
                .await?;
        }
        self.companies.forget_all();
        while datasets.sweep(1_000).await? > 0 {
            tokio::task::yield_now().await;
        }
        Ok(imported)
    }

    /// Checks the plausibility of the imported list before it is published.
    async fn guard(
        &self,
        loaded: &Loaded,
        manifest: &DatasetManifest,
        run: &Run,
        imported: &Imported,
    ) -> Result<(), ImportError> {
        let store = self.companies.store().datasets();
        let before = store.published_count(&run.connector, &run.dataset).await?;
        let refusal = match run.kind {
            DatasetKind::Snapshot => {
                let table = format!("connector.{}.datasets.{}", run.connector, run.dataset);
                let snapshot = guard::Snapshot {
                    before,
                    count: store.run_count(run).await?,
                    may_be_empty: manifest.may_be_empty,
                    most_percent: Self::max_shrink(loaded, manifest),
                    table: &table,
                };
                snapshot.refusal()
            }
            DatasetKind::Delta => {
                let is_first = run.published.is_none() && before == 0;
                guard::delta_refusal(is_first, imported.records)
            }
        };
        refusal.map_or(Ok(()), |why| Err(ImportError::Guard(why)))
    }

    fn max_shrink(loaded: &Loaded, manifest: &DatasetManifest) -> f64 {
        let configured = loaded.config.datasets.get(&manifest.id);
        configured
            .and_then(|dataset| dataset.max_shrink_percent)
            .unwrap_or(manifest.max_shrink_percent)
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
        self.companies.now()
    }
}

/// Whether a failed run can be resumed at its cursor.
fn is_resumable(error: &ImportError) -> bool {
    match error {
        ImportError::Call(CallFailure::Failed(failure)) => {
            matches!(failure, Failure::Unavailable(_) | Failure::Throttled(_))
        }
        ImportError::Call(CallFailure::Busy | CallFailure::Resting(_)) | ImportError::Run(_) => {
            true
        }
        ImportError::Call(_)
        | ImportError::Guard(_)
        | ImportError::Unknown(_)
        | ImportError::Off { .. }
        | ImportError::Busy
        | ImportError::NotDue => false,
    }
}

fn checkpoint(batch: &Batch, imported: &mut Imported) -> Checkpoint {
    let mut skipped = 0_u64;
    for note in &batch.notes {
        let count: u64 = note.value.parse().unwrap_or(1);
        skipped = skipped.saturating_add(count);
        // A run may have millions of batches; bound the number of names.
        let known = imported.notes.len() < MAX_NOTES || imported.notes.contains_key(&note.name);
        let name = if known { note.name.as_str() } else { "other" };
        let counted = imported.notes.entry(name.to_owned()).or_default();
        *counted = counted.saturating_add(count);
    }
    imported.skipped = imported.skipped.saturating_add(skipped);
    if batch.list_date.is_some() {
        imported.list_date.clone_from(&batch.list_date);
    }
    Checkpoint {
        cursor: Some(batch.cursor.clone()),
        list_date: batch.list_date.clone(),
        skipped: u32::try_from(skipped).unwrap_or(u32::MAX),
        notes: serde_json::to_string(&imported.notes).ok(),
        progress: batch.progress,
    }
}

fn record(mut item: Item) -> Record {
    // `PostgreSQL` does not store NUL, and no register uses it.
    let texts = [&mut item.key, &mut item.content].into_iter();
    let optional = [&mut item.name, &mut item.city, &mut item.postal_code];
    for text in texts.chain(optional.into_iter().flatten()) {
        text.retain(|c| c != '\0');
    }
    let mut digest = Sha256::new();
    for text in [
        Some(&item.content),
        item.ico.as_ref(),
        item.name.as_ref(),
        item.city.as_ref(),
        item.postal_code.as_ref(),
    ] {
        digest.update(text.map_or(0, |text| text.len() as u64 + 1).to_le_bytes());
        digest.update(text.map(String::as_bytes).unwrap_or_default());
    }
    Record {
        content_hash: hex(&digest.finalize()[..16]),
        name_key: item.name.as_deref().map(names::name_key),
        // Only a complete number identifies a company.
        ico: item.ico.filter(|ico| Ico::parse(ico).is_ok()),
        key: item.key,
        name: item.name,
        city: item.city,
        postal_code: item.postal_code,
        content: item.content,
        removed: item.removed,
    }
}
