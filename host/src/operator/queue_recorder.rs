//! Samples the lengths of the queues, for the plots on the operator's page.
//!
//! The queues are in the store, so every host would count the same. One of the hosts counts at a time, under a lease,
//! and all show the same samples.

use std::time::Duration;

use time::OffsetDateTime;

use crate::context::Context;
use crate::store::{QueueSample, StoreError};

/// Interval of the samples.
pub const INTERVAL: time::Duration = time::Duration::minutes(5);

/// Time over which samples are kept and shown.
pub const SHOWN: time::Duration = time::Duration::hours(24);

/// How often a host looks whether a sample is due.
const POLL: Duration = Duration::from_secs(30);

const LEASE: Duration = Duration::from_secs(120);
const LEASE_NAME: &str = "queue-samples";

/// Samples the queues.
#[derive(Clone)]
pub struct QueueRecorder {
    context: Context,
    host: String,
}

impl QueueRecorder {
    /// Creates the recorder of a host. `host` names this process in leases.
    #[must_use]
    pub fn new(context: Context, host: String) -> Self {
        Self { context, host }
    }

    /// Takes the sample of the present interval, unless there is one. `false`: there is one, or another host takes it.
    ///
    /// # Errors
    /// The store failed.
    pub async fn step(&self) -> Result<bool, StoreError> {
        let (store, now) = (&self.context.store, self.context.now());
        let at = begin(now);
        let samples = store.queue_samples();
        if samples.has(at).await? {
            return Ok(false);
        }
        let leases = store.leases();
        if !leases.acquire(LEASE_NAME, &self.host, LEASE, now).await? {
            return Ok(false);
        }
        let sample = QueueSample {
            at,
            deliveries: store.deliveries().backlog(now).await?.0,
            mail: store.mail().waiting().await?,
            batches: store.batches().backlog(now).await?.unfinished,
            events: store.events().waiting().await?,
        };
        samples.put(&sample, at - SHOWN).await
    }

    /// Worker loop of the recorder.
    pub async fn run(self) {
        loop {
            if let Err(error) = self.step().await {
                tracing::warn!(%error, "the queues could not be sampled; retrying in {} s", POLL.as_secs());
            }
            tokio::time::sleep(POLL).await;
        }
    }
}

/// The beginning of the interval that contains a time.
fn begin(now: OffsetDateTime) -> OffsetDateTime {
    let within = now.unix_timestamp().rem_euclid(INTERVAL.whole_seconds());
    let within =
        time::Duration::seconds(within) + time::Duration::nanoseconds(now.nanosecond().into());
    now - within
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn interval_begins_at_full_five_minutes() {
        let now = datetime!(2026-01-15 08:04:59.999 UTC);
        assert_eq!(begin(now), datetime!(2026-01-15 08:00 UTC));
        assert_eq!(begin(begin(now)), begin(now));
    }
}
