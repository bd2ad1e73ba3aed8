//! The delivery queue of events to their targets. Hosts claim deliveries, retry until success, and record every
//! attempt.
//!
//! Each target host has its own queue, so an unresponsive host delays only its own deliveries. A claim increments the
//! delivery's lease number, and only the newest lease may write the outcome. If a claim ends without an outcome, the
//! next claim records an attempt with the outcome `unknown`.

mod cancel;
mod claim;
mod queues;
mod record;
mod resend;
mod shown;
mod wake;

use time::OffsetDateTime;

pub(super) use cancel::{cancel_channel_of, cancel_of, cancel_of_all};
pub use claim::{Channel, ClaimedDelivery, DeliveredEvent};
pub(super) use queues::{lock_queues, lock_queues_of};
pub use record::{Attempt, AttemptOutcome, State};
pub use resend::MissedTarget;
pub use shown::{
    DeliveriesOfAccount, DeliveryFilter, DeliveryStates, ResendLimit, ShownAttempt, ShownDelivery,
};
pub(super) use wake::wake_endpoints;

use super::db::{millis, on};
use super::{Store, StoreError};

/// The delivery queue of all accounts.
#[derive(Debug, Clone, Copy)]
pub struct Deliveries<'a> {
    pub(super) store: &'a Store,
}

impl Deliveries<'_> {
    /// Returns the number of waiting deliveries and how many of them are due.
    pub async fn backlog(&self, now: OffsetDateTime) -> Result<(i64, i64), StoreError> {
        const BACKLOG: &str = "select count(*), count(case when due_at <= $1 then 1 end) from delivery \
            where due_at is not null";
        Ok(on!(&self.store.reads, |pool| sqlx::query_as(BACKLOG)
            .bind(millis(now))
            .fetch_one(pool)
            .await)?)
    }

    /// When the next delivery is due, in milliseconds since 1970, including the cooldown of its queue. `None`: no
    /// delivery waits.
    pub async fn next_due(&self) -> Result<Option<i64>, StoreError> {
        const NEXT: &str = "select min(case when resting_until > due_at then resting_until else due_at end) \
            from endpoint where due_at is not null";
        Ok(on!(&self.store.reads, |pool| sqlx::query_scalar(NEXT)
            .fetch_one(pool)
            .await)?)
    }
}
