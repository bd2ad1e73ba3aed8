//! Ends runs: published, finished or failed.
//!
//! Every transaction here locks the dataset's row before the run's row, like claiming, to avoid deadlocks.

use time::OffsetDateTime;

use super::{Datasets, Run, RunError, RunState, TABLE};
use crate::db::{Tx, millis, on};
use crate::{SourceFailure, StoreError};

/// What readers see after publishing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    pub generation: i64,
    /// The generation before; its records stay until the next one is published.
    pub previous: Option<i64>,
    pub records: i64,
}

#[derive(sqlx::FromRow)]
struct Pointer {
    generation: Option<i64>,
    companies: i64,
}

#[derive(sqlx::FromRow)]
struct Finished {
    cursor: Option<String>,
    list_date: Option<String>,
    companies: i64,
    companies_new: i64,
}

impl Datasets<'_> {
    /// Number of records in the run's generation, to be checked before publishing. A dataset of companies counts its
    /// companies, not the records beside them.
    pub async fn run_count(&self, run: &Run) -> Result<i64, StoreError> {
        const COMPANIES: &str = "select companies from import_run where id = $1";
        let records = self.count_records(run).await?;
        let companies: i64 = on!(&self.store.reads, |pool| sqlx::query_scalar(COMPANIES)
            .bind(run.id)
            .fetch_one(pool)
            .await)?;
        Ok(counted(records, companies))
    }

    /// Publishes a complete snapshot in one short transaction and clears the dataset's failure.
    pub async fn publish(
        &self,
        run: &Run,
        now: OffsetDateTime,
        next_run_at: Option<OffsetDateTime>,
    ) -> Result<Published, RunError> {
        // Counted before the transaction, because it may take long. No other run writes into this generation.
        let records = self.count_records(run).await?;
        let mut tx = self.store.writes.begin_with_retry().await?;
        let pointer = lock_pointer(&mut tx, run).await?;
        let finished = succeed(&mut tx, run, None, now).await?;
        let end = End {
            cursor: finished.cursor,
            list_date: finished.list_date,
            records,
            companies: finished.companies,
            next_run_at,
        };
        move_pointer(&mut tx, run, &end, now).await?;
        tx.commit().await?;
        Ok(Published {
            generation: run.generation,
            previous: pointer.generation,
            records: counted(records, end.companies),
        })
    }

    /// Marks a delta's run as finished and stores the cursor for the next one. The first run publishes its records only
    /// now. Without a cursor in the call, the run's last cursor is kept.
    pub async fn finish_delta(
        &self,
        run: &Run,
        cursor: Option<&str>,
        now: OffsetDateTime,
        next_run_at: Option<OffsetDateTime>,
    ) -> Result<Published, RunError> {
        let records = self.count_records(run).await?;
        let mut tx = self.store.writes.begin_with_retry().await?;
        let pointer = lock_pointer(&mut tx, run).await?;
        let finished = succeed(&mut tx, run, cursor, now).await?;
        let end = End {
            cursor: finished.cursor,
            list_date: finished.list_date,
            records,
            companies: pointer.companies + finished.companies_new,
            next_run_at,
        };
        move_pointer(&mut tx, run, &end, now).await?;
        tx.commit().await?;
        Ok(Published {
            generation: run.generation,
            previous: pointer.generation,
            records: counted(records, end.companies),
        })
    }

    /// Marks a run as failed, with the reason. With `keep_for_resume` the next claim continues at its cursor. Otherwise
    /// the run ends, and the records of its own generation are deleted later.
    pub async fn fail(
        &self,
        run: &Run,
        failure: &SourceFailure,
        now: OffsetDateTime,
        next_run_at: Option<OffsetDateTime>,
        keep_for_resume: bool,
    ) -> Result<(), RunError> {
        const FAIL_DATASET: &str = "update dataset set failed_at = $2, failure = $3, next_run_at = $4, failure_kind = $5 where id = $1";
        const FAIL_RUN: &str = "update import_run set failure = $3, owner = null, lease_until = null, state = $4, \
            finished_at = $5, failure_kind = $6 where id = $1 and attempt = $2 and state = 'running'";
        let mut tx = self.store.writes.begin_with_retry().await?;
        on!(&mut tx, |tx| sqlx::query(FAIL_DATASET)
            .bind(run.dataset_id)
            .bind(millis(now))
            .bind(&failure.detail)
            .bind(next_run_at.map(millis))
            .bind(failure.kind.word())
            .execute(&mut **tx)
            .await
            .map(drop))?;
        let (state, finished_at) = if keep_for_resume {
            (RunState::Running, None)
        } else {
            (RunState::Failed, Some(millis(now)))
        };
        let ours = on!(&mut tx, |tx| sqlx::query(FAIL_RUN)
            .bind(run.id)
            .bind(run.attempt)
            .bind(&failure.detail)
            .bind(state.word())
            .bind(finished_at)
            .bind(failure.kind.word())
            .execute(&mut **tx)
            .await
            .map(|done| done.rows_affected()))?;
        if ours == 0 {
            return Err(RunError::LeaseLost);
        }
        tx.commit().await?;
        Ok(())
    }

    async fn count_records(&self, run: &Run) -> Result<i64, StoreError> {
        const COUNT: &str =
            "select count(*) from dataset_record where dataset_id = $1 and generation = $2";
        Ok(on!(&self.store.reads, |pool| sqlx::query_scalar(COUNT)
            .bind(run.dataset_id)
            .bind(run.generation)
            .fetch_one(pool)
            .await)?)
    }
}

