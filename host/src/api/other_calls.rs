//! Rate limit of calls that are not look-ups: account, notifications and batch progress.
//!
//! Counted in memory, per host, account and clock minute: such calls are frequent and cheap, and counting them
//! in the store would cost more than answering them. They never use up the look-ups of a plan.

use std::sync::Arc;

use time::OffsetDateTime;

use crate::minute_limit::MinuteLimit;
use crate::store::AccountId;

/// Calls of each account in the current minute. Clones share the counts.
#[derive(Clone)]
pub struct OtherCalls {
    /// Maximum per account and minute; 0 means unlimited.
    most: u32,
    counted: Arc<MinuteLimit<AccountId>>,
}

impl OtherCalls {
    /// Allows each account `most` calls per minute; 0 means unlimited.
    #[must_use]
    pub fn new(most: u32) -> Self {
        // Only accounts with a valid key are counted.
        let counted = Arc::new(MinuteLimit::new(usize::MAX));
        Self { most, counted }
    }

    /// Counts a call.
    ///
    /// # Errors
    /// The account has reached its limit. The value is the number of seconds until the next minute, at least 1.
    pub(super) fn admit(&self, account_id: AccountId, now: OffsetDateTime) -> Result<(), u64> {
        self.counted.admit(account_id, self.most, now)
    }
}
