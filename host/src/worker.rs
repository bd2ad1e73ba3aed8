//! Background workers under supervision.
//!
//! A worker is an endless future. A panic is logged and counted, and the worker restarts after a pause that doubles up
//! to a minute. `/v1/health` names workers that keep failing; `/metrics` and the operator's address show the restarts.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use serde::Serialize;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// The pause before the first restart; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// The longest pause before a restart.
const MAX_PAUSE: Duration = Duration::from_secs(60);

/// A worker that ran this long without a panic is healthy again.
const STABLE: Duration = Duration::from_secs(120);

/// A worker counts as failing after this many panics without a stable run in between.
const FAILING_AFTER: u32 = 3;

/// The workers of one host. Clones share them.
#[derive(Clone, Default)]
pub struct Workers(Arc<Mutex<Vec<Supervised>>>);

struct Supervised {
    name: &'static str,
    state: Arc<State>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct State {
    panics: Mutex<Panics>,
    /// Interrupts the current run; handled like a panic.
    interrupted: Notify,
}

#[derive(Debug, Clone, Copy, Default)]
struct Panics {
    /// All restarts since the start of the host.
    restarts: u64,
    /// Panics since the last stable run.
    recent: u32,
    last: Option<Instant>,
}

/// State of all workers of one name, for operators.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WorkerState {
    /// The name, as in the log.
    pub name: &'static str,
    /// Restarts since the start of the host.
    pub restarts: u64,
    /// Whether it panicked several times without a stable run in between.
    pub failing: bool,
}

/// Interval at which old rows are deleted.
const SWEEP_INTERVAL: Duration = Duration::from_secs(600);

/// Worker loop that deletes old rows. `step` deletes some and returns their number; after some, the next step follows at
/// once. `what` names the rows in the log.
pub async fn sweep<F, E>(what: &'static str, step: impl Fn() -> F)
where
    F: Future<Output = Result<u64, E>>,
    E: std::fmt::Display,
{
    loop {
        match step().await {
            Ok(swept) if swept > 0 => continue,
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "{what} could not be deleted; retrying"),
        }
        tokio::time::sleep(SWEEP_INTERVAL).await;
    }
}

/// Rows that one step of [`sweep`] deletes at most.
pub const SWEEP_BATCH: u32 = 1_000;

impl Workers {
    /// Starts a worker. `work` creates its future, also after each panic. A future that completes is not restarted.
    /// Several workers may share a name; their states are combined.
    pub fn spawn<F>(&self, name: &'static str, work: impl Fn() -> F + Send + 'static)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        self.spawn_on(&Handle::current(), name, work);
    }

    /// Like [`Self::spawn`], on another runtime.
    pub fn spawn_on<F>(
        &self,
        runtime: &Handle,
        name: &'static str,
        work: impl Fn() -> F + Send + 'static,
    ) where
        F: Future<Output = ()> + Send + 'static,
    {
        let state = Arc::new(State::default());
        let task = runtime.spawn(supervise(name, Arc::clone(&state), work));
        self.all().push(Supervised { name, state, task });
    }

    /// State of the workers, by name.
    #[must_use]
    pub fn states(&self) -> Vec<WorkerState> {
        let mut states: BTreeMap<&'static str, WorkerState> = BTreeMap::new();
        for worker in self.all().iter() {
            let panics = *locked(&worker.state.panics);
            let state = states.entry(worker.name).or_insert(WorkerState {
                name: worker.name,
                restarts: 0,
                failing: false,
            });
            state.restarts += panics.restarts;
            state.failing |= panics.are_failing();
        }
        states.into_values().collect()
    }

    /// Names of workers that keep failing.
    #[must_use]
    pub fn failing(&self) -> Vec<&'static str> {
        let states = self.states().into_iter();
        states
            .filter(|state| state.failing)
            .map(|state| state.name)
            .collect()
    }

    /// Interrupts the workers of a name; they restart as after a panic. `false`: no worker has this name.
    #[must_use]
    pub fn restart(&self, name: &str) -> bool {
        let workers = self.all();
        let named = workers.iter().filter(|worker| worker.name == name);
        named
            .map(|worker| worker.state.interrupted.notify_one())
            .count()
            > 0
    }

    /// Ends all workers, in the reverse order of their start.
    pub fn end(&self) {
        for worker in self.all().drain(..).rev() {
            worker.task.abort();
        }
    }

    fn all(&self) -> MutexGuard<'_, Vec<Supervised>> {
        locked(&self.0)
    }
}

impl Panics {
    fn are_failing(self) -> bool {
        let is_recent = |last: Instant| last.elapsed() < STABLE + MAX_PAUSE;
        self.recent >= FAILING_AFTER && self.last.is_some_and(is_recent)
    }

