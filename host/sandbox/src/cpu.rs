//! CPU time of a call: of guest code, host functions and work on other threads.
//!
//! The engine's ticks only see guest code. So that host functions are not free, the CPU time of the thread that polls a
//! call is measured; work longer than about a millisecond runs as [`Offload`] and is added. Invariant: time when a
//! thread waits or is preempted is not counted.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::Poll;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tokio::sync::Semaphore;

/// CPU time that one call has used. Clones share the counter.
#[derive(Debug, Clone, Default)]
pub struct CpuMeter(Arc<Counter>);

#[derive(Debug, Default)]
struct Counter {
    /// Nanoseconds of finished polls and of offloaded work.
    used: AtomicU64,
    /// The thread's CPU time at the start of the current poll; 0 outside a poll.
    began: AtomicU64,
}

/// The call exceeded its CPU limit in host code, before it returned to guest code.
#[derive(Debug, thiserror::Error)]
#[error("the call used up its CPU time")]
pub(super) struct CpuSpent;

impl CpuMeter {
    /// CPU time so far. Includes the current poll when called within one.
    #[must_use]
    pub fn used(&self) -> Duration {
        let began = self.0.began.load(Ordering::Relaxed);
        let current = match began {
            0 => 0,
            began => thread_cpu().saturating_sub(began),
        };
        Duration::from_nanos(self.0.used.load(Ordering::Relaxed).saturating_add(current))
    }

    /// Adds CPU time that the call used on another thread.
    pub(super) fn add(&self, time: Duration) {
        self.0.used.fetch_add(nanos(time), Ordering::Relaxed);
    }

    /// Measures each poll of a call. A call over the limit ends with [`CpuSpent`] when it next waits.
    pub(super) async fn measure<T>(
        &self,
        limit: Duration,
        call: impl Future<Output = wasmtime::Result<T>>,
    ) -> wasmtime::Result<T> {
        let mut call = pin!(call);
        poll_fn(|context| {
            let began = thread_cpu();
            self.0.began.store(began, Ordering::Relaxed);
            let polled = call.as_mut().poll(context);
            self.0.began.store(0, Ordering::Relaxed);
            let took = thread_cpu().saturating_sub(began);
            let before = self.0.used.fetch_add(took, Ordering::Relaxed);
            if polled.is_pending() && before.saturating_add(took) > nanos(limit) {
                return Poll::Ready(Err(CpuSpent.into()));
            }
            polled
        })
        .await
    }
}

/// Runs work of calls on blocking threads, on all cores but one, so that the API always has a core.
#[derive(Debug, Clone)]
pub struct Offload(Arc<Semaphore>);

impl Default for Offload {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self(Arc::new(Semaphore::new(cores.saturating_sub(1).max(1))))
    }
}

/// Why offloaded work returned no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OffloadError {
    /// The call has no CPU time left, or it was dropped.
    #[error("the call used up its CPU time")]
    Stopped,
    /// The work panicked, which is a bug of the host.
    #[error("the host failed")]
    Panicked,
}

/// Checked by offloaded work at regular intervals.
pub struct Progress {
    stop: Arc<AtomicBool>,
    began: u64,
    budget: u64,
}

impl Progress {
    /// Returns an error if the work should stop.
    ///
    /// # Errors
    /// [`OffloadError::Stopped`] when the budget is used up or the call was dropped.
    pub fn check(&self) -> Result<(), OffloadError> {
        let used = thread_cpu().saturating_sub(self.began);
        if used > self.budget || self.stop.load(Ordering::Relaxed) {
            return Err(OffloadError::Stopped);
        }
        Ok(())
    }
}

