//! What the ledger of this host refused and refunded, for metrics.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers since the start of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LedgerCounts {
    /// Calls refused because the account has no credits or calls left.
    pub refused: u64,
    /// Charged calls that were refunded.
    pub refunded: u64,
}

/// The counters. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Counters(Arc<(AtomicU64, AtomicU64)>);

impl Counters {
    pub(super) fn refused(&self) {
        self.0.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn refunded(&self) {
        self.0.1.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn see(&self) -> LedgerCounts {
        LedgerCounts {
            refused: self.0.0.load(Ordering::Relaxed),
            refunded: self.0.1.load(Ordering::Relaxed),
        }
    }
}
