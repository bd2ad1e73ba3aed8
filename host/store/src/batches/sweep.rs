//! Deletes expired batches.

use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

use super::Batches;
use crate::StoreError;
use crate::db::{millis, on};

impl Batches<'_> {
    /// Deletes up to `limit` parts of one expired batch, and the batch itself with its last part. Returns the number of
    /// rows; 0 if no expired batch is left.
    pub async fn sweep(&self, limit: u64, now: OffsetDateTime) -> Result<u64, StoreError> {
        const EXPIRED: &str =
            "select id from batch where expires_at <= $1 order by expires_at limit 1";
        const FORGET: &str = "delete from batch where id = $1 \
            and not exists (select 1 from batch_part where batch_id = $1)";
        let expired: Option<String> = on!(&self.store.reads, |pool| sqlx::query_scalar(EXPIRED)
            .bind(millis(now))
            .fetch_optional(pool)
            .await)?;
        let Some(id) = expired else {
            return Ok(0);
        };
        let mut tx = self.store.writes.begin().await?;
        // Other hosts sweep too; skip parts that another host has locked.
        let delete = format!(
            "{} delete from batch_part where batch_id = $1 and part in (select part from chosen)",
            tx.chosen("select part from batch_part where batch_id = $1 order by part limit $2")
        );
        let deleted = on!(&mut tx, |tx| sqlx::query(AssertSqlSafe(delete))
            .bind(&id)
            .bind(i64::try_from(limit).unwrap_or(i64::MAX))
            .execute(&mut **tx)
            .await
            .map(|done| done.rows_affected()))?;
        let forgotten = on!(&mut tx, |tx| sqlx::query(FORGET)
            .bind(&id)
            .execute(&mut **tx)
            .await
            .map(|done| done.rows_affected()))?;
        tx.commit().await?;
        Ok(deleted + forgotten)
    }
}
