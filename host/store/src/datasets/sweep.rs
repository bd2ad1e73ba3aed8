//! Deletes records of unused generations and old runs.

use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

use super::Datasets;
use crate::StoreError;
use crate::db::{millis, on};

/// Most records per transaction.
const RECORDS_OF_A_SLICE: u64 = 250;

#[derive(sqlx::FromRow)]
struct Unneeded {
    dataset_id: i64,
    generation: i64,
}

impl Datasets<'_> {
    /// Deletes about `limit` records of old and abandoned generations, oldest first, and returns their number; 0 if
    /// there are none left, or if other hosts and tasks are deleting the last ones. Keeps the published generation, the
    /// one before and those of unfinished runs.
    pub async fn sweep(&self, limit: u64) -> Result<u64, StoreError> {
        let mut deleted = 0;
        while deleted < limit {
            let Some(unneeded) = self.find_unneeded().await? else {
                break;
            };
            let slice = RECORDS_OF_A_SLICE.min(limit - deleted);
            let gone = self.delete_slice(&unneeded, slice).await?;
            deleted += gone;
            if gone < slice && !self.note_swept(&unneeded).await? {
                break;
            }
        }
        Ok(deleted)
    }

    /// Deletes at most `limit` runs that ended before a time and returns their number. Keeps the newest run of each
    /// dataset, and runs whose records are not deleted yet.
    pub async fn forget_runs(&self, before: OffsetDateTime, limit: u32) -> Result<u64, StoreError> {
        const FORGET: &str = "delete from import_run where id in (select r.id from import_run r \
            where r.state <> 'running' and r.finished_at < $1 and exists (select 1 from import_run newer \
                where newer.dataset_id = r.dataset_id and newer.id > r.id \
                and (r.swept or newer.generation = r.generation)) \
            order by r.id limit $2)";
        Ok(on!(&self.store.writes, |pool| sqlx::query(FORGET)
            .bind(millis(before))
            .bind(i64::from(limit))
            .execute(pool)
            .await
            .map(|done| done.rows_affected()))?)
    }

    async fn find_unneeded(&self) -> Result<Option<Unneeded>, StoreError> {
        const FIND: &str = "select r.dataset_id, r.generation from import_run r join dataset d on d.id = r.dataset_id \
            where not r.swept and r.state <> 'running' \
            and (d.generation is null or r.generation <> d.generation) \
            and (d.previous_generation is null or r.generation <> d.previous_generation) \
            and not exists (select 1 from import_run other where other.dataset_id = r.dataset_id \
                and other.generation = r.generation and other.state = 'running') \
            order by r.id limit 1";
        on!(&self.store.writes, |pool| sqlx::query_as(FIND)
            .fetch_optional(pool)
            .await)
        .map_err(StoreError::reading("import_run"))
    }

    async fn delete_slice(&self, unneeded: &Unneeded, slice: u64) -> Result<u64, StoreError> {
        // Records that another sweep is deleting are skipped.
        let sql = format!(
            "{} delete from dataset_record where dataset_id = $1 and generation = $2 and key in (select key from chosen)",
            self.store.writes.chosen(
                "select key from dataset_record where dataset_id = $1 and generation = $2 order by key limit $3"
            )
        );
        Ok(on!(&self.store.writes, |pool| sqlx::query(AssertSqlSafe(
            sql
        ))
        .bind(unneeded.dataset_id)
        .bind(unneeded.generation)
        .bind(i64::try_from(slice).unwrap_or(i64::MAX))
        .execute(pool)
        .await
        .map(|done| done.rows_affected()))?)
    }

    /// Records that a generation has no records left. `false`: it has some, which another sweep is deleting.
    async fn note_swept(&self, unneeded: &Unneeded) -> Result<bool, StoreError> {
        const NOTE: &str = "update import_run set swept = true \
            where dataset_id = $1 and generation = $2 and state <> 'running' \
            and not exists (select 1 from dataset_record where dataset_id = $1 and generation = $2)";
        let noted = on!(&self.store.writes, |pool| sqlx::query(NOTE)
            .bind(unneeded.dataset_id)
            .bind(unneeded.generation)
            .execute(pool)
            .await
            .map(|done| done.rows_affected()))?;
        Ok(noted > 0)
    }
}
