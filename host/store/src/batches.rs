//! Batches of look-ups: the requested items, their account, progress, and results until they expire.
//!
//! A batch is processed in parts. Workers of hosts claim one part at a time. Only the newest claim of a part may write
//! its results; it does so in one transaction with the batch's totals.
//! Invariant: a batch is visible only to its account; worker functions never look a batch up by a client's id.

mod claim;
mod sweep;

use std::time::Duration;

use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

use super::db::{MaybeMillis, Millis, list, millis, on, text_enum};
use super::idempotency::{self, KeyedOutcome, KeyedRequest};
use super::{AccountId, Store, StoreError};

pub use claim::{Backlog, BatchCounts, ClaimedPart};

const TABLE: &str = "batch";

/// The kind of a batch's items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchKind {
    Ico,
    Names,
}

text_enum!(BatchKind {
    Ico: "ico",
    Names: "names"
});

impl BatchKind {
    /// The member of an item that holds what was looked up.
    #[must_use]
    pub fn member(self) -> &'static str {
        match self {
            Self::Ico => "ico",
            Self::Names => "name",
        }
    }
}

/// A batch to be created.
#[derive(Debug)]
pub struct NewBatch<'a> {
    /// Public id: a UUID, so that clients cannot guess ids of other accounts.
    pub id: &'a str,
    pub kind: BatchKind,
    /// The scopes of each look-up, in a form that the caller reads again. `None`: base data only.
    pub scopes: Option<&'a str>,
    /// The distinct requested items, split into parts.
    pub parts: &'a [&'a [String]],
    /// Delay between the scheduled times of consecutive parts. Parts of batches that are created meanwhile run in
    /// between.
    pub pace: Duration,
    /// The worker that claims all parts at creation, and the lease.
    pub claimed: Option<(&'a str, Duration)>,
}

/// A batch and its progress.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Batch {
    pub id: String,
    #[sqlx(try_from = "String")]
    pub kind: BatchKind,
    /// Same as [`NewBatch::scopes`].
    pub scopes: Option<String>,
    /// Number of distinct items.
    pub total: i64,
    pub parts: i64,
    #[sqlx(try_from = "Millis")]
    pub created_at: OffsetDateTime,
    /// When a part was first claimed.
    #[sqlx(try_from = "MaybeMillis")]
    pub started_at: Option<OffsetDateTime>,
    /// When the last part was finished.
    #[sqlx(try_from = "MaybeMillis")]
    pub completed_at: Option<OffsetDateTime>,
    /// When the batch is deleted. Not set before completion.
    #[sqlx(try_from = "MaybeMillis")]
    pub expires_at: Option<OffsetDateTime>,
    /// Parts without results, because every claim of them ended without finishing.
    pub parts_given_up: i64,
    /// Items of finished parts.
    pub processed: i64,
    pub found: i64,
    pub not_found: i64,
    pub failed: i64,
}

/// A part of a batch, with results once it is finished.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchPart {
    pub keys: Vec<String>,
    /// One JSON line per item, in item order.
    pub results: Option<String>,
}

#[derive(sqlx::FromRow)]
struct PartRow {
    keys: String,
    results: Option<String>,
}

/// Access for batch workers: claims, results and clean-up of parts.
#[derive(Debug, Clone, Copy)]
pub struct Batches<'a> {
    pub(super) store: &'a Store,
}

/// Batches of one account. All client requests go through this type.
#[derive(Debug, Clone, Copy)]
pub struct BatchesOfAccount<'a> {
    store: &'a Store,
    account_id: AccountId,
}

impl<'a> Batches<'a> {
    #[must_use]
    pub fn of(self, account_id: AccountId) -> BatchesOfAccount<'a> {
        BatchesOfAccount {
            store: self.store,
            account_id,
        }
    }
}