/// Stops the work when the call that waits for it is dropped.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Offload {
    /// Runs work on a blocking thread and returns its result with the CPU time used. The work should call
    /// [`Progress::check`] at least every few milliseconds; `budget` is its CPU limit.
    ///
    /// # Errors
    /// An [`OffloadError`].
    pub async fn run<T: Send + 'static>(
        &self,
        budget: Duration,
        work: impl FnOnce(&Progress) -> Result<T, OffloadError> + Send + 'static,
    ) -> (Result<T, OffloadError>, Duration) {
        let Ok(place) = Arc::clone(&self.0).acquire_owned().await else {
            return (Err(OffloadError::Stopped), Duration::ZERO);
        };
        let stop = Arc::new(AtomicBool::new(false));
        let _stop = StopOnDrop(Arc::clone(&stop));
        let working = tokio::task::spawn_blocking(move || {
            // Released when the work ends, which may be later than the call.
            let _place = place;
            let began = thread_cpu();
            let progress = Progress {
                stop,
                began,
                budget: nanos(budget),
            };
            let result = work(&progress);
            let took = Duration::from_nanos(thread_cpu().saturating_sub(began));
            (result, took)
        });
        working.await.unwrap_or_else(|error| {
            tracing::error!(%error, "offloaded work of a connector's call panicked or was cancelled");
            (Err(OffloadError::Panicked), Duration::ZERO)
        })
    }
}

/// Runs work on this thread and returns its result with the CPU time used.
pub(super) fn measured<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let began = thread_cpu();
    let done = work();
    (
        done,
        Duration::from_nanos(thread_cpu().saturating_sub(began)),
    )
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// CPU time of this thread, in nanoseconds.
fn thread_cpu() -> u64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    let nanos = u64::try_from(time.tv_nsec).unwrap_or_default();
    seconds.saturating_mul(1_000_000_000).saturating_add(nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Burns this much CPU time of the thread.
    fn burn(time: Duration) {
        let until = thread_cpu() + nanos(time);
        while thread_cpu() < until {
            std::hint::black_box(());
        }
    }

    #[tokio::test]
    async fn host_work_within_a_poll_is_charged() {
        let meter = CpuMeter::default();
        let call = async {
            burn(Duration::from_millis(20));
            tokio::task::yield_now().await;
            Ok(meter.used())
        };
        let seen = meter.measure(Duration::from_secs(1), call).await;
        assert!(seen.expect("within the limit") >= Duration::from_millis(20));
        assert!(meter.used() >= Duration::from_millis(20));
    }

    #[tokio::test]
    async fn call_past_its_limit_ends_when_it_waits() {
        let meter = CpuMeter::default();
        let call = async {
            burn(Duration::from_millis(20));
            std::future::pending::<()>().await;
            Ok(())
        };
        let ended = meter.measure(Duration::from_millis(10), call).await;
        assert!(ended.expect_err("it is past its limit").is::<CpuSpent>());
    }

    #[tokio::test]
    async fn offloaded_work_stops_at_its_budget() {
        let endless = |progress: &Progress| -> Result<(), OffloadError> {
            loop {
                burn(Duration::from_millis(1));
                progress.check()?;
            }
        };
        let (result, took) = Offload::default()
            .run(Duration::from_millis(10), endless)
            .await;
        assert_eq!(result, Err(OffloadError::Stopped));
        assert!(took >= Duration::from_millis(10), "{took:?}");
    }

    #[tokio::test]
    async fn offloaded_work_stops_when_the_call_is_dropped() {
        let offload = Offload::default();
        let (started, starts) = tokio::sync::oneshot::channel();
        let (ended, ends) = tokio::sync::oneshot::channel();
        let work = move |progress: &Progress| -> Result<(), OffloadError> {
            started.send(()).expect("the test waits");
            while progress.check().is_ok() {
                std::thread::yield_now();
            }
            ended.send(()).expect("the test waits");
            Ok(())
        };
        let call = Box::pin(offload.run(Duration::from_secs(600), work));
        tokio::select! {
            biased;
            _ = call => panic!("it does not end by itself"),
            started = starts => started.expect("the work began"),
        }
        ends.await.expect("the work was stopped");
    }
}
