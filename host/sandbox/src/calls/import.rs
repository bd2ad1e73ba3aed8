//! Import runs: one store for the whole run, read batch by batch.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use wasmtime::Store;
use wasmtime::component::ResourceAny;

use super::judge::judge;
use super::{cost, timed};
use crate::bindings::importer::WithImporter;
use crate::bindings::importer::exports::lustra::connector::importer::Batch;
use crate::call_failure::CallFailure;
use crate::component::Loaded;
use crate::cpu::CpuMeter;
use crate::limits::Limits;
use crate::recording::RecordingMode;
use crate::state::{CallState, Commits, Services};
use crate::stats::Cost;

impl Loaded {
    /// Starts an import, or resumes it at a cursor.
    ///
    /// # Errors
    /// A [`CallFailure`].
    pub async fn open_import(
        self: &Arc<Self>,
        services: &Services,
        dataset: &str,
        cursor: Option<&str>,
    ) -> Result<OpenImport, CallFailure> {
        let opened = self.open_recorded(services, dataset, cursor, RecordingMode::Off);
        opened.await.map_err(|(failure, _)| failure)
    }

    /// Like [`Self::open_import`], in a recording mode. If the run does not open, returns the mode with the failure.
    ///
    /// # Errors
    /// A [`CallFailure`] and the recording mode.
    pub async fn open_recorded(
        self: &Arc<Self>,
        services: &Services,
        dataset: &str,
        cursor: Option<&str>,
        recording_mode: RecordingMode,
    ) -> Result<OpenImport, (CallFailure, RecordingMode)> {
        let code = self.code();
        let Some(pre) = &code.importer else {
            return Err((CallFailure::NotOffered("datasets"), recording_mode));
        };
        let mut store = self.new_store(&code, services, &self.import_limits, recording_mode);
        let (cpu, limits) = (store.data().guard.cpu.clone(), &self.import_limits);
        let opened = timed(&cpu, limits.open, limits, async {
            let instance = pre.instantiate_async(&mut store).await?;
            let run = instance
                .lustra_connector_importer()
                .call_open(&mut store, dataset, cursor)
                .await?;
            Ok(run.map(|run| (instance, run)))
        })
        .await;
        let judged = if opened.is_err() {
            let seconds = self.import_limits.open.as_secs_f64();
            Err(CallFailure::Limit(format!("open: {seconds:.1} s used")))
        } else {
            judge(store.data(), opened)
        };
        let (instance, run) = match judged {
            Ok(opened) => opened,
            Err(failure) => {
                self.stats.failed(failure.kind());
                return Err((failure, store.data_mut().take_recording_mode()));
            }
        };
        Ok(OpenImport {
            loaded: Arc::clone(self),
            store,
            instance,
            run,
            dataset: dataset.to_owned(),
            limits: Arc::clone(&self.import_limits),
            opened_at: Instant::now(),
        })
    }
}

/// An import run with one store for its whole duration.
pub struct OpenImport {
    loaded: Arc<Loaded>,
    store: Store<CallState>,
    instance: WithImporter,
    run: ResourceAny,
    dataset: String,
    limits: Arc<Limits>,
    opened_at: Instant,
}

impl OpenImport {
    /// The next batch; `None` after the last.
    ///
    /// # Errors
    /// A [`CallFailure`]; the run cannot continue afterwards.
    pub async fn next(&mut self) -> Result<Option<Batch>, CallFailure> {
        match self.read().await? {
            Some(unchecked) => unchecked.check().await.map(Some),
            None => Ok(None),
        }
    }

    /// The next batch as the connector returned it; `None` after the last.
    ///
    /// # Errors
    /// As [`Self::next`].
    pub(super) async fn read(&mut self) -> Result<Option<UncheckedBatch>, CallFailure> {
        let store = &mut self.store;
        store.data_mut().begin_batch();
        // Each batch gets the full crossing limit.
        let crossing = store.data().limits().crossing;
        store.set_hostcall_fuel(usize::try_from(crossing).unwrap_or(usize::MAX));
        let (instance, run) = (&self.instance, self.run);
        let cpu = store.data().guard.cpu.clone();
        let limits = Arc::clone(&self.limits);
        let import_run = instance.lustra_connector_importer().import_run();
        let next = import_run.call_next(&mut *store, run);
        let result = timed(&cpu, limits.wall, &limits, next).await;
        let state = self.store.data();
        let read = judge(state, result);
        let failure = read.as_ref().err();
        self.loaded.note_schema(failure);
        let failure = failure.map(CallFailure::kind);
        let memory_high = state.guard.memory_high;
        self.loaded.stats.import_step(memory_high, failure);
        let unchecked = read?.map(|batch| UncheckedBatch {
            loaded: Arc::clone(&self.loaded),
            services: state.services.clone(),
            dataset: self.dataset.clone(),
            batch,
            cpu,
            cpu_left: state.cpu_left(),
        });
        Ok(unchecked)
    }

    /// Makes the run's reads of the store wait while this is held for writing.
    pub(super) fn commits(&mut self) -> Commits {
        Arc::clone(self.store.data_mut().commits.get_or_insert_default())
    }

    /// What the run has used so far.
    #[must_use]
    pub fn cost(&self) -> Cost {
        cost(&self.store, self.opened_at)
    }

    /// Ends the run and returns its recording mode.
    #[must_use]
    pub fn into_recording_mode(mut self) -> RecordingMode {
        self.store.data_mut().take_recording_mode()
    }
}

/// A batch that was not compared with limits and schemas yet.
pub(super) struct UncheckedBatch {
    loaded: Arc<Loaded>,
    services: Services,
    dataset: String,
    batch: Batch,
    /// The processor time of the run, which the check belongs to.
    cpu: CpuMeter,
    cpu_left: Duration,
}

impl UncheckedBatch {
    /// Compares the batch with limits and schemas. The run may read on meanwhile.
    ///
    /// # Errors
    /// A [`CallFailure`]; the run cannot continue afterwards.
    pub(super) async fn check(self) -> Result<Batch, CallFailure> {
        let Self {
            loaded,
            services,
            dataset,
            batch,
            cpu,
            cpu_left,
        } = self;
        let checking = loaded.check_batch(&services, cpu_left, &dataset, batch);
        let (checked, took) = checking.await;
        cpu.add(took);
        if let Err(failure) = &checked {
            loaded.note_schema(Some(failure));
            loaded.stats.failed(failure.kind());
        }
        checked
    }
}

impl fmt::Debug for OpenImport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenImport")
            .field("cost", &self.cost())
            .finish_non_exhaustive()
    }
}
