//! Idempotency keys: the request behind each key of an account, and what the request created.
//!
//! A key is claimed in the same transaction as the effect of its request.
//! Invariant: a known key has had its effect exactly once.

use time::OffsetDateTime;

use super::db::{Tx, millis, on, text_enum};
use super::{AccountId, Store, StoreError};

const TABLE: &str = "idempotency_key";

/// A request with an idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyedRequest {
    /// The key that the client sent.
    pub key: String,
    /// Digest of the endpoint and the request's content.
    pub request: String,
    /// When the key expires.
    pub expires_at: OffsetDateTime,
}

/// What a request with a key created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyedOutcome {
    Batch,
    /// The request created a new subscription.
    Created,
    /// The request updated an existing subscription; the response contained a new secret.
    UpdatedWithSecret,
    /// The request updated an existing subscription.
    Updated,
    /// The request created or rotated an API key. Its secret is in [`KnownRequest::sealed`].
    Key,
    /// The request created an import of a watch list.
    Import,
}

text_enum!(KeyedOutcome {
    Batch: "batch",
    Created: "created",
    UpdatedWithSecret: "updated-with-secret",
    Updated: "updated",
    Key: "key",
    Import: "import",
});

/// The stored request of a key.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct KnownRequest {
    /// Same digest as [`KeyedRequest::request`].
    pub request: String,
    /// The id of the created object.
    pub subject: String,
    /// The kind of object, and how it was created.
    #[sqlx(try_from = "String")]
    pub outcome: KeyedOutcome,
    /// The secret that the response contained, encrypted by the caller.
    pub sealed: Option<String>,
}

/// Idempotency keys of all accounts.
#[derive(Debug, Clone, Copy)]
pub struct IdempotencyKeys<'a> {
    pub(super) store: &'a Store,
}

impl IdempotencyKeys<'_> {
    /// Looks up a key of an account, unless it has expired.
    pub async fn find(
        &self,
        account_id: AccountId,
        key: &str,
        now: OffsetDateTime,
    ) -> Result<Option<KnownRequest>, StoreError> {
        const FIND: &str = "select request, subject, outcome, sealed from idempotency_key \
            where account_id = $1 and key = $2 and expires_at > $3";
        on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(account_id)
            .bind(key)
            .bind(millis(now))
            .fetch_optional(pool)
            .await)
        .map_err(StoreError::reading(TABLE))
    }

    /// Deletes up to `limit` expired keys and returns how many.
    pub async fn sweep(&self, limit: u32, now: OffsetDateTime) -> Result<u64, StoreError> {
        const EXPIRED: &str = "select 1 from idempotency_key where expires_at <= $1 limit 1";
        const DELETE: &str = "delete from idempotency_key where (account_id, key) in \
            (select account_id, key from idempotency_key where expires_at <= $1 order by expires_at limit $2)";
        // Check with a read first: most sweeps find nothing and must not take the write lock.
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

/// Claims a key for the effect of this transaction. `false`: the key is already known, and the caller must roll back.
pub(super) async fn claim(
    tx: &mut Tx,
    account_id: AccountId,
    keyed: &KeyedRequest,
    subject: &str,
    outcome: KeyedOutcome,
    now: OffsetDateTime,
) -> Result<bool, StoreError> {
    // An expired key that has not been swept yet may be claimed again.
    const CLAIM: &str = "insert into idempotency_key (account_id, key, request, subject, outcome, expires_at) \
        values ($1, $2, $3, $4, $5, $6) on conflict (account_id, key) do update \
        set request = excluded.request, subject = excluded.subject, outcome = excluded.outcome, \
        expires_at = excluded.expires_at, sealed = null where idempotency_key.expires_at <= $7";
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

/// Stores the encrypted secret of the response with a key that this transaction claimed.
pub(super) async fn seal(
    tx: &mut Tx,
    account_id: AccountId,
    key: &str,
    sealed: &str,
) -> Result<(), StoreError> {
    const SEAL: &str = "update idempotency_key set sealed = $3 where account_id = $1 and key = $2";
    on!(tx, |tx| sqlx::query(SEAL)
        .bind(account_id)
        .bind(key)
        .bind(sealed)
        .execute(&mut **tx)
        .await
        .map(drop))?;
    Ok(())
}
