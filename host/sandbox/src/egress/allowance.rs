//! What one call of a connector may still use at its upstreams.
//!
//! Shared by the call and by every body it opened, so that two bodies read at once don't each get the whole.
//! Memory, CPU and wall time are the sandbox's limits, not kept here.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::failure::Refusal;

/// The limits of one call.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Requests, counting redirects and the host's own retries.
    pub requests: u64,
    /// Bytes of all bodies together, as they arrive (after a transparent `content-encoding`), and of all archives
    /// that are kept on disk.
    pub bytes: u64,
    /// Bytes of one body, at each layer of its decoders.
    pub body: u64,
    /// Bytes that `read_all` and `text` may give in one piece.
    pub piece: u64,
    /// Redirects that one request may follow.
    pub redirects: u32,
    /// How many times larger than its packed form a stream may become, once it is over 1 MiB.
    pub archive_ratio: u64,
    /// Entries of one archive.
    pub archive_entries: usize,
    /// The existing directory in which archives are kept while they are read.
    pub spool: PathBuf,
    /// How long one request may wait for its turns at an upstream.
    pub patience: Duration,
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
    /// An untouched allowance.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            requests: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            spooled: AtomicU64::new(0),
        }
    }

    /// The limits it began with.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Requests sent so far, redirects and retries among them.
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

    /// Counts bytes that arrived. Past the limit nothing is left, so that every other body ends too.
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

    /// Counts bytes of archives that are kept on disk; archives within archives never came over the wire.
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

    /// Checks the size of a piece.
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

/// Adds to a counter unless that passes the limit, and says whether it did.
fn take(used: &AtomicU64, count: u64, limit: u64) -> bool {
    let added = used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
        used.checked_add(count).filter(|sum| *sum <= limit)
    });
    added.is_ok()
}