impl BatchesOfAccount<'_> {
    /// Creates a batch with its parts. `None`: the request's idempotency key is already known.
    pub async fn create(
        &self,
        batch: &NewBatch<'_>,
        keyed: Option<&KeyedRequest>,
        now: OffsetDateTime,
    ) -> Result<Option<Batch>, StoreError> {
        let mut tx = self.store.writes.begin().await?;
        if let Some(keyed) = keyed
            && !idempotency::claim(
                &mut tx,
                self.account_id,
                keyed,
                batch.id,
                KeyedOutcome::Batch,
                now,
            )
            .await?
        {
            return Ok(None);
        }
        let items: usize = batch.parts.iter().map(|part| part.len()).sum();
        let started_at = batch.claimed.map(|_| millis(now));
        let created = on!(&mut tx, |tx| sqlx::query_as(AssertSqlSafe(format!(
            "insert into batch (id, account_id, kind, total, parts, created_at, started_at, scopes) \
            values ($1, $2, $3, $4, $5, $6, $7, $8) returning {COLUMNS}"
        )))
        .bind(batch.id)
        .bind(self.account_id)
        .bind(batch.kind.word())
        .bind(i64::try_from(items).unwrap_or(i64::MAX))
        .bind(i64::try_from(batch.parts.len()).unwrap_or(i64::MAX))
        .bind(millis(now))
        .bind(started_at)
        .bind(batch.scopes)
        .fetch_one(&mut **tx)
        .await)
        .map_err(StoreError::reading(TABLE))?;
        // One statement inserts all parts: each part is an element of a bound JSON array and keeps its exact text.
        let parts: Vec<String> = batch
            .parts
            .iter()
            .map(|part| list(part.iter().map(String::as_str)))
            .collect();
        let insert = format!(
            "insert into batch_part (batch_id, part, turn, items, attempt, owner, lease_until, keys) \
            select $1, {number}, $2 + {number} * $3, json_array_length(element.value), $4, $5, $6, {text} \
            from {elements}",
            number = tx.number_of_element(),
            text = tx.text_of_element(),
            elements = tx.elements(7),
        );
        on!(&mut tx, |tx| sqlx::query(AssertSqlSafe(insert))
            .bind(batch.id)
            .bind(millis(now))
            .bind(i64::try_from(batch.pace.as_millis()).unwrap_or(i64::MAX))
            .bind(i64::from(batch.claimed.is_some()))
            .bind(batch.claimed.map(|(owner, _)| owner))
            .bind(batch.claimed.map(|(_, lease)| millis(now + lease)))
            .bind(format!("[{}]", parts.join(",")))
            .execute(&mut **tx)
            .await
            .map(drop))?;
        tx.commit().await?;
        Ok(Some(created))
    }

    /// Deletes a batch and its idempotency key, whether the batch has ended or not. Hosts that work on it lose their
    /// claims.
    pub async fn cancel(&self, id: &str) -> Result<(), StoreError> {
        const KEY: &str = "delete from idempotency_key where account_id = $2 and subject = $1";
        const PARTS: &str = "delete from batch_part where batch_id = $1 \
            and exists (select 1 from batch where id = $1 and account_id = $2)";
        const BATCH: &str = "delete from batch where id = $1 and account_id = $2";
        let mut tx = self.store.writes.begin().await?;
        // Same lock order as finishing a part: parts before the batch.
        for statement in [KEY, PARTS, BATCH] {
            on!(&mut tx, |tx| sqlx::query(statement)
                .bind(id)
                .bind(self.account_id)
                .execute(&mut **tx)
                .await
                .map(drop))?;
        }
        tx.commit().await
    }

    /// The account's batch with the id, unless it has expired.
    pub async fn find(&self, id: &str, now: OffsetDateTime) -> Result<Option<Batch>, StoreError> {
        on!(&self.store.reads, |pool| sqlx::query_as(AssertSqlSafe(
            format!(
                "select {COLUMNS} from batch \
                where id = $1 and account_id = $2 and (expires_at is null or expires_at > $3)"
            )
        ))
        .bind(id)
        .bind(self.account_id)
        .bind(millis(now))
        .fetch_optional(pool)
        .await)
        .map_err(StoreError::reading(TABLE))
    }

    /// The account's newest batches that have not expired, at most 50.
    pub async fn newest(&self, now: OffsetDateTime) -> Result<Vec<Batch>, StoreError> {
        on!(&self.store.reads, |pool| sqlx::query_as(AssertSqlSafe(
            format!(
                "select {COLUMNS} from batch \
                where account_id = $1 and (expires_at is null or expires_at > $2) \
                order by created_at desc, id limit 50"
            )
        ))
        .bind(self.account_id)
        .bind(millis(now))
        .fetch_all(pool)
        .await)
        .map_err(StoreError::reading(TABLE))
    }

    /// One part of a batch. `None`: the batch was deleted meanwhile.
    pub async fn part(&self, batch: &Batch, part: i64) -> Result<Option<BatchPart>, StoreError> {
        const PART: &str = "select p.keys, p.results from batch_part p join batch b on b.id = p.batch_id \
            where p.batch_id = $1 and p.part = $2 and b.account_id = $3";
        let found: Option<PartRow> = on!(&self.store.reads, |pool| sqlx::query_as(PART)
            .bind(&batch.id)
            .bind(part)
            .bind(self.account_id)
            .fetch_optional(pool)
            .await)?;
        found
            .map(|row| {
                Ok(BatchPart {
                    keys: keys(&row.keys)?,
                    results: row.results,
                })
            })
            .transpose()
    }
}

const COLUMNS: &str = "id, kind, scopes, total, parts, created_at, started_at, completed_at, expires_at, parts_given_up, \
    processed, found, not_found, failed";

fn keys(stored: &str) -> Result<Vec<String>, StoreError> {
    serde_json::from_str(stored).map_err(|error| StoreError::Unreadable {
        table: "batch_part",
        why: format!("column keys: {error}"),
    })
}
