//! Idempotency keys: which request of an account a key stands for, and what that request made.
//!
//! A key is claimed in the transaction that carries its request out. Invariant: a key that is known has had its effect,
//! once.

use time::OffsetDateTime;

use super::db::{Tx, millis, on, text_enum};
use super::{Store, StoreError};

const TABLE: &str = "idempotency_key";

/// A request that was sent with a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyedRequest {
    /// The client's text.
    pub key: String,
    /// Digest of the endpoint and of what is asked.
    pub request: String,
    /// Until when the key is known.
    pub expires_at: OffsetDateTime,
}

/// What the request of a key made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyedOutcome {
    /// A batch.
    Batch,
    /// A subscription that was not there before.
    Created,
    /// A subscription that was there, whose secret was shown.
    UpdatedWithSecret,
    /// A subscription that was there.
    Updated,
}

text_enum!(KeyedOutcome {
    Batch: "batch",
    Created: "created",
    UpdatedWithSecret: "updated-with-secret",
    Updated: "updated",
});

/// What is known of a key.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct KnownRequest {
    /// As in [`KeyedRequest`].
    pub request: String,
    /// The id of what was made.
    pub subject: String,
    /// What it is.
    #[sqlx(try_from = "String")]
    pub outcome: KeyedOutcome,
}

/// The keys of all accounts.
#[derive(Debug, Clone, Copy)]
pub struct IdempotencyKeys<'a> {
    pub(super) store: &'a Store,
}

impl IdempotencyKeys<'_> {
    /// What a key of an account stands for, until it expires.
    pub async fn find(
        &self,
        account_id: i64,
        key: &str,
        now: OffsetDateTime,
    ) -> Result<Option<KnownRequest>, StoreError> {
        const FIND: &str = "select request, subject, outcome from idempotency_key \
            where account_id = $1 and key = $2 and expires_at > $3";
        on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(account_id)
            .bind(key)
            .bind(millis(now))
            .fetch_optional(pool)
            .await)
        .map_err(StoreError::reading(TABLE))
    }

    /// Deletes up to `limit` keys that have expired; how many.
    pub async fn sweep(&self, limit: u32, now: OffsetDateTime) -> Result<u64, StoreError> {
        const EXPIRED: &str = "select 1 from idempotency_key where expires_at <= $1 limit 1";
        const DELETE: &str = "delete from idempotency_key where (account_id, key) in \
            (select account_id, key from idempotency_key where expires_at <= $1 order by expires_at limit $2)";
        // Read first: most sweeps find nothing and must not take the write lock.
        let expired: Option<i32> = on!(&self.store.reads, |pool| sqlx::query_scalar(EXPIRED)
            .bind(millis(now))
            .fetch_optional(pool)
            .await)?;
        if expired.is_none() {
            return Ok(0);
        }
        Ok(on!(&self.store.writes, |pool| sqlx::query(DELETE)
            .bind(millis(now))
            .bind(i64::from(limit))
            .execute(pool)
            .await
            .map(|done| done.rows_affected()))?)
    }
}

/// Claims a key for what this transaction makes. False: the key is known, and the transaction must be given up.
pub(super) async fn claim(
    tx: &mut Tx,
    account_id: i64,
    keyed: &KeyedRequest,
    subject: &str,
    outcome: KeyedOutcome,
    now: OffsetDateTime,
) -> Result<bool, StoreError> {
    // A key that has expired and was not swept yet is free again.
    const CLAIM: &str = "insert into idempotency_key (account_id, key, request, subject, outcome, expires_at) \
        values ($1, $2, $3, $4, $5, $6) on conflict (account_id, key) do update \
        set request = excluded.request, subject = excluded.subject, outcome = excluded.outcome, \
        expires_at = excluded.expires_at where idempotency_key.expires_at <= $7";
    let claimed = on!(tx, |tx| sqlx::query(CLAIM)
        .bind(account_id)
        .bind(&keyed.key)
        .bind(&keyed.request)
        .bind(subject)
        .bind(outcome.word())
        .bind(millis(keyed.expires_at))
        .bind(millis(now))
        .execute(&mut **tx)
        .await
        .map(|done| done.rows_affected()))?;
    Ok(claimed > 0)
}
