//! Claims a run: resumes an unfinished one or begins the next.

use std::time::Duration;

use time::OffsetDateTime;

use super::{DatasetKind, Datasets, TABLE, end_of_lease};
use crate::db::{MaybeMillis, Millis, Tx, millis, on};
use crate::{ConnectorId, StoreError};

/// Result of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::large_enum_variant,
    reason = "it is made once a run and taken apart at once"
)]
pub enum RunClaim {
    /// The caller holds the run until its lease ends; every commit extends the lease.
    Run(Run),
    /// Another host is running the dataset.
    Busy,
    /// The dataset is not due: another host has run it meanwhile.
    NotDue,
    /// An operator paused the imports of the dataset at this time.
    Paused(OffsetDateTime),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub id: i64,
    pub connector: ConnectorId,
    pub dataset: String,
    pub kind: DatasetKind,
    /// The generation that the run writes into.
    pub generation: i64,
    /// The generation that was published at the time of the claim.
    pub published: Option<i64>,
    /// The cursor to continue at. A new delta run starts where the last finished run ended.
    pub cursor: Option<String>,
    pub list_date: Option<String>,
    /// JSON text of the last commit.
    pub notes: Option<String>,
    /// Records committed by earlier claims of this run.
    pub records: i64,
    pub skipped: i64,
    /// Whether an earlier claim began the run.
    pub resumed: bool,
    pub started_at: OffsetDateTime,
    pub(super) dataset_id: i64,
    /// Number of this claim of the run; only the newest may write.
    pub(super) attempt: i64,
    pub(super) lease: Duration,
}

#[derive(sqlx::FromRow)]
struct ClaimedDataset {
    id: i64,
    generation: Option<i64>,
    last_generation: i64,
    cursor: Option<String>,
    #[sqlx(try_from = "MaybeMillis")]
    next_run_at: Option<OffsetDateTime>,
    #[sqlx(try_from = "MaybeMillis")]
    paused_at: Option<OffsetDateTime>,
}

/// Condition for a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    Any,
    Due,
}

#[derive(sqlx::FromRow)]
struct Unfinished {
    id: i64,
    #[sqlx(try_from = "String")]
    kind: DatasetKind,
    #[sqlx(try_from = "MaybeMillis")]
    lease_until: Option<OffsetDateTime>,
}

#[derive(sqlx::FromRow)]
struct RunRow {
    id: i64,
    generation: i64,
    attempt: i64,
    cursor: Option<String>,
    list_date: Option<String>,
    notes: Option<String>,
    records: i64,
    skipped: i64,
    #[sqlx(try_from = "Millis")]
    started_at: OffsetDateTime,
}

impl Datasets<'_> {
    /// Claims the dataset's run for `lease`. Resumes an unfinished run whose lease has ended, otherwise begins the next
    /// run. A snapshot's run gets a new generation; a delta's run writes into the published one if there is one. An
    /// unfinished run of the other kind is given up.
    pub async fn claim_run(
        &self,
        connector: &ConnectorId,
        dataset: &str,
        kind: DatasetKind,
        owner: &str,
        lease: Duration,
        now: OffsetDateTime,
    ) -> Result<RunClaim, StoreError> {
        let name = (connector, dataset);
        self.claim(Which::Any, name, kind, owner, lease, now).await
    }

    /// Like [`Self::claim_run`], but only if the run is still due: of several hosts that see it due, one runs it.
    pub async fn claim_due_run(
        &self,
        connector: &ConnectorId,
        dataset: &str,
        kind: DatasetKind,
        owner: &str,
        lease: Duration,
        now: OffsetDateTime,
    ) -> Result<RunClaim, StoreError> {
        let name = (connector, dataset);
        self.claim(Which::Due, name, kind, owner, lease, now).await
    }

    async fn claim(
        &self,
        which: Which,
        (connector, dataset): (&ConnectorId, &str),
        kind: DatasetKind,
        owner: &str,
        lease: Duration,
        now: OffsetDateTime,
    ) -> Result<RunClaim, StoreError> {
        let mut tx = self.store.writes.begin().await?;
        let found = lock_dataset(&mut tx, connector, dataset, now).await?;
        if let Some(paused_at) = found.paused_at {
            return Ok(RunClaim::Paused(paused_at));
        }
        if which == Which::Due && found.next_run_at.is_none_or(|next| next > now) {
            return Ok(RunClaim::NotDue);
        }
        let unfinished = find_unfinished(&mut tx, found.id).await?;
        if unfinished
            .as_ref()
            .is_some_and(|run| run.lease_until.is_some_and(|until| until > now))
        {
            return Ok(RunClaim::Busy);
        }
        let until = end_of_lease(now, lease);
        let resumed = match unfinished {
            Some(run) if run.kind == kind => Some(resume(&mut tx, run.id, owner, until).await?),
            Some(run) => {
                give_up(&mut tx, run.id, now).await?;
                None
            }
            None => None,
        };
        let is_resumed = resumed.is_some();
        let row = match resumed {
            Some(row) => row,
            None => begin(&mut tx, &found, kind, owner, until, now).await?,
        };
        tx.commit().await?;
        Ok(RunClaim::Run(Run {
            id: row.id,
            connector: connector.clone(),
            dataset: dataset.to_owned(),
            kind,
            generation: row.generation,
            published: found.generation,
            cursor: row.cursor,
            list_date: row.list_date,
            notes: row.notes,
            records: row.records,
            skipped: row.skipped,
            resumed: is_resumed,
            started_at: row.started_at,
            dataset_id: found.id,
            attempt: row.attempt,
            lease,
        }))
    }
}

