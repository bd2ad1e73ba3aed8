//! Claims parts, extends their leases and writes their results.

use std::time::Duration;

use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

use super::{BatchKind, Batches, keys};
use crate::StoreError;
use crate::db::{Tx, millis, on};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedPart {
    pub batch_id: String,
    pub part: i64,
    pub kind: BatchKind,
    /// The scopes of the batch.
    pub scopes: Option<String>,
    pub keys: Vec<String>,
    /// Number of this claim of the part; only the newest may write.
    pub attempt: i64,
}

/// Results of a part's items, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BatchCounts {
    pub found: i64,
    pub not_found: i64,
    pub failed: i64,
}

/// Unfinished parts of all batches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, sqlx::FromRow)]
pub struct Backlog {
    pub unfinished: i64,
    /// Unfinished parts that a host is working on.
    pub claimed: i64,
}

#[derive(sqlx::FromRow)]
struct Claim {
    batch_id: String,
    part: i64,
    attempt: i64,
    keys: String,
}

#[derive(sqlx::FromRow)]
struct Kind {
    #[sqlx(try_from = "String")]
    kind: BatchKind,
    scopes: Option<String>,
}

impl Batches<'_> {
    /// Claims the next part for `lease`: one that is unclaimed, whose lease has ended, or that this worker has claimed
    /// before. A worker has one part at a time. If it claims again, the connection broke before it received its earlier
    /// claim.
    pub async fn claim(
        &self,
        worker: &str,
        lease: Duration,
        now: OffsetDateTime,
    ) -> Result<Option<ClaimedPart>, StoreError> {
        if !self.is_due(worker, now).await? {
            // Check with a read first: on `SQLite` a claim takes the write lock even if it finds no part.
            return Ok(None);
        }
        let mut tx = self.store.writes.begin().await?;
        let Some(claim) = claim_next(&mut tx, worker, now + lease, now).await? else {
            return Ok(None);
        };
        let Kind { kind, scopes } = start(&mut tx, &claim.batch_id, now).await?;
        tx.commit().await?;
        Ok(Some(ClaimedPart {
            keys: keys(&claim.keys)?,
            batch_id: claim.batch_id,
            part: claim.part,
            kind,
            scopes,
            attempt: claim.attempt,
        }))
    }

    async fn is_due(&self, worker: &str, now: OffsetDateTime) -> Result<bool, StoreError> {
        const DUE: &str = "select 1 from batch_part \
            where finished_at is null and (lease_until is null or lease_until <= $1 or owner = $2) limit 1";
        let due: Option<i32> = on!(&self.store.reads, |pool| sqlx::query_scalar(DUE)
            .bind(millis(now))
            .bind(worker)
            .fetch_optional(pool)
            .await)?;
        Ok(due.is_some())
    }

    /// Extends a claim until `now + lease`. `false`: a newer claim exists or the part is finished.
    pub async fn extend(
        &self,
        part: &ClaimedPart,
        lease: Duration,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        const EXTEND: &str = "update batch_part set lease_until = $4 \
            where batch_id = $1 and part = $2 and attempt = $3 and finished_at is null";
        let extended = on!(&self.store.writes, |pool| sqlx::query(EXTEND)
            .bind(&part.batch_id)
            .bind(part.part)
            .bind(part.attempt)
            .bind(millis(now + lease))
            .execute(pool)
            .await
            .map(|done| done.rows_affected()))?;
        Ok(extended > 0)
    }

    /// Writes the results of a part, one line per item. The last part completes the batch, which is then kept for
    /// `keep`. `false`: a newer claim exists or the part is finished, and nothing was written.
    pub async fn finish(
        &self,
        part: &ClaimedPart,
        results: &str,
        counts: BatchCounts,
        keep: Duration,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        self.end(part, results, counts, 0, keep, now).await
    }

    /// Like [`Self::finish`], for a part that is given up; its results report that.
    pub async fn give_up(
        &self,
        part: &ClaimedPart,
        results: &str,
        counts: BatchCounts,
        keep: Duration,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        self.end(part, results, counts, 1, keep, now).await
    }

    async fn end(
        &self,
        part: &ClaimedPart,
        results: &str,
        counts: BatchCounts,
        given_up: i64,
        keep: Duration,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        const WRITE: &str = "update batch_part set results = $4, finished_at = $5, owner = null, lease_until = null \
            where batch_id = $1 and part = $2 and attempt = $3 and finished_at is null";
        // Hosts serialise on the batch's row, so exactly one of them finishes the last part.
        const SUM: &str = "update batch set parts_finished = parts_finished + 1, \
            parts_given_up = parts_given_up + $2, processed = processed + $3 + $4 + $5, found = found + $3, \
            not_found = not_found + $4, failed = failed + $5, \
            completed_at = case when parts_finished + 1 = parts then $6 else completed_at end, \
            expires_at = case when parts_finished + 1 = parts then $7 else expires_at end where id = $1";
        let mut tx = self.store.writes.begin().await?;
        let written = on!(&mut tx, |tx| sqlx::query(WRITE)
            .bind(&part.batch_id)
            .bind(part.part)
            .bind(part.attempt)
            .bind(results)
            .bind(millis(now))
            .execute(&mut **tx)
            .await
            .map(|done| done.rows_affected()))?;
        if written == 0 {
            return Ok(false);
        }
        on!(&mut tx, |tx| sqlx::query(SUM)
            .bind(&part.batch_id)
            .bind(given_up)
            .bind(counts.found)
            .bind(counts.not_found)
            .bind(counts.failed)
            .bind(millis(now))
            .bind(millis(now + keep))
            .execute(&mut **tx)
            .await
            .map(drop))?;
        tx.commit().await?;
        Ok(true)
    }

    /// The remaining work of all hosts.
    pub async fn backlog(&self, now: OffsetDateTime) -> Result<Backlog, StoreError> {
        const BACKLOG: &str = "select count(*) as unfinished, \
            coalesce(sum(case when lease_until > $1 then 1 else 0 end), 0) as claimed \
            from batch_part where finished_at is null";
        Ok(on!(&self.store.reads, |pool| sqlx::query_as(BACKLOG)
            .bind(millis(now))
            .fetch_one(pool)
            .await)?)
    }

    /// Releases the claims of a host and its workers, which are named `host/number`, so that other hosts need not wait
    /// for the leases to end. Returns the number of parts.
    pub async fn release(&self, host: &str) -> Result<u64, StoreError> {
        const RELEASE: &str = "update batch_part set owner = null, lease_until = null \
            where finished_at is null and (owner = $1 or substr(owner, 1, length($1) + 1) = $1 || '/')";
        Ok(on!(&self.store.writes, |pool| sqlx::query(RELEASE)
            .bind(host)
            .execute(pool)
            .await
            .map(|done| done.rows_affected()))?)
    }
}

async fn claim_next(
    tx: &mut Tx,
    worker: &str,
    until: OffsetDateTime,
    now: OffsetDateTime,
) -> Result<Option<Claim>, StoreError> {
    let claim = format!(
        "update batch_part set owner = $1, lease_until = $2, attempt = attempt + 1 where (batch_id, part) = \
        (select batch_id, part from batch_part where finished_at is null and (lease_until is null or lease_until <= $3 or owner = $1) \
        order by turn, batch_id, part limit 1{}) returning batch_id, part, attempt, keys",
        tx.skipping_locked()
    );
    Ok(on!(tx, |tx| sqlx::query_as(AssertSqlSafe(claim))
        .bind(worker)
        .bind(millis(until))
        .bind(millis(now))
        .fetch_optional(&mut **tx)
        .await)?)
}

async fn start(tx: &mut Tx, batch_id: &str, now: OffsetDateTime) -> Result<Kind, StoreError> {
    const START: &str = "update batch set started_at = coalesce(started_at, $2) where id = $1 returning kind, scopes";
    on!(tx, |tx| sqlx::query_as(START)
        .bind(batch_id)
        .bind(millis(now))
        .fetch_one(&mut **tx)
        .await)
    .map_err(StoreError::reading("batch"))
}
