//! The log of numbered events, read after or before a number.

use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

use super::Events;
use crate::db::{Millis, list, on};
use crate::{AccountId, ScopeName, StoreError};

/// Numbers that one query scans. Bounds the time of a query for an account that watches few companies.
const NUMBERS_OF_A_QUERY: i64 = 5_000;

/// Queries of one reading. Bounds the time of a call.
const QUERIES_OF_A_READING: usize = 40;

/// An event of the log.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct LoggedEvent {
    pub seq: i64,
    pub id: String,
    pub kind: String,
    /// JSON text, as delivered.
    pub payload: String,
    #[sqlx(try_from = "Millis")]
    pub detected_at: OffsetDateTime,
}

/// The range of numbers in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogPosition {
    /// Events up to this number are deleted.
    pub swept: i64,
    /// The last assigned number.
    pub last: i64,
}

impl Events<'_> {
    /// The range of numbers in the log.
    pub async fn position(&self) -> Result<LogPosition, StoreError> {
        const POSITION: &str =
            "select name, value from counter where name in ('event_seq', 'event_swept')";
        let counters: Vec<(String, i64)> = on!(&self.store.reads, |pool| sqlx::query_as(POSITION)
            .fetch_all(pool)
            .await)?;
        let value = |name: &str| {
            let counter = counters.iter().find(|counter| counter.0 == name);
            counter.map_or(0, |counter| counter.1)
        };
        Ok(LogPosition {
            swept: value("event_swept"),
            last: value("event_seq"),
        })
    }

    /// At most `limit` events after a number, in order, and the number up to which the search is complete, which may be
    /// smaller than the last one. Includes events of companies that the account watched when they were numbered, filtered by the kinds of the subscription
    /// and the given scopes.
    pub async fn logged_after(
        &self,
        account: AccountId,
        scopes: &[ScopeName],
        after: i64,
        limit: u32,
    ) -> Result<(Vec<LoggedEvent>, i64), StoreError> {
        let db = &self.store.reads;
        let last = self.position().await?.last;
        let sql = self.selecting("order by e.seq");
        let scopes = list(scopes.iter().map(ScopeName::as_str));
        let mut from = after;
        for _ in 0..QUERIES_OF_A_READING {
            if from >= last {
                break;
            }
            let to = last.min(from + NUMBERS_OF_A_QUERY);
            let found: Vec<LoggedEvent> =
                on!(db, |pool| sqlx::query_as(AssertSqlSafe(sql.as_str()))
                    .bind(from)
                    .bind(to)
                    .bind(account)
                    .bind(&scopes)
                    .bind(i64::from(limit))
                    .fetch_all(pool)
                    .await)
                .map_err(StoreError::reading("event"))?;
            let is_full = u32::try_from(found.len()).is_ok_and(|found| found == limit);
            if let Some(newest) = found.last() {
                let reached = if is_full { newest.seq } else { to };
                return Ok((found, reached));
            }
            from = to;
        }
        Ok((Vec::new(), from.max(after)))
    }

    /// At most `limit` events after the first and before the second number, newest first, and the number before which
    /// the search continues; `None` at its end. Selects the same events as [`Self::logged_after`].
    pub async fn logged_between(
        &self,
        account: AccountId,
        scopes: &[ScopeName],
        (first, before): (i64, i64),
        limit: u32,
    ) -> Result<(Vec<LoggedEvent>, Option<i64>), StoreError> {
        let db = &self.store.reads;
        let sql = self.selecting("order by e.seq desc");
        let scopes = list(scopes.iter().map(ScopeName::as_str));
        let mut to = before - 1;
        for _ in 0..QUERIES_OF_A_READING {
            if to <= first {
                return Ok((Vec::new(), None));
            }
            let from = first.max(to - NUMBERS_OF_A_QUERY);
            let found: Vec<LoggedEvent> =
                on!(db, |pool| sqlx::query_as(AssertSqlSafe(sql.as_str()))
                    .bind(from)
                    .bind(to)
                    .bind(account)
                    .bind(&scopes)
                    .bind(i64::from(limit))
                    .fetch_all(pool)
                    .await)
                .map_err(StoreError::reading("event"))?;
            let is_full = u32::try_from(found.len()).is_ok_and(|found| found == limit);
            if let Some(oldest) = found.last() {
                let reached = if is_full { oldest.seq } else { from + 1 };
                return Ok((found, (reached > first + 1).then_some(reached)));
            }
            to = from;
        }
        Ok((Vec::new(), Some(to + 1)))
    }

    /// The query of an account's events in a range of numbers.
    fn selecting(&self, order: &str) -> String {
        format!(
            "select e.seq, e.id, e.kind, e.payload, e.detected_at from event e \
             where e.seq > $1 and e.seq <= $2 and (e.scope is null or {}) and exists ( \
                select 1 from subscription s where s.account_id = $3 and s.ico = e.ico \
                and (e.seq > s.since_seq or (s.since_seq is null and e.detected_at >= s.created_at)) \
                and (s.ended_at is null or e.seq <= s.until_seq or (s.until_seq is null and e.detected_at < s.ended_at)) \
                and (s.kinds is null or s.kinds like '%,' || e.kind || ',%')) \
             {order} limit $5",
            self.store.reads.is_listed("e.scope", 4)
        )
    }
}
