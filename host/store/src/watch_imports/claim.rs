//! Claims imports, extends their leases and finishes their parts.

use std::time::Duration;

use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

use super::{TABLE, WatchImports};
use crate::db::{millis, on};
use crate::{AccountId, StoreError};

/// An import whose next part a worker does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedWatchImport {
    pub id: String,
    pub account_id: AccountId,
    pub dry_run: bool,
    /// JSON object of the subscriptions' target.
    pub target: String,
    /// Encrypted secret of new webhooks.
    pub secret: String,
    /// Subscriptions that earlier parts have created, or would have.
    pub created: i64,
    /// The part to do.
    pub part: i64,
    /// Number of this claim of the part; only the newest may finish it.
    pub attempt: i64,
    /// JSON array of the part's lines.
    pub lines: String,
}

/// Results of a part's lines, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WatchImportCounts {
    pub created: i64,
    pub updated: i64,
    pub unchanged: i64,
    pub rejected: i64,
}

#[derive(sqlx::FromRow)]
struct Claim {
    id: String,
    account_id: AccountId,
    dry_run: bool,
    target: String,
    secret: String,
    created: i64,
    parts_finished: i64,
    attempt: i64,
}

impl WatchImports<'_> {
    /// Claims an import for `lease`: the one with this id, or the one whose turn is next. An import that another worker
    /// has claimed is free again when that lease ends.
    pub async fn claim(
        &self,
        id: Option<&str>,
        worker: &str,
        lease: Duration,
        now: OffsetDateTime,
    ) -> Result<Option<ClaimedWatchImport>, StoreError> {
        const LINES: &str =
            "select lines from watch_import_part where import_id = $1 and part = $2";
        if !self.is_due(worker, now).await? {
            // Check with a read first: on `SQLite` a claim takes the write lock even if it finds nothing.
            return Ok(None);
        }
        let mut tx = self.store.writes.begin().await?;
        let sql = format!(
            "update watch_import set owner = $1, lease_until = $2, attempt = attempt + 1 where id = \
            (select id from watch_import where completed_at is null and ($4 is null or id = $4) \
            and (lease_until is null or lease_until <= $3 or owner = $1) order by turn, id limit 1{}) \
            returning id, account_id, dry_run, target, secret, created, parts_finished, attempt",
            tx.skipping_locked()
        );
        let claim: Option<Claim> = on!(&mut tx, |tx| sqlx::query_as(AssertSqlSafe(sql))
            .bind(worker)
            .bind(millis(now + lease))
            .bind(millis(now))
            .bind(id)
            .fetch_optional(&mut **tx)
            .await)
        .map_err(StoreError::reading(TABLE))?;
        let Some(claim) = claim else {
            return Ok(None);
        };
        let lines: String = on!(&mut tx, |tx| sqlx::query_scalar(LINES)
            .bind(&claim.id)
            .bind(claim.parts_finished)
            .fetch_one(&mut **tx)
            .await)?;
        tx.commit().await?;
        Ok(Some(ClaimedWatchImport {
            id: claim.id,
            account_id: claim.account_id,
            dry_run: claim.dry_run,
            target: claim.target,
            secret: claim.secret,
            created: claim.created,
            part: claim.parts_finished,
            attempt: claim.attempt,
            lines,
        }))
    }

    async fn is_due(&self, worker: &str, now: OffsetDateTime) -> Result<bool, StoreError> {
        const DUE: &str = "select 1 from watch_import \
            where completed_at is null and (lease_until is null or lease_until <= $1 or owner = $2) limit 1";
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
        claimed: &ClaimedWatchImport,
        lease: Duration,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        const EXTEND: &str = "update watch_import set lease_until = $4 \
            where id = $1 and parts_finished = $2 and attempt = $3 and completed_at is null";
        let extended = on!(&self.store.writes, |pool| sqlx::query(EXTEND)
            .bind(&claimed.id)
            .bind(claimed.part)
            .bind(claimed.attempt)
            .bind(millis(now + lease))
            .execute(pool)
            .await
            .map(|done| done.rows_affected()))?;
        Ok(extended > 0)
    }

    /// Writes the results of the claimed part and the companies that its lines named first, and lets other imports take
    /// their turn. The last part completes the import, which is then kept for `keep`. `false`: a newer claim exists or
    /// the part is finished, and nothing was written.
    pub async fn finish(
        &self,
        claimed: &ClaimedWatchImport,
        results: &str,
        counts: WatchImportCounts,
        companies: &[(String, i64)],
        keep: Duration,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        const SUM: &str = "update watch_import set parts_finished = parts_finished + 1, attempt = 0, owner = null, \
            lease_until = null, turn = $4, processed = processed + $5 + $6 + $7 + $8, created = created + $5, \
            updated = updated + $6, unchanged = unchanged + $7, rejected = rejected + $8, \
            completed_at = case when parts_finished + 1 = parts then $4 end, \
            expires_at = case when parts_finished + 1 = parts then $9 end \
            where id = $1 and parts_finished = $2 and attempt = $3 and completed_at is null";
        const WRITE: &str =
            "update watch_import_part set results = $3 where import_id = $1 and part = $2";
        let mut tx = self.store.writes.begin().await?;
        let summed = on!(&mut tx, |tx| sqlx::query(SUM)
            .bind(&claimed.id)
            .bind(claimed.part)
            .bind(claimed.attempt)
            .bind(millis(now))
            .bind(counts.created)
            .bind(counts.updated)
            .bind(counts.unchanged)
            .bind(counts.rejected)
            .bind(millis(now + keep))
            .execute(&mut **tx)
            .await
            .map(|done| done.rows_affected()))?;
        if summed == 0 {
            return Ok(false);
        }
        on!(&mut tx, |tx| sqlx::query(WRITE)
            .bind(&claimed.id)
            .bind(claimed.part)
            .bind(results)
            .execute(&mut **tx)
            .await
            .map(drop))?;
        let first = companies.iter().map(|(ico, line)| {
            let members = [("ico", ico.clone().into()), ("line", (*line).into())];
            let members = members.map(|(name, value)| (name.to_owned(), value));
            serde_json::Value::Object(members.into_iter().collect())
        });
        let insert = format!(
            "insert into watch_import_company (import_id, ico, line) \
            select $1, element.ico, element.line from {} \
            where true on conflict (import_id, ico) do nothing",
            tx.rows(2, &["line"], &["ico"])
        );
        on!(&mut tx, |tx| sqlx::query(AssertSqlSafe(insert))
            .bind(&claimed.id)
            .bind(serde_json::Value::from_iter(first).to_string())
            .execute(&mut **tx)
            .await
            .map(drop))?;
        tx.commit().await?;
        Ok(true)
    }
}
