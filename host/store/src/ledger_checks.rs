//! The newest check of the ledger: its progress and its result, for all hosts.

use time::OffsetDateTime;

use super::db::{MaybeMillis, Millis, millis, on};
use super::{Store, StoreError};

/// The newest check.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct LedgerCheck {
    /// The process that checks.
    pub owner: String,
    #[sqlx(try_from = "Millis")]
    pub started_at: OffsetDateTime,
    /// `None`: it runs, or its host has died.
    #[sqlx(try_from = "MaybeMillis")]
    pub finished_at: Option<OffsetDateTime>,
    /// Accounts checked so far, of those that were there at the start.
    pub checked: i64,
    pub planned: i64,
    pub entries: i64,
    /// Sum of all balances.
    pub credits: i64,
    pub mistake_count: i64,
    /// The first mistakes as a JSON array.
    pub mistakes: String,
    /// Why it ended early.
    pub failure: Option<String>,
}

#[derive(Debug, Clone, Copy)]
pub struct LedgerChecks<'a> {
    pub(super) store: &'a Store,
}

impl LedgerChecks<'_> {
    /// The newest check. `None`: there was none.
    ///
    /// # Errors
    /// The database failed.
    pub async fn newest(&self) -> Result<Option<LedgerCheck>, StoreError> {
        const NEWEST: &str = "select owner, started_at, finished_at, checked, planned, entries, credits, mistake_count, \
            mistakes, failure from ledger_check where id = 1";
        on!(&self.store.reads, |pool| sqlx::query_as(NEWEST)
            .fetch_optional(pool)
            .await)
        .map_err(StoreError::reading("ledger_check"))
    }

    /// Replaces the newest check by one that begins.
    ///
    /// # Errors
    /// The database failed.
    pub async fn begin(
        &self,
        owner: &str,
        planned: i64,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        const BEGIN: &str = "insert into ledger_check \
            (id, owner, started_at, checked, planned, entries, credits, mistake_count, mistakes) \
            values (1, $1, $2, 0, $3, 0, 0, 0, '[]') on conflict (id) do update set owner = excluded.owner, \
            started_at = excluded.started_at, finished_at = null, checked = 0, planned = excluded.planned, entries = 0, \
            credits = 0, mistake_count = 0, mistakes = '[]', failure = null";
        on!(&self.store.writes, |pool| sqlx::query(BEGIN)
            .bind(owner)
            .bind(millis(now))
            .bind(planned)
            .execute(pool)
            .await
            .map(drop))?;
        Ok(())
    }

    /// Records progress or the end of a check. `false`: another check has begun since.
    ///
    /// # Errors
    /// The database failed.
    pub async fn update(&self, check: &LedgerCheck) -> Result<bool, StoreError> {
        const UPDATE: &str = "update ledger_check set finished_at = $3, checked = $4, entries = $5, credits = $6, \
            mistake_count = $7, mistakes = $8, failure = $9 where id = 1 and owner = $1 and started_at = $2";
        let updated = on!(&self.store.writes, |pool| sqlx::query(UPDATE)
            .bind(&check.owner)
            .bind(millis(check.started_at))
            .bind(check.finished_at.map(millis))
            .bind(check.checked)
            .bind(check.entries)
            .bind(check.credits)
            .bind(check.mistake_count)
            .bind(&check.mistakes)
            .bind(&check.failure)
            .execute(pool)
            .await
            .map(|done| done.rows_affected()))?;
        Ok(updated > 0)
    }
}
