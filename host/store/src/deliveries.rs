//! Events on their way to targets: claimed by one host at a time, tried until they arrive, each try written down.
//!
//! Deliveries wait in queues, one for each host that they go to, so that a host that does not answer holds up its own
//! only. A claim raises a delivery's lease number, and only who has the newest writes what became of it; of a claim
//! that nobody finished, the next one writes an attempt with the outcome `unknown`.

mod claim;
mod record;
mod shown;

use time::OffsetDateTime;

pub use claim::{ClaimedDelivery, DeliveredEvent};
pub(super) use claim::{lock_queues, lock_queues_of};
pub use record::{Attempt, Outcome, State};
pub use shown::{DeliveriesOfAccount, ResendLimit, ShownAttempt, ShownDelivery, WhichDeliveries};

use super::db::{millis, on};
use super::{Store, StoreError};

/// Events on their way to targets.
#[derive(Debug, Clone, Copy)]
pub struct Deliveries<'a> {
    pub(super) store: &'a Store,
}

impl Deliveries<'_> {
    /// How many deliveries wait, and how many of them are due.
    pub async fn backlog(&self, now: OffsetDateTime) -> Result<(i64, i64), StoreError> {
        const BACKLOG: &str = "select count(*), count(case when due_at <= $1 then 1 end) from delivery \
            where due_at is not null";
        Ok(on!(&self.store.reads, |pool| sqlx::query_as(BACKLOG)
            .bind(millis(now))
            .fetch_one(pool)
            .await)?)
    }

    /// When the next delivery is due that is not held up by its host. None: none waits.
    pub async fn next_due(&self) -> Result<Option<i64>, StoreError> {
        const NEXT: &str = "select min(case when resting_until > due_at then resting_until else due_at end) \
            from endpoint where due_at is not null";
        Ok(on!(&self.store.reads, |pool| sqlx::query_scalar(NEXT)
            .fetch_one(pool)
            .await)?)
    }
}
