//! Datasets (imported lists) and their import runs.
//!
//! A run writes into its own generation, which is invisible to readers; publishing moves the dataset's pointer to it.
//! Later runs of a delta write into the published generation. Records that no pointer needs are deleted in slices.
//! Invariant: only the newest claim of a run writes, even if an older claimant wakes up late.

mod changes;
mod claim;
mod commit;
mod companions;
mod finish;
mod marking;
mod pause;
mod position;
mod sweep;

use std::time::Duration;

use time::OffsetDateTime;

pub use changes::{ChangedRecord, Differences};
pub use claim::{Run, RunClaim};
pub use commit::{Checkpoint, Committed, Record};
pub use finish::Published;
pub use position::ListPosition;

use super::db::{Db, MaybeMillis, Millis, millis, on, text_enum};
use super::source_failure::FailureColumns;
use super::{ConnectorId, SourceFailure, Store, StoreError};

const TABLE: &str = "dataset";

/// How successive runs of a dataset relate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatasetKind {
    /// Every run brings the whole list.
    Snapshot,
    /// Every run brings the changes since the last finished run.
    Delta,
}

/// State of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// The run is in progress or waits to be resumed.
    Running,
    Succeeded,
    Failed,
}

/// Why a run must stop.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Another host took the run over, or the run has ended. Stop; the call wrote nothing.
    #[error("the lease of the run was lost")]
    LeaseLost,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Stored state of a dataset.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct DatasetState {
    pub connector: ConnectorId,
    pub dataset: String,
    /// The generation that readers see. `None`: nothing has been published yet.
    pub generation: Option<i64>,
    /// The generation before, kept until the next one is published.
    pub previous_generation: Option<i64>,
    /// The last generation whose changes invalidated company sections. Lower than `generation` after a crash.
    pub marked_generation: Option<i64>,
    /// The date that the published list itself states: `YYYY-MM-DD`.
    pub list_date: Option<String>,
    /// When the last successful run finished.
    #[sqlx(try_from = "MaybeMillis")]
    pub imported_at: Option<OffsetDateTime>,
    /// Number of records, or of companies for a list of base companies.
    pub records: i64,
    /// The cursor at which the last successful run ended.
    pub cursor: Option<String>,
    /// When a run was last started or resumed.
    #[sqlx(try_from = "MaybeMillis")]
    pub attempted_at: Option<OffsetDateTime>,
    /// When a run last failed, if that was after `imported_at`.
    #[sqlx(try_from = "MaybeMillis")]
    pub failed_at: Option<OffsetDateTime>,
    #[sqlx(flatten, try_from = "FailureColumns")]
    pub failure: Option<SourceFailure>,
    #[sqlx(try_from = "MaybeMillis")]
    pub next_run_at: Option<OffsetDateTime>,
    /// Since when an operator has paused the imports. No host imports the dataset meanwhile.
    #[sqlx(try_from = "MaybeMillis")]
    pub paused_at: Option<OffsetDateTime>,
}

/// A run, as operators see it.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ImportRun {
    pub id: i64,
    pub connector: ConnectorId,
    pub dataset: String,
    #[sqlx(try_from = "String")]
    pub kind: DatasetKind,
    pub generation: i64,
    #[sqlx(try_from = "String")]
    pub state: RunState,
    pub cursor: Option<String>,
    pub list_date: Option<String>,
    #[sqlx(try_from = "Millis")]
    pub started_at: OffsetDateTime,
    #[sqlx(try_from = "MaybeMillis")]
    pub finished_at: Option<OffsetDateTime>,
    /// Records and companies committed so far; repeated commits count again.
    pub records: i64,
    pub skipped: i64,
    pub notes: Option<String>,
    /// Progress in thousandths, 0 to 1000.
    pub progress: Option<i64>,
    #[sqlx(flatten, try_from = "FailureColumns")]
    pub failure: Option<SourceFailure>,
    pub owner: Option<String>,
    #[sqlx(try_from = "MaybeMillis")]
    pub lease_until: Option<OffsetDateTime>,
    /// Records or companies that the finished run added. Like `changed` and `removed`, `None` if it is not known.
    pub added: Option<i64>,
    pub changed: Option<i64>,
    pub removed: Option<i64>,
}

