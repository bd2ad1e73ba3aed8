//! Counters of the requests to one upstream address, for `/metrics`.
//!
//! An attempt is one HTTP request that is sent: retries and redirects are attempts of their own.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Upper bounds of the histogram of attempts in seconds.
pub const BOUNDS: [f64; 10] = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0];

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// A status of these hundreds.
    Informational,
    Success,
    Redirect,
    ClientError,
    ServerError,
    /// No response within the upstream's timeout.
    Timeout,
    /// No connection, or one that broke.
    Transport,
    /// The address is one that connectors may not reach.
    Blocked,
}

impl AttemptOutcome {
    pub const ALL: [Self; 8] = [
        Self::Informational,
        Self::Success,
        Self::Redirect,
        Self::ClientError,
        Self::ServerError,
        Self::Timeout,
        Self::Transport,
        Self::Blocked,
    ];

    /// The word in metrics: the class of the status, or why there is none.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Informational => "1xx",
            Self::Success => "2xx",
            Self::Redirect => "3xx",
            Self::ClientError => "4xx",
            Self::ServerError => "5xx",
            Self::Timeout => "timeout",
            Self::Transport => "transport",
            Self::Blocked => "blocked",
        }
    }

    pub(super) fn of_status(status: u16) -> Self {
        match status {
            ..200 => Self::Informational,
            200..300 => Self::Success,
            300..400 => Self::Redirect,
            400..500 => Self::ClientError,
            500.. => Self::ServerError,
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Counts {
    outcomes: [AtomicU64; AttemptOutcome::ALL.len()],
    /// One counter per bound, plus one for longer attempts.
    latency: [AtomicU64; BOUNDS.len() + 1],
    latency_micros: AtomicU64,
    received_bytes: AtomicU64,
    retries: AtomicU64,
    throttled_by_upstream: AtomicU64,
    throttled_by_host: AtomicU64,
    refused_by_circuit: AtomicU64,
}

/// A snapshot of the counters.
#[derive(Debug, Clone, PartialEq)]
pub struct UpstreamCounts {
    /// Attempts by outcome.
    pub outcomes: Vec<(AttemptOutcome, u64)>,
    /// Attempts per bucket of [`BOUNDS`] plus one for longer ones; not cumulative.
    pub latency: Vec<u64>,
    /// Sum of the times of all attempts, until the head of the response or the failure.
    pub latency_seconds: f64,
    /// Bytes of bodies, after a transparent `content-encoding`.
    pub received_bytes: u64,
    /// Attempts that repeat one that failed.
    pub retries: u64,
    /// Responses that asked the host to pause.
    pub throttled_by_upstream: u64,
    /// Requests that would have waited too long for the rate limit or the end of a pause.
    pub throttled_by_host: u64,
    /// Requests that were not sent because the circuit was open.
    pub refused_by_circuit: u64,
}

impl Counts {
    pub(super) fn attempt(&self, outcome: AttemptOutcome, took: Duration) {
        add(&self.outcomes[outcome as usize], 1);
        let seconds = took.as_secs_f64();
        let place = BOUNDS.partition_point(|bound| *bound < seconds);
        add(&self.latency[place], 1);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        add(&self.latency_micros, micros);
    }

    pub(super) fn received(&self, bytes: usize) {
        add(&self.received_bytes, bytes as u64);
    }

    pub(super) fn retried(&self) {
        add(&self.retries, 1);
    }

    pub(super) fn throttled_by_upstream(&self) {
        add(&self.throttled_by_upstream, 1);
    }

    pub(super) fn throttled_by_host(&self) {
        add(&self.throttled_by_host, 1);
    }

    pub(super) fn refused_by_circuit(&self) {
        add(&self.refused_by_circuit, 1);
    }

    pub(super) fn snapshot(&self) -> UpstreamCounts {
        let outcomes = AttemptOutcome::ALL.iter().zip(&self.outcomes);
        #[expect(clippy::cast_precision_loss, reason = "microseconds far below 2^52")]
        let latency_seconds = load(&self.latency_micros) as f64 / 1e6;
        UpstreamCounts {
            outcomes: outcomes
                .map(|(outcome, count)| (*outcome, load(count)))
                .collect(),
            latency: self.latency.iter().map(load).collect(),
            latency_seconds,
            received_bytes: load(&self.received_bytes),
            retries: load(&self.retries),
            throttled_by_upstream: load(&self.throttled_by_upstream),
            throttled_by_host: load(&self.throttled_by_host),
            refused_by_circuit: load(&self.refused_by_circuit),
        }
    }
}

fn add(counter: &AtomicU64, more: u64) {
    counter.fetch_add(more, Ordering::Relaxed);
}

fn load(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}