/// The size of a dataset: its companies if it has any, else its records.
fn counted(records: i64, companies: i64) -> i64 {
    if companies > 0 { companies } else { records }
}

/// How a successful run changes its dataset.
struct End {
    cursor: Option<String>,
    list_date: Option<String>,
    records: i64,
    companies: i64,
    next_run_at: Option<OffsetDateTime>,
}

/// Locks the dataset's row until the transaction ends and returns its published generations.
async fn lock_pointer(tx: &mut Tx, run: &Run) -> Result<Pointer, StoreError> {
    const LOCK: &str =
        "update dataset set generation = generation where id = $1 returning generation, companies";
    on!(tx, |tx| sqlx::query_as(LOCK)
        .bind(run.dataset_id)
        .fetch_one(&mut **tx)
        .await)
    .map_err(StoreError::reading(TABLE))
}

async fn succeed(
    tx: &mut Tx,
    run: &Run,
    cursor: Option<&str>,
    now: OffsetDateTime,
) -> Result<Finished, RunError> {
    const SUCCEED: &str = "update import_run set state = 'succeeded', finished_at = $3, owner = null, \
        lease_until = null, failure = null, failure_kind = null, cursor = coalesce($4, cursor) \
        where id = $1 and attempt = $2 and state = 'running' returning cursor, list_date, companies, companies_new";
    let finished: Option<Finished> = on!(tx, |tx| sqlx::query_as(SUCCEED)
        .bind(run.id)
        .bind(run.attempt)
        .bind(millis(now))
        .bind(cursor)
        .fetch_optional(&mut **tx)
        .await)
    .map_err(StoreError::reading("import_run"))?;
    finished.ok_or(RunError::LeaseLost)
}

async fn move_pointer(
    tx: &mut Tx,
    run: &Run,
    end: &End,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    // A delta that wrote into the published generation keeps the previous generation.
    const MOVE: &str = "update dataset set \
        previous_generation = case when generation = $2 then previous_generation else generation end, \
        generation = $2, list_date = coalesce($3, list_date), imported_at = $4, records = $5, companies = $6, \
        cursor = $7, failed_at = null, failure = null, failure_kind = null, next_run_at = $8 where id = $1";
    on!(tx, |tx| sqlx::query(MOVE)
        .bind(run.dataset_id)
        .bind(run.generation)
        .bind(&end.list_date)
        .bind(millis(now))
        .bind(counted(end.records, end.companies))
        .bind(end.companies)
        .bind(&end.cursor)
        .bind(end.next_run_at.map(millis))
        .execute(&mut **tx)
        .await
        .map(drop))?;
    Ok(())
}