/// When a dataset was imported.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
#[serde(try_from = "(ConnectorId, String, Millis)")]
pub struct ImportTime {
    pub connector: ConnectorId,
    pub dataset: String,
    /// When the last successful run finished.
    pub at: OffsetDateTime,
}

impl TryFrom<(ConnectorId, String, Millis)> for ImportTime {
    type Error = time::error::ComponentRange;

    fn try_from(
        (connector, dataset, at): (ConnectorId, String, Millis),
    ) -> Result<Self, Self::Error> {
        Ok(Self {
            connector,
            dataset,
            at: at.try_into()?,
        })
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Datasets<'a> {
    pub(super) store: &'a Store,
}

macro_rules! select_state {
    ($rest:literal) => {
        select_state!($rest, "", "")
    };
    ($rest:literal, $columns:literal, $tables:literal) => {
        concat!(
            "select connector, dataset, generation, previous_generation, marked_generation, list_date, imported_at, records, cursor, ",
            "attempted_at, failed_at, failure, failure_kind, next_run_at, paused_at",
            $columns,
            " from dataset",
            $tables,
            " ",
            $rest
        )
    };
}

/// SQL: the state of the dataset `$2` of the connector `$1`, with the columns of the table `page`.
pub(super) const SELECT_STATE_WITH_PAGE: &str = select_state!(
    "where connector = $1 and dataset = $2",
    ", page, contents",
    ", page"
);

macro_rules! select_runs {
    ($rest:literal) => {
        concat!(
            "select r.id, d.connector, d.dataset, r.kind, r.generation, r.state, r.cursor, r.list_date, r.started_at, ",
            "r.finished_at, r.records, r.skipped, r.notes, r.progress, r.failure, r.failure_kind, r.owner, r.lease_until, ",
            "r.added, r.changed, r.removed ",
            "from dataset d join import_run r on r.dataset_id = d.id ",
            $rest
        )
    };
}

/// SQL: when each dataset was imported, as one text for [`import_times_of`]. Datasets without a successful run are left
/// out.
pub(super) fn select_import_times(db: &Db) -> String {
    format!(
        "select {} from dataset where imported_at is not null",
        db.rows_of("connector, dataset, imported_at")
    )
}

/// The times of the text of [`select_import_times`], in no particular order.
///
/// # Errors
/// [`StoreError::Unreadable`].
pub(super) fn import_times_of(text: &str) -> Result<Vec<ImportTime>, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::Unreadable {
        table: TABLE,
        why: error.to_string(),
    })
}

