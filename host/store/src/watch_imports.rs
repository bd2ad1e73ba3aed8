//! Imports of watch lists: what was read, how far the import is, and its report until it expires.
//!
//! A host that holds the lease of an import does its next part. Only the newest claim of a part may finish it, in one
//! transaction with the import's counts. Invariant: an import is visible only to its account.

mod claim;

use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

use super::db::{MaybeMillis, Millis, list, millis, on};
use super::idempotency::{self, KeyedOutcome, KeyedRequest};
use super::{AccountId, Store, StoreError};

pub use claim::{ClaimedWatchImport, WatchImportCounts};

const TABLE: &str = "watch_import";

/// An import to be created.
#[derive(Debug)]
pub struct NewWatchImport<'a> {
    /// Public id: a UUID, so that clients cannot guess ids of other accounts.
    pub id: &'a str,
    /// Whether only the report is wanted.
    pub dry_run: bool,
    /// JSON object of the subscriptions' target.
    pub target: &'a str,
    /// Encrypted secret of new webhooks.
    pub secret: &'a str,
    /// Number of lines in all parts.
    pub lines: usize,
    /// JSON arrays of lines.
    pub parts: &'a [String],
}

/// An import and its progress.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct WatchImport {
    pub id: String,
    pub dry_run: bool,
    pub lines: i64,
    pub parts: i64,
    pub parts_finished: i64,
    #[sqlx(try_from = "Millis")]
    pub created_at: OffsetDateTime,
    #[sqlx(try_from = "MaybeMillis")]
    pub completed_at: Option<OffsetDateTime>,
    /// When it is deleted. Not set before completion.
    #[sqlx(try_from = "MaybeMillis")]
    pub expires_at: Option<OffsetDateTime>,
    /// Lines of finished parts: the sum of the next four.
    pub processed: i64,
    pub created: i64,
    pub updated: i64,
    pub unchanged: i64,
    pub rejected: i64,
}

/// Result of creating an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchImportCreation {
    Created(WatchImport),
    /// The account has as many imports that have not ended as it may have.
    TooMany,
    /// The request's idempotency key is already known, and nothing was created.
    Repeated,
}

/// Access for workers: claims, results and clean-up.
#[derive(Debug, Clone, Copy)]
pub struct WatchImports<'a> {
    pub(super) store: &'a Store,
}

/// Imports of one account. All client requests go through this type.
#[derive(Debug, Clone, Copy)]
pub struct WatchImportsOfAccount<'a> {
    store: &'a Store,
    account: AccountId,
}

impl<'a> WatchImports<'a> {
    #[must_use]
    pub fn of(self, account: AccountId) -> WatchImportsOfAccount<'a> {
        WatchImportsOfAccount {
            store: self.store,
            account,
        }
    }
}

const COLUMNS: &str = "id, dry_run, lines, parts, parts_finished, created_at, completed_at, expires_at, processed, \
    created, updated, unchanged, rejected";