/// Creates the dataset's row if it is missing and locks it until the transaction ends.
async fn lock_dataset(
    tx: &mut Tx,
    connector: &ConnectorId,
    dataset: &str,
    now: OffsetDateTime,
) -> Result<ClaimedDataset, StoreError> {
    const LOCK: &str = "insert into dataset (connector, dataset, attempted_at) values ($1, $2, $3) \
        on conflict (connector, dataset) do update set attempted_at = excluded.attempted_at \
        returning id, generation, last_generation, cursor, next_run_at, paused_at";
    on!(tx, |tx| sqlx::query_as(LOCK)
        .bind(connector)
        .bind(dataset)
        .bind(millis(now))
        .fetch_one(&mut **tx)
        .await)
    .map_err(StoreError::reading(TABLE))
}

async fn find_unfinished(tx: &mut Tx, dataset_id: i64) -> Result<Option<Unfinished>, StoreError> {
    const FIND: &str =
        "select id, kind, lease_until from import_run where dataset_id = $1 and state = 'running'";
    on!(tx, |tx| sqlx::query_as(FIND)
        .bind(dataset_id)
        .fetch_optional(&mut **tx)
        .await)
    .map_err(StoreError::reading("import_run"))
}

async fn resume(tx: &mut Tx, id: i64, owner: &str, until: i64) -> Result<RunRow, StoreError> {
    const RESUME: &str = "update import_run set owner = $2, lease_until = $3, attempt = attempt + 1, failure = null, \
        failure_kind = null where id = $1 returning id, generation, attempt, cursor, list_date, notes, records, skipped, started_at";
    on!(tx, |tx| sqlx::query_as(RESUME)
        .bind(id)
        .bind(owner)
        .bind(until)
        .fetch_one(&mut **tx)
        .await)
    .map_err(StoreError::reading("import_run"))
}

async fn give_up(tx: &mut Tx, id: i64, now: OffsetDateTime) -> Result<(), StoreError> {
    const GIVE_UP: &str = "update import_run set state = 'failed', finished_at = $2, owner = null, \
        lease_until = null, failure = 'the dataset is imported in another way now', failure_kind = 'other' where id = $1";
    on!(tx, |tx| sqlx::query(GIVE_UP)
        .bind(id)
        .bind(millis(now))
        .execute(&mut **tx)
        .await
        .map(drop))?;
    Ok(())
}

async fn begin(
    tx: &mut Tx,
    dataset: &ClaimedDataset,
    kind: DatasetKind,
    owner: &str,
    until: i64,
    now: OffsetDateTime,
) -> Result<RunRow, StoreError> {
    const BEGIN: &str = "insert into import_run \
        (dataset_id, kind, generation, state, attempt, cursor, started_at, owner, lease_until) \
        values ($1, $2, $3, 'running', 1, $4, $5, $6, $7) \
        returning id, generation, attempt, cursor, list_date, notes, records, skipped, started_at";
    let (generation, cursor) = match kind {
        DatasetKind::Snapshot => (take_generation(tx, dataset).await?, None),
        DatasetKind::Delta => match dataset.generation {
            Some(published) => (published, dataset.cursor.as_deref()),
            None => (take_generation(tx, dataset).await?, None),
        },
    };
    on!(tx, |tx| sqlx::query_as(BEGIN)
        .bind(dataset.id)
        .bind(kind.word())
        .bind(generation)
        .bind(cursor)
        .bind(millis(now))
        .bind(owner)
        .bind(until)
        .fetch_one(&mut **tx)
        .await)
    .map_err(StoreError::reading("import_run"))
}

/// Reserves an unused generation number.
async fn take_generation(tx: &mut Tx, dataset: &ClaimedDataset) -> Result<i64, StoreError> {
    const TAKE: &str = "update dataset set last_generation = $2 where id = $1";
    let generation = dataset.last_generation + 1;
    on!(tx, |tx| sqlx::query(TAKE)
        .bind(dataset.id)
        .bind(generation)
        .execute(&mut **tx)
        .await
        .map(drop))?;
    Ok(generation)
}