    /// Records a panic after a run of this length. Returns the pause before the restart.
    fn note(&mut self, ran: Duration) -> Duration {
        if ran >= STABLE {
            self.recent = 0;
        }
        self.restarts += 1;
        self.recent = self.recent.saturating_add(1);
        self.last = Some(Instant::now());
        let doublings = (self.recent - 1).min(16);
        FIRST_PAUSE.saturating_mul(1 << doublings).min(MAX_PAUSE)
    }
}

async fn supervise<F>(name: &'static str, state: Arc<State>, work: impl Fn() -> F)
where
    F: Future<Output = ()>,
{
    loop {
        let began = Instant::now();
        let run = AssertUnwindSafe(work()).catch_unwind();
        let why = tokio::select! {
            ended = run => match ended {
                Ok(()) => return,
                Err(_panic) => "panicked",
            },
            () = state.interrupted.notified() => "was interrupted by an operator",
        };
        let pause = locked(&state.panics).note(began.elapsed());
        tracing::error!(worker = name, restart_in = ?pause, "worker {name} {why}; restarting in {pause:?}");
        tokio::time::sleep(pause).await;
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    /// Starts a worker that panics in its first runs and then never ends. Returns its counter of runs.
    fn panicking(workers: &Workers, panics: u32) -> Arc<AtomicU32> {
        let runs = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&runs);
        workers.spawn("test", move || {
            let run = counted.fetch_add(1, Ordering::Relaxed);
            async move {
                assert!(run >= panics, "the test panics on purpose");
                std::future::pending::<()>().await;
            }
        });
        runs
    }

    fn state(restarts: u64, failing: bool) -> Vec<WorkerState> {
        vec![WorkerState {
            name: "test",
            restarts,
            failing,
        }]
    }

    #[tokio::test(start_paused = true)]
    async fn worker_that_panics_is_restarted() {
        let workers = Workers::default();
        let runs = panicking(&workers, 1);
        tokio::time::sleep(FIRST_PAUSE * 2).await;
        assert_eq!(runs.load(Ordering::Relaxed), 2);
        assert_eq!(workers.states(), state(1, false));
    }

    #[tokio::test(start_paused = true)]
    async fn worker_that_keeps_panicking_is_failing() {
        let workers = Workers::default();
        let runs = panicking(&workers, u32::MAX);
        tokio::time::sleep(Duration::from_secs(600)).await;
        // 1 + 2 + 4 + 8 + 16 + 32 s, then once a minute.
        let restarts = runs.load(Ordering::Relaxed);
        assert!((14..=18).contains(&restarts), "{restarts}");
        assert_eq!(workers.failing(), ["test"]);
    }

    #[tokio::test(start_paused = true)]
    async fn worker_is_healthy_after_a_stable_run() {
        let workers = Workers::default();
        panicking(&workers, FAILING_AFTER);
        tokio::time::sleep(Duration::from_secs(30)).await;
        assert_eq!(workers.failing(), ["test"]);
        tokio::time::sleep(STABLE + MAX_PAUSE).await;
        assert_eq!(workers.states(), state(u64::from(FAILING_AFTER), false));
    }

    #[tokio::test(start_paused = true)]
    async fn interrupted_worker_is_restarted() {
        let workers = Workers::default();
        let runs = panicking(&workers, 0);
        tokio::task::yield_now().await;
        assert!(workers.restart("test"));
        assert!(!workers.restart("other"));
        tokio::time::sleep(FIRST_PAUSE * 2).await;
        assert_eq!(runs.load(Ordering::Relaxed), 2);
        assert_eq!(workers.states(), state(1, false));
    }

    #[tokio::test]
    async fn worker_runs_on_the_given_runtime() {
        let other = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("other")
            .build()
            .expect("threads can be started");
        let (workers, (named, mut name)) = (Workers::default(), tokio::sync::mpsc::channel(1));
        workers.spawn_on(other.handle(), "test", move || {
            let named = named.clone();
            async move {
                let name = std::thread::current().name().map(str::to_owned);
                drop(named.send(name).await);
            }
        });
        assert_eq!(name.recv().await, Some(Some("other".to_owned())));
        other.shutdown_background();
    }

    #[tokio::test(start_paused = true)]
    async fn ended_workers_do_not_run() {
        let workers = Workers::default();
        let runs = panicking(&workers, u32::MAX);
        tokio::time::sleep(FIRST_PAUSE / 2).await;
        workers.end();
        tokio::time::sleep(MAX_PAUSE).await;
        assert_eq!(runs.load(Ordering::Relaxed), 1);
    }
}
