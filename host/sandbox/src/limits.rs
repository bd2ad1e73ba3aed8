//! Limits of one call of a connector, and the guard that enforces them and names the exceeded one.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use wasmtime::{ResourceLimiter, UpdateDeadline};

use super::cpu::CpuMeter;

/// Interval at which guest code is interrupted, to count its CPU time and to let other tasks run.
pub const TICK: Duration = Duration::from_millis(5);

/// Most core instances of one component. This and the next limits are its share of the pool, so that no component takes
/// another's. A Rust guest has three core instances, two tables and one memory; a Python guest 38, two and one.
pub const CORE_INSTANCES: u32 = 40;
/// Most linear memories of one component.
pub const MEMORIES: u32 = 1;
/// Most tables of one component.
pub const TABLES: u32 = 2;

const MIB: u64 = 1 << 20;

/// The limits of one call. Each one is a setting; the defaults follow the design.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Bytes of linear memory, for all memories of the instance together.
    pub memory: u64,
    /// CPU time of guest code and of the host functions that it calls.
    pub cpu: Duration,
    /// Wall time of the call; in an import, of one batch.
    pub wall: Duration,
    /// Wall time to open an import; a look-up has nothing to open.
    pub open: Duration,
    /// Wall time of a whole import run, checked between batches.
    pub run: Duration,
    /// Consecutive batches without a record in an import.
    pub empty_batches: u64,
    /// Elements of each table.
    pub table_elements: usize,
    /// Redirects that one request may follow.
    pub redirects: u32,
    /// Bytes from guest to host in one crossing.
    pub crossing: u64,
    /// Live handles and resources.
    pub handles: usize,
    /// HTTP requests, including redirects and retries.
    pub requests: u64,
    /// Bytes of all responses.
    pub bytes: u64,
    /// Bytes of one response.
    pub body: u64,
    /// Bytes returned to the guest in one piece.
    pub piece: u64,
    /// Ratio of unpacked to packed bytes.
    pub archive_ratio: u64,
    /// Files in one archive.
    pub archive_entries: usize,
    /// Lines that the guest may log.
    pub log_lines: u64,
    /// Bytes that the guest may log.
    pub log_bytes: u64,
}

impl Limits {
    /// Defaults for a look-up or an enrichment.
    #[must_use]
    pub fn lookup() -> Self {
        Self {
            memory: 64 * MIB,
            cpu: Duration::from_secs(2),
            wall: Duration::from_secs(15),
            open: Duration::from_secs(10 * 60),
            run: Duration::from_secs(60 * 60),
            empty_batches: 1_000,
            table_elements: 20_000,
            redirects: 5,
            crossing: 8 * MIB,
            handles: 256,
            requests: 20,
            bytes: 20 * MIB,
            body: 10 * MIB,
            piece: 16 * MIB,
            archive_ratio: 200,
            archive_entries: 10_000,
            log_lines: 200,
            log_bytes: 64 * 1024,
        }
    }

    /// Defaults for an import run; `wall` applies to one batch.
    #[must_use]
    pub fn import() -> Self {
        Self {
            memory: 256 * MIB,
            cpu: Duration::from_secs(20 * 60),
            wall: Duration::from_secs(60),
            open: Duration::from_secs(10 * 60),
            run: Duration::from_secs(60 * 60),
            empty_batches: 1_000,
            table_elements: 20_000,
            redirects: 5,
            crossing: 16 * MIB,
            handles: 1_024,
            requests: 10_000,
            bytes: 4_096 * MIB,
            body: 2_048 * MIB,
            piece: 64 * MIB,
            archive_ratio: 200,
            archive_entries: 10_000,
            log_lines: 2_000,
            log_bytes: 640 * 1024,
        }
    }
}

/// Counts memory and CPU time of one store and records the first exceeded limit.
#[derive(Debug)]
pub struct Guard {
    memory_limit: u64,
    table_limit: usize,
    memory_now: u64,
    /// Peak memory of the instance in bytes.
    pub memory_high: u64,
    cpu_limit: Duration,
    /// CPU time so far.
    pub cpu: CpuMeter,
    /// The first exceeded limit, as shown to the author.
    pub met: Option<String>,
    long: LongRunning,
    held: HeldPermit,
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.held.end();
    }
}

/// A call that computes for less than this needs no permit.
const PERMIT_FREE_TIME: Duration = Duration::from_millis(25);

/// A permit ends after this time without a tick, because the guest then waits, for a register for example.
const PERMIT_DURATION: Duration = TICK.saturating_mul(2);

/// Permits for guests that compute for long. They share all cores but one, so that short calls and the API never wait
/// for them. A permit lasts until the guest's next tick and is granted in order, so a guest alone never waits.
#[derive(Debug, Clone)]
pub struct LongRunning(Arc<Semaphore>);

impl Default for LongRunning {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self(Arc::new(Semaphore::new(cores.saturating_sub(1).max(1))))
    }
}