impl WatchImportsOfAccount<'_> {
    /// Creates an import, unless the account has `most` imports that have not ended.
    pub async fn create(
        &self,
        new: &NewWatchImport<'_>,
        keyed: Option<&KeyedRequest>,
        most: u32,
        now: OffsetDateTime,
    ) -> Result<WatchImportCreation, StoreError> {
        const LOCK: &str = "update account set name = name where id = $1";
        const WAITING: &str =
            "select count(*) from watch_import where account_id = $1 and completed_at is null";
        let mut tx = self.store.writes.begin().await?;
        // Concurrent requests of the account wait, so that they do not exceed the limit.
        on!(&mut tx, |tx| sqlx::query(LOCK)
            .bind(self.account)
            .execute(&mut **tx)
            .await
            .map(drop))?;
        if let Some(keyed) = keyed
            && !idempotency::claim(
                &mut tx,
                self.account,
                keyed,
                new.id,
                KeyedOutcome::Import,
                now,
            )
            .await?
        {
            return Ok(WatchImportCreation::Repeated);
        }
        let waiting: i64 = on!(&mut tx, |tx| sqlx::query_scalar(WAITING)
            .bind(self.account)
            .fetch_one(&mut **tx)
            .await)?;
        if waiting >= i64::from(most) {
            return Ok(WatchImportCreation::TooMany);
        }
        let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        let created = on!(&mut tx, |tx| sqlx::query_as(AssertSqlSafe(format!(
            "insert into watch_import (id, account_id, dry_run, target, secret, lines, parts, created_at, turn) \
            values ($1, $2, $3, $4, $5, $6, $7, $8, $8) returning {COLUMNS}"
        )))
        .bind(new.id)
        .bind(self.account)
        .bind(new.dry_run)
        .bind(new.target)
        .bind(new.secret)
        .bind(count(new.lines))
        .bind(count(new.parts.len()))
        .bind(millis(now))
        .fetch_one(&mut **tx)
        .await)
        .map_err(StoreError::reading(TABLE))?;
        let insert = format!(
            "insert into watch_import_part (import_id, part, lines) select $1, {}, {} from {}",
            tx.number_of_element(),
            tx.text_of_element(),
            tx.elements(2),
        );
        on!(&mut tx, |tx| sqlx::query(AssertSqlSafe(insert))
            .bind(new.id)
            .bind(format!("[{}]", new.parts.join(",")))
            .execute(&mut **tx)
            .await
            .map(drop))?;
        tx.commit().await?;
        Ok(WatchImportCreation::Created(created))
    }

    /// The encrypted secret of the import's webhooks.
    pub async fn secret(&self, id: &str) -> Result<Option<String>, StoreError> {
        const SECRET: &str = "select secret from watch_import where id = $1 and account_id = $2";
        Ok(on!(&self.store.reads, |pool| sqlx::query_scalar(SECRET)
            .bind(id)
            .bind(self.account)
            .fetch_optional(pool)
            .await)?)
    }

    /// The account's import with the id, unless it has expired.
    pub async fn find(
        &self,
        id: &str,
        now: OffsetDateTime,
    ) -> Result<Option<WatchImport>, StoreError> {
        on!(&self.store.reads, |pool| sqlx::query_as(AssertSqlSafe(
            format!(
                "select {COLUMNS} from watch_import \
                where id = $1 and account_id = $2 and (expires_at is null or expires_at > $3)"
            )
        ))
        .bind(id)
        .bind(self.account)
        .bind(millis(now))
        .fetch_optional(pool)
        .await)
        .map_err(StoreError::reading(TABLE))
    }

    /// The newest imports of the account, at most 50.
    pub async fn newest(&self, now: OffsetDateTime) -> Result<Vec<WatchImport>, StoreError> {
        on!(&self.store.reads, |pool| sqlx::query_as(AssertSqlSafe(
            format!(
                "select {COLUMNS} from watch_import \
                where account_id = $1 and (expires_at is null or expires_at > $2) \
                order by created_at desc, id limit 50"
            )
        ))
        .bind(self.account)
        .bind(millis(now))
        .fetch_all(pool)
        .await)
        .map_err(StoreError::reading(TABLE))
    }

    /// The results of one part, a JSON array. `None`: it is not finished, or the import was deleted.
    pub async fn results(&self, id: &str, part: i64) -> Result<Option<String>, StoreError> {
        const RESULTS: &str = "select p.results from watch_import_part p join watch_import i on i.id = p.import_id \
            where p.import_id = $1 and p.part = $2 and i.account_id = $3 and p.results is not null";
        Ok(on!(&self.store.reads, |pool| sqlx::query_scalar(RESULTS)
            .bind(id)
            .bind(part)
            .bind(self.account)
            .fetch_optional(pool)
            .await)?)
    }
}

impl WatchImports<'_> {
    /// The lines of an import that named these companies first, as pairs of registration number and line.
    pub async fn first_lines(
        &self,
        id: &str,
        icos: &[String],
    ) -> Result<Vec<(String, i64)>, StoreError> {
        let db = &self.store.reads;
        let sql = format!(
            "select ico, line from watch_import_company where import_id = $1 and {}",
            db.is_listed("ico", 2)
        );
        Ok(on!(db, |pool| sqlx::query_as(AssertSqlSafe(sql))
            .bind(id)
            .bind(list(icos.iter().map(String::as_str)))
            .fetch_all(pool)
            .await)?)
    }

    /// Deletes up to `limit` rows each of the lines and the companies of one expired import, and the import with the
    /// last of them. Returns the number of rows; 0 if no expired import is left.
    pub async fn sweep(&self, limit: u32, now: OffsetDateTime) -> Result<u64, StoreError> {
        const EXPIRED: &str =
            "select id from watch_import where expires_at <= $1 order by expires_at limit 1";
        const FORGET: &str = "delete from watch_import where id = $1 \
            and not exists (select 1 from watch_import_part where import_id = $1) \
            and not exists (select 1 from watch_import_company where import_id = $1)";
        let expired: Option<String> = on!(&self.store.reads, |pool| sqlx::query_scalar(EXPIRED)
            .bind(millis(now))
            .fetch_optional(pool)
            .await)?;
        let Some(id) = expired else {
            return Ok(0);
        };
        let mut deleted = 0;
        let mut tx = self.store.writes.begin().await?;
        for (table, key) in [
            ("watch_import_company", "ico"),
            ("watch_import_part", "part"),
        ] {
            // Other hosts sweep too; skip rows that another host has locked.
            let delete = format!(
                "{} delete from {table} where import_id = $1 and {key} in (select {key} from chosen)",
                tx.chosen(&format!(
                    "select {key} from {table} where import_id = $1 order by {key} limit $2"
                ))
            );
            deleted += on!(&mut tx, |tx| sqlx::query(AssertSqlSafe(delete))
                .bind(&id)
                .bind(i64::from(limit))
                .execute(&mut **tx)
                .await
                .map(|done| done.rows_affected()))?;
        }
        deleted += on!(&mut tx, |tx| sqlx::query(FORGET)
            .bind(&id)
            .execute(&mut **tx)
            .await
            .map(|done| done.rows_affected()))?;
        tx.commit().await?;
        Ok(deleted)
    }
}
