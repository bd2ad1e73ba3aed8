//! Counters of one connector's calls, shared by all its generations.
//!
//! The only source of the numbers in `/metrics`, in lists and in the status. A call updates five atomics.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lustra_store::FailureKind;

/// Upper bounds of the latency histogram in seconds.
pub const BOUNDS: [f64; 14] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0,
];

/// What one call used.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cost {
    /// HTTP requests, including redirects and retries.
    pub requests: u64,
    /// CPU time of guest code and of the host's work for it.
    pub cpu: Duration,
    /// Peak memory in bytes.
    pub memory_high: u64,
    /// Wall time from start to result.
    pub wall: Duration,
}

#[derive(Debug, Default)]
pub struct Stats {
    calls: AtomicU64,
    in_flight: AtomicU64,
    failures: [AtomicU64; FailureKind::ALL.len()],
    /// One counter per bound, plus one for longer calls.
    latency: [AtomicU64; BOUNDS.len() + 1],
    latency_micros: AtomicU64,
    memory_high: AtomicU64,
    cpu_micros: AtomicU64,
    requests: AtomicU64,
}

/// A snapshot of the counters.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// Number of finished calls.
    pub calls: u64,
    /// Calls in flight, each with its own instance.
    pub in_flight: u64,
    /// Non-zero failure counts by kind.
    pub failures: Vec<(FailureKind, u64)>,
    /// Calls per bucket of [`BOUNDS`] plus one bucket for longer calls; not cumulative.
    pub latency: Vec<u64>,
    /// Sum of the latencies of all calls in seconds.
    pub latency_seconds: f64,
    /// Peak memory of any instance in bytes.
    pub memory_high: u64,
    /// CPU seconds of all calls.
    pub cpu_seconds: f64,
    /// HTTP requests of all calls.
    pub requests: u64,
}

impl Stats {
    /// Counts a call as in flight until the returned guard is dropped.
    pub fn start(self: &std::sync::Arc<Self>) -> InFlight {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        InFlight(std::sync::Arc::clone(self))
    }

    /// Records a finished call.
    pub fn end(&self, cost: &Cost, failure: Option<FailureKind>) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let seconds = cost.wall.as_secs_f64();
        let place = BOUNDS.partition_point(|bound| *bound < seconds);
        if let Some(bucket) = self.latency.get(place) {
            bucket.fetch_add(1, Ordering::Relaxed);
        }
        self.latency_micros
            .fetch_add(micros(cost.wall), Ordering::Relaxed);
        self.cpu_micros
            .fetch_add(micros(cost.cpu), Ordering::Relaxed);
        self.memory_high
            .fetch_max(cost.memory_high, Ordering::Relaxed);
        self.requests.fetch_add(cost.requests, Ordering::Relaxed);
        if let Some(kind) = failure {
            self.failed(kind);
        }
    }

    /// Records a failure of a call that did not start, or of an answer that arrived.
    pub fn failed(&self, kind: FailureKind) {
        if let Some(counter) = self.failures.get(kind as usize) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Records a batch of an import: its memory and, if it failed, the kind. Its time does not count as latency of a
    /// look-up.
    pub fn import_step(&self, memory_high: u64, failure: Option<FailureKind>) {
        self.memory_high.fetch_max(memory_high, Ordering::Relaxed);
        if let Some(kind) = failure {
            self.failed(kind);
        }
    }

    #[must_use]
    pub fn snapshot(&self) -> Seen {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let failures = FailureKind::ALL
            .iter()
            .zip(&self.failures)
            .map(|(kind, counter)| (*kind, load(counter)))
            .filter(|(_, count)| *count > 0);
        Seen {
            calls: load(&self.calls),
            in_flight: load(&self.in_flight),
            failures: failures.collect(),
            latency: self.latency.iter().map(load).collect(),
            latency_seconds: seconds(load(&self.latency_micros)),
            memory_high: load(&self.memory_high),
            cpu_seconds: seconds(load(&self.cpu_micros)),
            requests: load(&self.requests),
        }
    }
}

impl Seen {
    /// The latency that this share of calls stayed within, in seconds: the upper bound of its bucket. `None` without
    /// calls or beyond the last bound.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Option<f64> {
        #[expect(
            clippy::cast_precision_loss,
            reason = "a share of counts far below 2^52"
        )]
        let wanted = self.latency.iter().sum::<u64>() as f64 * share;
        let mut below = 0;
        for (count, bound) in self.latency.iter().zip(BOUNDS) {
            below += count;
            #[expect(
                clippy::cast_precision_loss,
                reason = "a share of counts far below 2^52"
            )]
            if below > 0 && below as f64 >= wanted {
                return Some(bound);
            }
        }
        None
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

#[expect(clippy::cast_precision_loss, reason = "microseconds far below 2^52")]
fn seconds(micros: u64) -> f64 {
    micros as f64 / 1e6
}

/// Guard of a call in flight.
#[derive(Debug)]
pub struct InFlight(std::sync::Arc<Stats>);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}
