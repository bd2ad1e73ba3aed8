//! Metrics of connection pools: wait times and utilisation.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Waits for connections of one pool since the start.
#[derive(Debug, Default)]
pub(super) struct Waits {
    ended: AtomicU64,
    timed_out: AtomicU64,
    micros: AtomicU64,
}

impl Waits {
    /// Counts a finished wait, successful or not.
    pub(super) fn add(&self, took: Duration, timed_out: bool) {
        self.ended.fetch_add(1, Relaxed);
        self.timed_out.fetch_add(u64::from(timed_out), Relaxed);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.micros.fetch_add(micros, Relaxed);
    }

    pub(super) fn ended(&self) -> u64 {
        self.ended.load(Relaxed)
    }

    pub(super) fn timed_out(&self) -> u64 {
        self.timed_out.load(Relaxed)
    }

    pub(super) fn total(&self) -> Duration {
        Duration::from_micros(self.micros.load(Relaxed))
    }
}

/// Metrics of a connection pool at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolState {
    /// `reads`, `writes`, `billing` or `billing_reads`; `all` if one pool serves all of these.
    pub name: &'static str,
    pub open: u32,
    /// Open connections that are not in use.
    pub idle: u32,
    /// Maximum number of open connections.
    pub most: u32,
    /// Waits for a connection since the start, successful or not.
    pub waits: u64,
    /// Waits that ended without a connection because none was free in time.
    pub timed_out: u64,
    /// Total time of all waits.
    pub waited: Duration,
}
