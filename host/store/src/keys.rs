//! Accounts and their keys.
//!
//! A key itself is never stored, only its hash. Whether a key that was found may be used is decided by the caller,
//! who knows what to answer to an expired one.

use std::collections::BTreeMap;

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
    /// How many plans it has been on.
    pub plan_version: i64,
    /// Whether its calls are answered when the credits are used up, where the plan allows that.
    pub overage: bool,
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
    pub plan_version: i64,
    pub overage: bool,
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

const CREATE_KEY: &str = "insert into api_key (account_id, name, prefix, hash, created_at, expires_at) \
    values ($1, $2, $3, $4, $5, $6) \
    returning id, account_id, name, prefix, created_at, expires_at, revoked_at, last_used_at";

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
            returning id, name, plan, plan_version, overage, created_at";
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

    /// The language of an account's letters, by its code. `None`: there is no such account.
    pub async fn language(&self, account: i64) -> Result<Option<String>, StoreError> {
        const LANGUAGE: &str = "select language from account where id = $1";
        Ok(on!(&self.store.reads, |pool| sqlx::query_scalar(LANGUAGE)
            .bind(account)
            .fetch_optional(pool)
            .await)?)
    }

    /// Sets the language of an account's letters, by its code.
    pub async fn set_language(&self, account: i64, language: &str) -> Result<(), StoreError> {
        const SET: &str = "update account set language = $2 where id = $1";
        on!(&self.store.writes, |pool| sqlx::query(SET)
            .bind(account)
            .bind(language)
            .execute(pool)
            .await
            .map(drop))?;
        Ok(())
    }

    /// The account with the name.
    pub async fn find_account(&self, name: &str) -> Result<Option<Account>, StoreError> {
        const FIND: &str =
            "select id, name, plan, plan_version, overage, created_at from account where name = $1";
        on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(name)
            .fetch_optional(pool)
            .await)
        .map_err(StoreError::reading("account"))
    }

    /// The account with the id.
    pub async fn find_account_by_id(&self, id: i64) -> Result<Option<Account>, StoreError> {
        const FIND: &str =
            "select id, name, plan, plan_version, overage, created_at from account where id = $1";
        on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(id)
            .fetch_optional(pool)
            .await)
        .map_err(StoreError::reading("account"))
    }

    /// All accounts, by their names.
    pub async fn list_accounts(&self) -> Result<Vec<Account>, StoreError> {
        const LIST: &str =
            "select id, name, plan, plan_version, overage, created_at from account order by name";
        on!(&self.store.reads, |pool| sqlx::query_as(LIST)
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading("account"))
    }

    /// How many accounts are on each plan, plans without accounts left out.
    pub async fn count_accounts(&self) -> Result<BTreeMap<String, i64>, StoreError> {
        const COUNT: &str = "select plan, count(*) from account group by plan";
        let counted: Vec<(String, i64)> = on!(&self.store.reads, |pool| sqlx::query_as(COUNT)
            .fetch_all(pool)
            .await)?;
        Ok(counted.into_iter().collect())
    }

    /// Puts an account on another plan. False: it is on that plan, and nothing was changed.
    pub async fn change_plan(&self, account_id: i64, plan: &str) -> Result<bool, StoreError> {
        const CHANGE: &str = "update account set plan = $2, plan_version = plan_version + 1 \
            where id = $1 and plan <> $2";
        let changed = on!(&self.store.writes, |pool| sqlx::query(CHANGE)
            .bind(account_id)
            .bind(plan)
            .execute(pool)
            .await
            .map(|done| done.rows_affected()))?;
        Ok(changed > 0)
    }

    /// Says whether an account wants its calls answered when the credits are used up.
    pub async fn set_overage(&self, account_id: i64, overage: bool) -> Result<(), StoreError> {
        const SET: &str = "update account set overage = $2 where id = $1";
        on!(&self.store.writes, |pool| sqlx::query(SET)
            .bind(account_id)
            .bind(overage)
            .execute(pool)
            .await
            .map(drop))?;
        Ok(())
    }

    /// Makes a key in place of another of its account, which ends at `old_ends_at` unless it ends before. `None`: there
    /// is none with the id, or it was revoked.
    pub async fn rotate_key(
        &self,
        old: &ApiKey,
        prefix: &str,
        hash: &[u8],
        old_ends_at: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<Option<ApiKey>, StoreError> {
        const END: &str = "update api_key set expires_at = $2 \
            where id = $1 and revoked_at is null and (expires_at is null or expires_at > $2)";
        const VALID: &str = "select 1 from api_key where id = $1 and revoked_at is null \
            and (expires_at is null or expires_at > $2)";
        let mut tx = self.store.writes.begin().await?;
        let valid: Option<i32> = on!(&mut tx, |tx| sqlx::query_scalar(VALID)
            .bind(old.id)
            .bind(millis(now))
            .fetch_optional(&mut **tx)
            .await)?;
        if valid.is_none() {
            return Ok(None);
        }
        on!(&mut tx, |tx| sqlx::query(END)
            .bind(old.id)
            .bind(millis(old_ends_at))
            .execute(&mut **tx)
            .await
            .map(drop))?;
        // The new one is for as long as the old one was meant to be.
        let key = on!(&mut tx, |tx| sqlx::query_as(CREATE_KEY)
            .bind(old.account_id)
            .bind(&old.name)
            .bind(prefix)
            .bind(hash)
            .bind(millis(now))
            .bind(old.expires_at.map(millis))
            .fetch_one(&mut **tx)
            .await)
        .map_err(StoreError::reading("api_key"))?;
        tx.commit().await?;
        Ok(Some(key))
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
        on!(&self.store.writes, |pool| sqlx::query_as(CREATE_KEY)
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
        const FIND: &str = "select k.id as key_id, k.account_id, a.name as account, a.plan, a.plan_version, \
            a.overage, k.expires_at, k.revoked_at from api_key k join account a on a.id = k.account_id where k.hash = $1";
        on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(hash)
            .fetch_optional(pool)
            .await)
        .map_err(StoreError::reading("api_key"))
    }

    /// Notes when keys were last used; an earlier time than the one that is noted changes nothing.
    pub async fn touch_keys(&self, used: &[(i64, OffsetDateTime)]) -> Result<(), StoreError> {
        const TOUCH: &str = "update api_key set last_used_at = $2 \
            where id = $1 and (last_used_at is null or last_used_at < $2)";
        if used.is_empty() {
            return Ok(());
        }
        let mut used = used.to_vec();
        // Hosts that note the same keys wait for each other and never in a circle.
        used.sort_unstable();
        let mut tx = self.store.writes.begin().await?;
        for (key, at) in used {
            on!(&mut tx, |tx| sqlx::query(TOUCH)
                .bind(key)
                .bind(millis(at))
                .execute(&mut **tx)
                .await
                .map(drop))?;
        }
        tx.commit().await
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
