//! Rate limits of outgoing messages: counters over time windows, shared by all hosts.

use std::time::Duration;

use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

use super::db::{Tx, list, millis, on};
use super::{Store, StoreError};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendLimit {
    /// The counter's key, such as `test to a@b.sk`.
    pub key: String,
    /// The maximum within a window.
    pub most: u32,
    /// Length of the window; it begins with the first counted message.
    pub window: Duration,
}

/// The result of a request against rate limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Granted {
    /// How many messages were counted and may be sent.
    pub count: u32,
    /// If that is fewer than wanted: when the next one may be sent.
    pub until: Option<OffsetDateTime>,
}

/// Rate limit counters of outgoing messages.
#[derive(Debug, Clone, Copy)]
pub struct SendLimits<'a> {
    pub(super) store: &'a Store,
}

impl SendLimits<'_> {
    /// Counts as many of `wanted` messages as every limit allows.
    pub async fn take(
        &self,
        limits: &[SendLimit],
        wanted: u32,
        now: OffsetDateTime,
    ) -> Result<Granted, StoreError> {
        let mut tx = self.store.writes.begin().await?;
        let granted = take_in(&mut tx, limits, wanted, now).await?;
        tx.commit().await?;
        Ok(granted)
    }

    /// Deletes at most `limit` counters whose windows began before a time, and returns their number.
    pub async fn sweep(&self, before: OffsetDateTime, limit: u32) -> Result<u64, StoreError> {
        let counters = self.store.old_rows();
        counters
            .sweep("sending", "key", "since < $1", millis(before), limit)
            .await
    }
}

/// Like [`SendLimits::take`], within a transaction.
pub(super) async fn take_in(
    tx: &mut Tx,
    limits: &[SendLimit],
    wanted: u32,
    now: OffsetDateTime,
) -> Result<Granted, StoreError> {
    let mut limits: Vec<&SendLimit> = limits.iter().collect();
    // Lock in key order to avoid deadlocks.
    limits.sort_by(|one, other| one.key.cmp(&other.key));
    let mut granted = Granted {
        count: wanted,
        until: None,
    };
    for limit in &limits {
        let (since, used) = opened(tx, limit, now).await?;
        let left = u32::try_from(i64::from(limit.most) - used).unwrap_or(0);
        if left < granted.count {
            granted.count = left;
        }
        if left < wanted {
            let end = since + limit.window;
            granted.until = Some(granted.until.map_or(end, |until| until.max(end)));
        }
    }
    if granted.count > 0 {
        let keys = list(limits.iter().map(|limit| limit.key.as_str()));
        let sql = format!(
            "update sending set used = used + $2 where {}",
            tx.is_listed("key", 1)
        );
        on!(tx, |tx| sqlx::query(AssertSqlSafe(sql))
            .bind(keys)
            .bind(i64::from(granted.count))
            .execute(&mut **tx)
            .await
            .map(drop))?;
    }
    Ok(granted)
}

/// Locks a counter and returns its current window: the start and the count.
async fn opened(
    tx: &mut Tx,
    limit: &SendLimit,
    now: OffsetDateTime,
) -> Result<(OffsetDateTime, i64), StoreError> {
    const OPEN: &str = "insert into sending (key, since, used) values ($1, $2, 0) \
        on conflict (key) do update set \
        used = case when sending.since <= $3 then 0 else sending.used end, \
        since = case when sending.since <= $3 then excluded.since else sending.since end \
        returning since, used";
    let (since, used): (i64, i64) = on!(tx, |tx| sqlx::query_as(OPEN)
        .bind(&limit.key)
        .bind(millis(now))
        .bind(millis(now - limit.window))
        .fetch_one(&mut **tx)
        .await)?;
    let since = OffsetDateTime::from_unix_timestamp_nanos(i128::from(since) * 1_000_000);
    Ok((since.unwrap_or(now), used))
}
