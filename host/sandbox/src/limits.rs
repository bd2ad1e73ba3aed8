//! What one call of a connector may use, and the guard that says which limit it met.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use wasmtime::{ResourceLimiter, UpdateDeadline};

use super::cpu::CpuMeter;
use super::engine::{CORE_INSTANCES, MEMORIES, TABLES, TICK};

const MIB: u64 = 1 << 20;

/// The limits of one call. Every one is a setting; the defaults are the design's.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Bytes of linear memory, all memories of the instance together.
    pub memory: u64,
    /// CPU time of guest code and of what host functions compute for it.
    pub cpu: Duration,
    /// Time from start to answer; for an import, of one batch.
    pub wall: Duration,
    /// Time to open an import; a look-up has nothing to open.
    pub open: Duration,
    /// Time of a whole run of an import, checked between its batches.
    pub run: Duration,
    /// Batches without a record, one after another, of an import.
    pub empty_batches: u64,
    /// Elements of each table.
    pub table_elements: usize,
    /// Redirects that one request may follow.
    pub redirects: u32,
    /// Bytes from guest to host in one crossing.
    pub crossing: u64,
    /// Live handles and resources.
    pub handles: usize,
    /// HTTP requests.
    pub requests: u64,
    /// Bytes of all answers.
    pub bytes: u64,
    /// Bytes of one answer.
    pub body: u64,
    /// Bytes handed to the guest in one piece.
    pub piece: u64,
    /// Unpacked to packed bytes of an archive.
    pub archive_ratio: u64,
    /// Files in an archive.
    pub archive_entries: usize,
    /// Lines in the log.
    pub log_lines: u64,
    /// Bytes in the log.
    pub log_bytes: u64,
}

impl Limits {
    /// For a look-up or an enrichment.
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

    /// For a run of an import; `wall` is that of a batch.
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

/// Counts memory and CPU of one store and remembers which limit was met first.
#[derive(Debug)]
pub struct Guard {
    memory_limit: u64,
    table_limit: usize,
    memory_now: u64,
    /// The most memory that the instance held, in bytes.
    pub memory_high: u64,
    cpu_limit: Duration,
    /// CPU time so far.
    pub cpu: CpuMeter,
    /// The limit that was met, as the author reads it.
    pub met: Option<String>,
    long: LongRunning,
}

/// A call that computes no longer than this takes no turn.
const SHORT: Duration = Duration::from_millis(25);

/// A turn ends a little before the next tick asks for another, so that nobody waits for its own.
const TURN: Duration = TICK.saturating_sub(Duration::from_millis(1));

/// Turns of guests that compute for long: they share all cores but one, so that short calls and the API never wait for
/// them. Turns are short and given in order; a guest that waits for a register gives its turn back by itself.
#[derive(Debug, Clone)]
pub struct LongRunning(Arc<Semaphore>);

impl Default for LongRunning {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self(Arc::new(Semaphore::new(cores.saturating_sub(1).max(1))))
    }
}

impl LongRunning {
    /// Waits for a turn. It ends by itself.
    async fn turn(self) {
        if let Ok(turn) = self.0.acquire_owned().await {
            tokio::spawn(async move {
                tokio::time::sleep(TURN).await;
                drop(turn);
            });
        }
    }
}

impl Guard {
    /// A guard over fresh counters.
    #[must_use]
    pub fn new(limits: &Limits, long: LongRunning) -> Self {
        Self {
            long,
            memory_limit: limits.memory,
            table_limit: limits.table_elements,
            memory_now: 0,
            memory_high: 0,
            cpu_limit: limits.cpu,
            cpu: CpuMeter::default(),
            met: None,
        }
    }

    /// A tick while guest code runs: goes on, or interrupts past the limit. Yields, so that other tasks get their turn,
    /// and after a while waits for one itself.
    pub fn tick(&mut self) -> UpdateDeadline {
        let used = self.cpu.used();
        if used > self.cpu_limit {
            self.met = Some(cpu_limit_met(self.cpu_limit));
            return UpdateDeadline::Interrupt;
        }
        if used > SHORT {
            return UpdateDeadline::YieldCustom(1, Box::pin(self.long.clone().turn()));
        }
        UpdateDeadline::YieldCustom(1, Box::pin(tokio::task::yield_now()))
    }
}

/// The reason of a call that used up its CPU time. By how much it went past the limit depends on the machine.
pub(super) fn cpu_limit_met(limit: Duration) -> String {
    format!("cpu: {:.1} s used", limit.as_secs_f64())
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

    // The pool counts these only where it could be set up; what a component may have holds without it too.
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
