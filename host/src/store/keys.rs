//! Accounts and their keys.
//!
//! A key itself is never stored, only its hash. Whether a key that was found may be used is decided by the caller,
//! who knows what to answer to an expired one.

use time::OffsetDateTime;

use super::db::{MaybeMillis, Millis, millis, on};
use super::{Store, StoreError};

/// A customer.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Account {
    pub id: i64,
    /// Unique.
    pub name: String,
    pub plan: String,
    #[sqlx(try_from = "Millis")]
    pub created_at: OffsetDateTime,
}

/// A key as its account sees it.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ApiKey {
    pub id: i64,
    pub account_id: i64,
    /// What its account calls it.
    pub name: String,
    /// The beginning of the key, for people who look for theirs in a list.
    pub prefix: String,
    #[sqlx(try_from = "Millis")]
    pub created_at: OffsetDateTime,
    #[sqlx(try_from = "MaybeMillis")]
    pub expires_at: Option<OffsetDateTime>,
    #[sqlx(try_from = "MaybeMillis")]
    pub revoked_at: Option<OffsetDateTime>,
    #[sqlx(try_from = "MaybeMillis")]
    pub last_used_at: Option<OffsetDateTime>,
}

/// Whose key it is and whether it holds.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct KeyOfAccount {
    pub key_id: i64,
    pub account_id: i64,
    /// The account's name.
    pub account: String,
    pub plan: String,
    #[sqlx(try_from = "MaybeMillis")]
    pub expires_at: Option<OffsetDateTime>,
    #[sqlx(try_from = "MaybeMillis")]
    pub revoked_at: Option<OffsetDateTime>,
}

/// Why an account could not be made.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// Another account has the name.
    #[error("there is an account with this name")]
    NameTaken,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Accounts and their keys.
#[derive(Debug, Clone, Copy)]
pub struct Keys<'a> {
    pub(super) store: &'a Store,
}

impl Keys<'_> {
    /// Makes an account.
    pub async fn create_account(
        &self,
        name: &str,
        plan: &str,
        now: OffsetDateTime,
    ) -> Result<Account, AccountError> {
        const CREATE: &str = "insert into account (name, plan, created_at) values ($1, $2, $3) \
            returning id, name, plan, created_at";
        let created = on!(&self.store.writes, |pool| sqlx::query_as(CREATE)
            .bind(name)
            .bind(plan)
            .bind(millis(now))
            .fetch_one(pool)
            .await);
        created.map_err(|error| {
            if error
                .as_database_error()
                .is_some_and(sqlx::error::DatabaseError::is_unique_violation)
            {
                return AccountError::NameTaken;
            }
            AccountError::Store(StoreError::reading("account")(error))
        })
    }

    /// The account with the name.
    pub async fn find_account(&self, name: &str) -> Result<Option<Account>, StoreError> {
        const FIND: &str = "select id, name, plan, created_at from account where name = $1";
        on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(name)
            .fetch_optional(pool)
            .await)
        .map_err(StoreError::reading("account"))
    }

    /// Makes a key of an account.
    pub async fn create_key(
        &self,
        account_id: i64,
        name: &str,
        prefix: &str,
        hash: &[u8],
        expires_at: Option<OffsetDateTime>,
        now: OffsetDateTime,
    ) -> Result<ApiKey, StoreError> {
        const CREATE: &str = "insert into api_key (account_id, name, prefix, hash, created_at, expires_at) \
            values ($1, $2, $3, $4, $5, $6) \
            returning id, account_id, name, prefix, created_at, expires_at, revoked_at, last_used_at";
        on!(&self.store.writes, |pool| sqlx::query_as(CREATE)
            .bind(account_id)
            .bind(name)
            .bind(prefix)
            .bind(hash)
            .bind(millis(now))
            .bind(expires_at.map(millis))
            .fetch_one(pool)
            .await)
        .map_err(StoreError::reading("api_key"))
    }

    /// Whose key has the hash; expired and revoked ones too.
    pub async fn find_key(&self, hash: &[u8]) -> Result<Option<KeyOfAccount>, StoreError> {
        const FIND: &str = "select k.id as key_id, k.account_id, a.name as account, a.plan, k.expires_at, \
            k.revoked_at from api_key k join account a on a.id = k.account_id where k.hash = $1";
        on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(hash)
            .fetch_optional(pool)
            .await)
        .map_err(StoreError::reading("api_key"))
    }

    /// Notes that a key was used at `now`.
    pub async fn touch_key(&self, key_id: i64, now: OffsetDateTime) -> Result<(), StoreError> {
        const TOUCH: &str = "update api_key set last_used_at = $2 \
            where id = $1 and (last_used_at is null or last_used_at < $2)";
        on!(&self.store.writes, |pool| sqlx::query(TOUCH)
            .bind(key_id)
            .bind(millis(now))
            .execute(pool)
            .await
            .map(drop))?;
        Ok(())
    }

    /// The keys of an account, oldest first.
    pub async fn list_keys(&self, account_id: i64) -> Result<Vec<ApiKey>, StoreError> {
        const LIST: &str = "select id, account_id, name, prefix, created_at, expires_at, revoked_at, last_used_at \
            from api_key where account_id = $1 order by id";
        on!(&self.store.reads, |pool| sqlx::query_as(LIST)
            .bind(account_id)
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading("api_key"))
    }

    /// Ends a key at `now`. False: there is none with the id, or it had ended.
    pub async fn revoke_key(&self, key_id: i64, now: OffsetDateTime) -> Result<bool, StoreError> {
        const REVOKE: &str =
            "update api_key set revoked_at = $2 where id = $1 and revoked_at is null";
        let revoked = on!(&self.store.writes, |pool| sqlx::query(REVOKE)
            .bind(key_id)
            .bind(millis(now))
            .execute(pool)
            .await
            .map(|done| done.rows_affected()))?;
        Ok(revoked > 0)
    }
}
