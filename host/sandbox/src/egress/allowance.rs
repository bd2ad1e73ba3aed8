//! The remaining resource limits of one connector call at its upstreams.
//!
//! The call shares its allowance with every body that it opens, so the limits hold for all of them together. The
//! sandbox enforces memory, CPU and wall-time limits elsewhere.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::failure::Refusal;

/// The limits of one call.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Requests, including redirects and the host's own retries.
    pub requests: u64,
    /// Bytes of all bodies together, as they arrive (after a transparent `content-encoding`). The same limit applies
    /// separately to all archives that are spooled to disk.
    pub bytes: u64,
    /// Bytes of one body at each layer of its decoders.
    pub body: u64,
    /// Bytes that one `read_all` or `text` may return.
    pub piece: u64,
    /// Redirects that one request may follow.
    pub redirects: u32,
    /// Highest ratio of decoded to encoded size; checked for streams above 1 MiB.
    pub archive_ratio: u64,
    /// Entries in one archive.
    pub archive_entries: usize,
    /// The existing directory where archives are spooled while they are read.
    pub spool: PathBuf,
    /// How long one request may wait in an upstream's queue.
    pub max_wait: Duration,
}

/// What is left of a call's limits.
#[derive(Debug)]
pub struct Allowance {
    limits: Limits,
    requests: AtomicU64,
    bytes: AtomicU64,
    spooled: AtomicU64,
}

impl Allowance {
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            requests: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            spooled: AtomicU64::new(0),
        }
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Requests sent so far, including redirects and retries.
    pub fn requests_made(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Requests that may still be sent.
    pub fn requests_left(&self) -> u64 {
        self.limits.requests.saturating_sub(self.requests_made())
    }

    /// Bytes that may still arrive.
    pub fn bytes_left(&self) -> u64 {
        let used = self.bytes.load(Ordering::Relaxed);
        self.limits.bytes.saturating_sub(used)
    }

    /// Counts one request, or refuses it.
    ///
    /// # Errors
    /// [`Refusal::Limit`].
    pub fn take_request(&self) -> Result<(), Refusal> {
        if take(&self.requests, 1, self.limits.requests) {
            return Ok(());
        }
        Err(Refusal::Limit {
            name: "requests",
            limit: self.limits.requests,
        })
    }

    /// Counts received bytes. When the limit is exceeded, the rest is used up, so that every other body fails too.
    pub(super) fn take_bytes(&self, count: u64) -> Result<(), Refusal> {
        if take(&self.bytes, count, self.limits.bytes) {
            return Ok(());
        }
        self.bytes.store(self.limits.bytes, Ordering::Relaxed);
        Err(Refusal::Limit {
            name: "bytes",
            limit: self.limits.bytes,
        })
    }

    /// Counts bytes of spooled archives. Nested archives count here, but did not arrive from the network.
    pub(super) fn take_spool(&self, count: u64) -> Result<(), Refusal> {
        if take(&self.spooled, count, self.limits.bytes) {
            return Ok(());
        }
        Err(Refusal::Limit {
            name: "archives",
            limit: self.limits.bytes,
        })
    }

    /// Checks the size of one body at one of its layers.
    pub(super) fn check_body(&self, size: u64) -> Result<(), Refusal> {
        within("body", size, self.limits.body)
    }

    /// Checks the size of one returned piece.
    pub(super) fn check_piece(&self, size: u64) -> Result<(), Refusal> {
        within("piece", size, self.limits.piece)
    }
}

fn within(name: &'static str, size: u64, limit: u64) -> Result<(), Refusal> {
    if size > limit {
        return Err(Refusal::Limit { name, limit });
    }
    Ok(())
}

/// Adds to a counter unless the sum exceeds the limit; returns whether it was added.
fn take(used: &AtomicU64, count: u64, limit: u64) -> bool {
    let added = used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
        used.checked_add(count).filter(|sum| *sum <= limit)
    });
    added.is_ok()
}
