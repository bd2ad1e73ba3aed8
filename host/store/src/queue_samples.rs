//! Lengths of the queues over time.
//!
//! The queues are shared by all hosts, and so are their samples: one for each interval, whichever host takes it.

use time::OffsetDateTime;

use super::db::{Millis, millis, on};
use super::{Store, StoreError};

/// Lengths of the queues at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub struct QueueSample {
    #[sqlx(try_from = "Millis")]
    pub at: OffsetDateTime,
    /// Deliveries that wait or are being sent.
    pub deliveries: i64,
    /// E-mails that wait or are being sent.
    pub mail: i64,
    /// Unfinished parts of batches.
    pub batches: i64,
    /// Events that were not fanned out yet.
    pub events: i64,
}

#[derive(Debug, Clone, Copy)]
pub struct QueueSamples<'a> {
    pub(super) store: &'a Store,
}

impl QueueSamples<'_> {
    /// Whether there is a sample of this time.
    ///
    /// # Errors
    /// The database failed.
    pub async fn has(&self, at: OffsetDateTime) -> Result<bool, StoreError> {
        const HAS: &str = "select 1 from queue_sample where at = $1";
        let found: Option<i32> = on!(&self.store.reads, |pool| sqlx::query_scalar(HAS)
            .bind(millis(at))
            .fetch_optional(pool)
            .await)?;
        Ok(found.is_some())
    }

    /// Stores a sample unless there is one of its time, and deletes those before `keep_from`. `false`: there was one.
    ///
    /// # Errors
    /// The database failed.
    pub async fn put(
        &self,
        sample: &QueueSample,
        keep_from: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        const PUT: &str = "insert into queue_sample (at, deliveries, mail, batches, events) \
            values ($1, $2, $3, $4, $5) on conflict do nothing";
        const SWEEP: &str = "delete from queue_sample where at < $1";
        let mut tx = self.store.writes.begin().await?;
        let put = on!(&mut tx, |tx| sqlx::query(PUT)
            .bind(millis(sample.at))
            .bind(sample.deliveries)
            .bind(sample.mail)
            .bind(sample.batches)
            .bind(sample.events)
            .execute(&mut **tx)
            .await
            .map(|done| done.rows_affected()))?;
        on!(&mut tx, |tx| sqlx::query(SWEEP)
            .bind(millis(keep_from))
            .execute(&mut **tx)
            .await
            .map(drop))?;
        tx.commit().await?;
        Ok(put > 0)
    }

    /// The samples from a time on, oldest first.
    ///
    /// # Errors
    /// The database failed.
    pub async fn since(&self, from: OffsetDateTime) -> Result<Vec<QueueSample>, StoreError> {
        const SINCE: &str = "select at, deliveries, mail, batches, events from queue_sample \
            where at >= $1 order by at";
        on!(&self.store.reads, |pool| sqlx::query_as(SINCE)
            .bind(millis(from))
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading("queue_sample"))
    }
}