impl Datasets<'_> {
    /// The state of a dataset. `None`: it was never run or scheduled.
    pub async fn state(
        &self,
        connector: &ConnectorId,
        dataset: &str,
    ) -> Result<Option<DatasetState>, StoreError> {
        const FIND: &str = select_state!("where connector = $1 and dataset = $2");
        on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(connector)
            .bind(dataset)
            .fetch_optional(pool)
            .await)
        .map_err(StoreError::reading(TABLE))
    }

    /// The states of all datasets, in order of connector and dataset.
    pub async fn states(&self) -> Result<Vec<DatasetState>, StoreError> {
        const LIST: &str = select_state!("order by connector, dataset");
        on!(&self.store.reads, |pool| sqlx::query_as(LIST)
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading(TABLE))
    }

    /// Datasets whose next run is due, that are not paused and that no host is running, longest overdue first.
    pub async fn due(&self, now: OffsetDateTime) -> Result<Vec<DatasetState>, StoreError> {
        const DUE: &str = select_state!(
            "where next_run_at <= $1 and paused_at is null and not exists (select 1 from import_run \
             where import_run.dataset_id = dataset.id and import_run.state = 'running' \
             and import_run.lease_until > $1) order by next_run_at, connector, dataset"
        );
        on!(&self.store.reads, |pool| sqlx::query_as(DUE)
            .bind(millis(now))
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading(TABLE))
    }

    /// Sets when a dataset runs next. `None`: it is not run automatically.
    pub async fn set_next_run(
        &self,
        connector: &ConnectorId,
        dataset: &str,
        next_run_at: Option<OffsetDateTime>,
    ) -> Result<(), StoreError> {
        const SET: &str = "insert into dataset (connector, dataset, next_run_at) values ($1, $2, $3) \
            on conflict (connector, dataset) do update set next_run_at = excluded.next_run_at";
        on!(&self.store.writes, |pool| sqlx::query(SET)
            .bind(connector)
            .bind(dataset)
            .bind(next_run_at.map(millis))
            .execute(pool)
            .await
            .map(drop))?;
        Ok(())
    }

    /// Records that the sections of companies with changed records in this generation were invalidated.
    pub async fn set_marked(
        &self,
        connector: &ConnectorId,
        dataset: &str,
        generation: i64,
    ) -> Result<(), StoreError> {
        const SET: &str =
            "update dataset set marked_generation = $3 where connector = $1 and dataset = $2";
        on!(&self.store.writes, |pool| sqlx::query(SET)
            .bind(connector)
            .bind(dataset)
            .bind(generation)
            .execute(pool)
            .await
            .map(drop))?;
        Ok(())
    }

    /// Number of records of the published list; 0 if none is published.
    pub async fn published_count(
        &self,
        connector: &ConnectorId,
        dataset: &str,
    ) -> Result<i64, StoreError> {
        const COUNT: &str = "select records from dataset where connector = $1 and dataset = $2";
        let count: Option<i64> = on!(&self.store.reads, |pool| sqlx::query_scalar(COUNT)
            .bind(connector)
            .bind(dataset)
            .fetch_optional(pool)
            .await)?;
        Ok(count.unwrap_or(0))
    }

    /// Keys and content hashes of the published records after a key, in key order, at most `limit`.
    pub async fn published_hashes(
        &self,
        connector: &ConnectorId,
        dataset: &str,
        after: &str,
        limit: u32,
    ) -> Result<Vec<(String, String)>, StoreError> {
        const HASHES: &str = "select r.key, r.content_hash from dataset d \
            join dataset_record r on r.dataset_id = d.id and r.generation = d.generation \
            where d.connector = $1 and d.dataset = $2 and r.key > $3 order by r.key limit $4";
        on!(&self.store.reads, |pool| sqlx::query_as(HASHES)
            .bind(connector)
            .bind(dataset)
            .bind(after)
            .bind(i64::from(limit))
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading("dataset_record"))
    }

    /// At most `limit` runs of a dataset, newest first.
    pub async fn history(
        &self,
        connector: &ConnectorId,
        dataset: &str,
        limit: u32,
    ) -> Result<Vec<ImportRun>, StoreError> {
        const HISTORY: &str =
            select_runs!("where d.connector = $1 and d.dataset = $2 order by r.id desc limit $3");
        on!(&self.store.reads, |pool| sqlx::query_as(HISTORY)
            .bind(connector)
            .bind(dataset)
            .bind(i64::from(limit))
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading("import_run"))
    }

    /// Unfinished runs, at most one per dataset, in order of connector and dataset: running ones and interrupted ones.
    pub async fn unfinished(&self) -> Result<Vec<ImportRun>, StoreError> {
        const LIST: &str =
            select_runs!("where r.state = 'running' order by d.connector, d.dataset");
        on!(&self.store.reads, |pool| sqlx::query_as(LIST)
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading("import_run"))
    }
}

impl ImportRun {
    /// Whether a host holds the run's lease at `now`. An unfinished run without a lease was interrupted.
    pub fn is_under_way(&self, now: OffsetDateTime) -> bool {
        self.state == RunState::Running && self.lease_until.is_some_and(|until| until > now)
    }
}

text_enum!(DatasetKind {
    Snapshot: "snapshot",
    Delta: "delta",
});

text_enum!(RunState {
    Running: "running",
    Succeeded: "succeeded",
    Failed: "failed",
});

impl From<sqlx::Error> for RunError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(StoreError::from(error))
    }
}

/// When a lease taken at `now` ends.
fn end_of_lease(now: OffsetDateTime, lease: Duration) -> i64 {
    millis(now + lease)
}
