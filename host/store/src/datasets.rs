//! Imported lists and the runs that bring them.
//!
//! A run writes into a generation of its own that nobody reads; publishing moves the dataset's pointer to it. Only a
//! delta's later runs write into the published one. Records that no pointer needs any more are swept in slices.
//! Invariant: only the newest claim of a run writes, however long an older one slept.

mod changes;
mod claim;
mod commit;
mod finish;
mod sweep;

use std::time::Duration;

use time::OffsetDateTime;

pub use changes::{ChangedRecord, Differences};
pub use claim::{Claimed, Run};
pub use commit::{Checkpoint, Committed, Record};
pub use finish::Published;

use super::db::{MaybeMillis, Millis, millis, on};
use super::{Store, StoreError};

const TABLE: &str = "dataset";

/// How a dataset's lists follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatasetKind {
    /// Every run brings the whole list.
    Snapshot,
    /// Every run brings what changed since the last finished one.
    Delta,
}

/// Where a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// Under way, or to be resumed.
    Running,
    Succeeded,
    Failed,
}

/// A stored word that this version does not know.
#[derive(Debug, thiserror::Error)]
#[error("the word {0:?} is unknown")]
pub struct UnknownWord(pub(super) String);

/// Why a run could not go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Another host took the run over, or it has ended: stop, nothing of the call was written.
    #[error("the run is no longer ours")]
    LeaseLost,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What is known of a dataset.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct DatasetState {
    pub connector: String,
    pub dataset: String,
    /// The generation that readers see. None: nothing was ever published.
    pub generation: Option<i64>,
    /// The one before, kept until the next one is published.
    pub previous_generation: Option<i64>,
    /// The generation whose changes the companies' sections were told of. Behind `generation` after a crash.
    pub marked_generation: Option<i64>,
    /// The date that the published list itself carries: `YYYY-MM-DD`.
    pub list_date: Option<String>,
    /// When the last successful run finished.
    #[sqlx(try_from = "MaybeMillis")]
    pub imported_at: Option<OffsetDateTime>,
    /// Records (or companies) in it.
    pub records: i64,
    /// Where the last successful run ended.
    pub cursor: Option<String>,
    /// When a run was last started or resumed.
    #[sqlx(try_from = "MaybeMillis")]
    pub attempted_at: Option<OffsetDateTime>,
    /// When a run last failed, if it did after `imported_at`.
    #[sqlx(try_from = "MaybeMillis")]
    pub failed_at: Option<OffsetDateTime>,
    pub failure: Option<String>,
    #[sqlx(try_from = "MaybeMillis")]
    pub next_run_at: Option<OffsetDateTime>,
}

/// A run as its operator sees it.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ImportRun {
    pub id: i64,
    pub connector: String,
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
    /// Records and companies committed so far, as often as they came.
    pub records: i64,
    pub skipped: i64,
    /// JSON text.
    pub notes: Option<String>,
    /// Thousandths.
    pub progress: Option<i64>,
    pub failure: Option<String>,
    pub owner: Option<String>,
    #[sqlx(try_from = "MaybeMillis")]
    pub lease_until: Option<OffsetDateTime>,
}

/// Imported lists and the runs that bring them.
#[derive(Debug, Clone, Copy)]
pub struct Datasets<'a> {
    pub(super) store: &'a Store,
}

macro_rules! select_state {
    ($rest:literal) => {
        concat!(
            "select connector, dataset, generation, previous_generation, marked_generation, list_date, imported_at, records, cursor, ",
            "attempted_at, failed_at, failure, next_run_at from dataset ",
            $rest
        )
    };
}

macro_rules! select_runs {
    ($rest:literal) => {
        concat!(
            "select r.id, d.connector, d.dataset, r.kind, r.generation, r.state, r.cursor, r.list_date, r.started_at, ",
            "r.finished_at, r.records, r.skipped, r.notes, r.progress, r.failure, r.owner, r.lease_until ",
            "from dataset d join import_run r on r.dataset_id = d.id ",
            $rest
        )
    };
}

impl Datasets<'_> {
    /// What is known of a dataset. None: it was never run nor scheduled.
    pub async fn state(
        &self,
        connector: &str,
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

    /// What is known of every dataset, in the order of connector and dataset.
    pub async fn states(&self) -> Result<Vec<DatasetState>, StoreError> {
        const LIST: &str = select_state!("order by connector, dataset");
        on!(&self.store.reads, |pool| sqlx::query_as(LIST)
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading(TABLE))
    }

    /// Datasets whose next run is due and that nobody is running, longest overdue first.
    pub async fn due(&self, now: OffsetDateTime) -> Result<Vec<DatasetState>, StoreError> {
        const DUE: &str = select_state!(
            "where next_run_at <= $1 and not exists (select 1 from import_run \
             where import_run.dataset_id = dataset.id and import_run.state = 'running' \
             and import_run.lease_until > $1) order by next_run_at, connector, dataset"
        );
        on!(&self.store.reads, |pool| sqlx::query_as(DUE)
            .bind(millis(now))
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading(TABLE))
    }

    /// Sets when a dataset is to be run next; none: not by itself.
    pub async fn set_next_run(
        &self,
        connector: &str,
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

    /// Notes that the companies whose records changed with this generation were told of.
    pub async fn set_marked(
        &self,
        connector: &str,
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

    /// How many records the published list has; 0 where none is published.
    pub async fn published_count(&self, connector: &str, dataset: &str) -> Result<i64, StoreError> {
        const COUNT: &str = "select records from dataset where connector = $1 and dataset = $2";
        let count: Option<i64> = on!(&self.store.reads, |pool| sqlx::query_scalar(COUNT)
            .bind(connector)
            .bind(dataset)
            .fetch_optional(pool)
            .await)?;
        Ok(count.unwrap_or(0))
    }

    /// The runs of a dataset, newest first, at most `limit`.
    pub async fn history(
        &self,
        connector: &str,
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

    /// The runs that have not ended, of every dataset at most one: those under way and those that were broken off, in
    /// the order of connector and dataset.
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
    /// Whether somebody holds it at `now`. A run that has not ended and that nobody holds was broken off.
    pub fn is_under_way(&self, now: OffsetDateTime) -> bool {
        self.state == RunState::Running && self.lease_until.is_some_and(|until| until > now)
    }
}

impl DatasetKind {
    fn word(self) -> &'static str {
        match self {
            Self::Snapshot => "snapshot",
            Self::Delta => "delta",
        }
    }
}

impl TryFrom<String> for DatasetKind {
    type Error = UnknownWord;

    fn try_from(word: String) -> Result<Self, UnknownWord> {
        match word.as_str() {
            "snapshot" => Ok(Self::Snapshot),
            "delta" => Ok(Self::Delta),
            _ => Err(UnknownWord(word)),
        }
    }
}

impl TryFrom<String> for RunState {
    type Error = UnknownWord;

    fn try_from(word: String) -> Result<Self, UnknownWord> {
        match word.as_str() {
            "running" => Ok(Self::Running),
            "succeeded" => Ok(Self::Succeeded),
            "failed" => Ok(Self::Failed),
            _ => Err(UnknownWord(word)),
        }
    }
}

impl From<sqlx::Error> for RunError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(StoreError::from(error))
    }
}

/// When a lease taken at `now` ends.
fn end_of_lease(now: OffsetDateTime, lease: Duration) -> i64 {
    millis(now + lease)
}