/// The permit of one guest, if it has one.
#[derive(Debug, Clone, Default)]
struct HeldPermit(Arc<Mutex<Option<OwnedSemaphorePermit>>>);

impl HeldPermit {
    fn end(&self) {
        drop(self.set(None));
    }

    fn set(&self, permit: Option<OwnedSemaphorePermit>) -> Option<OwnedSemaphorePermit> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut held, permit)
    }
}

impl LongRunning {
    /// Waits for a permit, which is held from then on.
    async fn wait_for_permit(self, held: HeldPermit) {
        if let Ok(permit) = self.0.acquire_owned().await {
            held.set(Some(permit));
            tokio::spawn(async move {
                tokio::time::sleep(PERMIT_DURATION).await;
                held.end();
            });
        }
    }
}

impl Guard {
    /// A guard with counters at zero.
    #[must_use]
    pub fn new(limits: &Limits, long: LongRunning) -> Self {
        Self {
            long,
            held: HeldPermit::default(),
            memory_limit: limits.memory,
            table_limit: limits.table_elements,
            memory_now: 0,
            memory_high: 0,
            cpu_limit: limits.cpu,
            cpu: CpuMeter::default(),
            met: None,
        }
    }

    /// Handles a tick in guest code: continues, or interrupts past the limit. Yields to other tasks, and after a while
    /// waits for a permit.
    pub fn tick(&mut self) -> UpdateDeadline {
        let used = self.cpu.used();
        if used > self.cpu_limit {
            self.met = Some(cpu_limit_met(self.cpu_limit));
            return UpdateDeadline::Interrupt;
        }
        if used > PERMIT_FREE_TIME {
            // A new one each time, because the end of the former one is scheduled.
            std::mem::take(&mut self.held).end();
            let permit = self.long.clone().wait_for_permit(self.held.clone());
            return UpdateDeadline::YieldCustom(1, Box::pin(permit));
        }
        UpdateDeadline::YieldCustom(1, Box::pin(tokio::task::yield_now()))
    }
}

/// The message for an exceeded CPU limit. By how much the call exceeded it depends on the machine.
pub(super) fn cpu_limit_met(limit: Duration) -> String {
    format!("cpu: {:.1} s used", limit.as_secs_f64())
}

/// The message for an exceeded wall-time limit.
pub(super) fn wall_limit_met(limit: Duration) -> String {
    format!("wall: {:.1} s used", limit.as_secs_f64())
}

impl ResourceLimiter for Guard {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let grown = (desired as u64).saturating_sub(current as u64);
        let total = self.memory_now + grown;
        if total > self.memory_limit {
            self.met = Some(format!(
                "memory: asked {} MiB, limit {}",
                total.div_ceil(MIB),
                self.memory_limit / MIB
            ));
            return Ok(false);
        }
        self.memory_now = total;
        self.memory_high = self.memory_high.max(total);
        Ok(true)
    }

    fn table_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let within = desired <= self.table_limit;
        if !within {
            self.met = Some(format!(
                "table: asked {desired} elements, limit {}",
                self.table_limit
            ));
        }
        Ok(within)
    }

    // The pool enforces these only if it could be set up; the limits apply without it too.
    fn instances(&self) -> usize {
        CORE_INSTANCES as usize
    }

    fn memories(&self) -> usize {
        MEMORIES as usize
    }

    fn tables(&self) -> usize {
        TABLES as usize
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    type Wait = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

    /// A guest that has computed for long.
    fn guest(long: &LongRunning) -> Guard {
        let guard = Guard::new(&Limits::import(), long.clone());
        guard.cpu.add(PERMIT_FREE_TIME * 2);
        guard
    }

    fn tick(guard: &mut Guard) -> Wait {
        let UpdateDeadline::YieldCustom(_, wait) = guard.tick() else {
            panic!("it yields");
        };
        wait
    }

    #[tokio::test(start_paused = true)]
    async fn guests_that_compute_take_turns_and_one_alone_continues() {
        let long = LongRunning(Arc::new(Semaphore::new(1)));
        let (mut one, mut other) = (guest(&long), guest(&long));
        for _ in 0..3 {
            assert_eq!(tick(&mut one).now_or_never(), Some(()), "alone");
        }
        let mut others = tick(&mut other);
        assert_eq!((&mut others).now_or_never(), None, "the first one computes");
        let mut ones = tick(&mut one);
        assert_eq!((&mut ones).now_or_never(), None, "the other one is next");
        assert_eq!((&mut others).now_or_never(), Some(()));
        drop(other);
        assert_eq!(ones.now_or_never(), Some(()), "the other call has ended");
    }

    #[tokio::test(start_paused = true)]
    async fn guest_that_waits_for_a_register_gives_its_turn_up() {
        let long = LongRunning(Arc::new(Semaphore::new(1)));
        let (mut waiting, mut other) = (guest(&long), guest(&long));
        tick(&mut waiting).await;
        let started = tokio::time::Instant::now();
        tick(&mut other).await;
        assert_eq!(started.elapsed(), PERMIT_DURATION);
    }
}
