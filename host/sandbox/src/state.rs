//! State of one call of a connector: the data of its store, dropped with it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::RwLock;
use wasmtime::component::ResourceTable;
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

use super::background_runtime::BackgroundRuntime;
use super::configured::Configured;
use super::cpu::{Offload, OffloadError, Progress};
use super::egress::{Allowance, Egress};
use super::engine::ConnectorEngine;
use super::guest_log::{GuestLog, Keeping};
use super::limits::{Guard, Limits, LongRunning};
use super::record_pages::ReadAhead;
use super::recording::RecordingMode;
use super::stderr::Stderr;
use crate::clock::Clock;
use lustra_store::Store;

/// Most random bytes that a guest gets at once. They are generated on the async thread at about 3 ns each.
const MAX_RANDOM_BYTES: u64 = 64 << 10;

/// Host services that the imports use.
#[derive(Clone)]
pub struct Services {
    pub store: Store,
    pub egress: Arc<Egress>,
    pub clock: Clock,
    /// Directory where archives are spooled.
    pub spool: PathBuf,
    /// Permits for guests that compute for long.
    pub long: LongRunning,
    /// Threads for work that would block an async thread for too long.
    pub offload: Offload,
    /// Threads for calls of connectors and other work that the API must not wait for.
    pub background: BackgroundRuntime,
}

/// Held for writing while a batch of an import is committed. What the import reads from the store waits for it.
pub type Commits = Arc<RwLock<()>>;

/// The data of one store.
pub struct CallState {
    // Keeps the engine's ticks going, which bound the call, after other code has replaced the one that runs.
    _engine: ConnectorEngine,
    /// The connector that is called.
    pub connector: Arc<Configured>,
    pub services: Services,
    /// Remaining requests and bytes.
    pub allowance: Arc<Allowance>,
    /// Limits of memory and CPU time.
    pub guard: Guard,
    /// Bodies that the guest holds handles to.
    pub table: ResourceTable,
    /// The call's recording or replay.
    pub recording_mode: RecordingMode,
    /// The guest's lines in the host's log.
    pub log: Arc<GuestLog>,
    /// In an import that is read ahead: held for writing while the batch before is committed.
    pub commits: Option<Commits>,
    /// The IČO of the company whose section is made.
    pub(crate) company: Option<String>,
    pub(crate) ahead: ReadAhead,
    limits: Arc<Limits>,
    deadline: Instant,
    // Created on first use by guests of other languages; a Rust guest never uses it.
    wasi: Option<WasiCtx>,
}

impl CallState {
    pub(super) fn new(
        engine: ConnectorEngine,
        connector: Arc<Configured>,
        services: Services,
        limits: Arc<Limits>,
        allowance: Arc<Allowance>,
        recording_mode: RecordingMode,
    ) -> Self {
        let mut table = ResourceTable::new();
        table.set_max_capacity(limits.handles);
        let keeping = match &recording_mode {
            RecordingMode::Off => Keeping::Nothing,
            RecordingMode::Record(_) => Keeping::Lines,
            RecordingMode::Replay(_) => Keeping::LinesOnly,
        };
        let log = Arc::new(GuestLog::new(&connector.manifest.id, &limits, keeping));
        let guard = Guard::new(&limits, services.long.clone());
        Self {
            _engine: engine,
            connector,
            services,
            allowance,
            guard,
            table,
            recording_mode,
            log,
            commits: None,
            company: None,
            ahead: ReadAhead::default(),
            deadline: Instant::now() + limits.wall,
            limits,
            wasi: None,
        }
    }

    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Writes the guest's lines to the host's log, also in a replay. Called before the guest runs.
    pub(super) fn log_lines(&mut self) {
        let id = &self.connector.manifest.id;
        self.log = Arc::new(GuestLog::new(id, &self.limits, Keeping::Nothing));
    }

    /// Takes the recording mode with the guest's log lines when the call is over.
    pub fn take_recording_mode(&mut self) -> RecordingMode {
        let mut recording_mode = std::mem::take(&mut self.recording_mode);
        let lines = self.log.take_kept();
        match &mut recording_mode {
            RecordingMode::Off => {}
            RecordingMode::Record(recorder) => recorder.log = lines,
            RecordingMode::Replay(replayer) => replayer.log = lines,
        }
        recording_mode
    }

    /// Remaining CPU time of the call.
    #[must_use]
    pub fn cpu_left(&self) -> Duration {
        self.limits.cpu.saturating_sub(self.guard.cpu.used())
    }

    /// Runs work on another thread and charges its CPU time to the call.
    ///
    /// # Errors
    /// An [`OffloadError`].
    pub(super) async fn offload<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&Progress) -> Result<T, OffloadError> + Send + 'static,
    ) -> Result<T, OffloadError> {
        let (done, took) = self.services.offload.run(self.cpu_left(), work).await;
        self.guard.cpu.add(took);
        done
    }

    /// Waits until the batch before is committed, if this is an import. Precedes every read of the store.
    pub(super) async fn wait_for_commit(&mut self) {
        if let Some(commits) = &self.commits {
            drop(commits.read().await);
        }
    }

    /// Restarts the wall clock, because each batch of an import has its own limit. Records that were read ahead are
    /// forgotten, because the batch before may have changed them.
    pub fn begin_batch(&mut self) {
        self.ahead = ReadAhead::default();
        self.deadline = Instant::now() + self.limits.wall;
    }

    /// Remaining wall time of the call.
    #[must_use]
    pub fn wall_left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }
}

impl WasiView for CallState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        let ctx = self.wasi.get_or_insert_with(|| {
            WasiCtxBuilder::new()
                .stderr(Stderr::new(Arc::clone(&self.log)))
                .max_random_size(MAX_RANDOM_BYTES)
                .build()
        });
        WasiCtxView {
            ctx,
            table: &mut self.table,
        }
    }
}
