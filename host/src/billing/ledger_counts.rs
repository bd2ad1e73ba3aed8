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
pub(super) struct Counters(Arc<Numbers>);

#[derive(Debug, Default)]
struct Numbers {
    refused: AtomicU64,
    refunded: AtomicU64,
}

impl Counters {
    pub(super) fn refused(&self) {
        self.0.refused.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn refunded(&self) {
        self.0.refunded.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn snapshot(&self) -> LedgerCounts {
        LedgerCounts {
            refused: self.0.refused.load(Ordering::Relaxed),
            refunded: self.0.refunded.load(Ordering::Relaxed),
        }
    }
}
