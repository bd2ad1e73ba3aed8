//! Accounts and their API keys.
//!
//! Only the hash of a key is stored. The caller decides whether a key may be used, because it knows the error for an
//! expired one.

mod owned;

use std::collections::BTreeMap;

use time::OffsetDateTime;

pub(super) use owned::lock_account;
pub use owned::{
    KeyChange, KeyCreation, KeyLimits, KeysOfAccount, NewKeyOfAccount, OwnedKey, SealedKeyRequest,
};

use super::db::{MaybeMillis, Millis, end_of_prefix, millis, on};
use super::{AccountId, Store, StoreError};

#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Account {
    pub id: AccountId,
    pub name: String,
    pub plan: String,
    /// How many plans the account has had; identifies the plan change.
    pub plan_version: i64,
    /// Whether calls beyond the credits are answered, if the plan allows that.
    pub overage: bool,
    /// Language code of the account's e-mails (ISO 639-1).
    pub language: String,
    #[sqlx(try_from = "Millis")]
    pub created_at: OffsetDateTime,
}

/// A key, as its account sees it.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ApiKey {
    pub id: i64,
    pub account_id: AccountId,
    /// The label that the account gave the key.
    pub name: String,
    /// The first characters of the key, to recognise it in a list.
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

/// The account of a key, and whether the key is valid.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct KeyOfAccount {
    pub key_id: i64,
    pub account_id: AccountId,
    pub account: String,
    pub plan: String,
    pub plan_version: i64,
    pub overage: bool,
    /// Language code of the account's e-mails (ISO 639-1).
    pub language: String,
    #[sqlx(try_from = "MaybeMillis")]
    pub expires_at: Option<OffsetDateTime>,
    #[sqlx(try_from = "MaybeMillis")]
    pub revoked_at: Option<OffsetDateTime>,
    /// Whether the key may manage keys, people and the plan of its account.
    pub manage: bool,
    /// Scopes that the key may request, separated by spaces. `None`: every scope of the plan.
    pub scopes: Option<String>,
    /// Client networks that may use the key, separated by spaces. `None`: every address.
    pub addresses: Option<String>,
    /// If the hash is that of the secret before the last rotation: when that secret ends.
    #[sqlx(try_from = "MaybeMillis")]
    pub former_ends_at: Option<OffsetDateTime>,
}

/// Why an account could not be created.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// Another account has the same name.
    #[error("an account with this name already exists")]
    NameTaken,
    #[error(transparent)]
    Store(#[from] StoreError),
}

const CREATE_KEY: &str = "insert into api_key (account_id, name, prefix, hash, created_at, expires_at) \
    values ($1, $2, $3, $4, $5, $6) \
    returning id, account_id, name, prefix, created_at, expires_at, revoked_at, last_used_at";

#[derive(Debug, Clone, Copy)]
pub struct Keys<'a> {
    pub(super) store: &'a Store,
}

impl Keys<'_> {
    pub async fn create_account(
        &self,
        name: &str,
        plan: &str,
        now: OffsetDateTime,
    ) -> Result<Account, AccountError> {
        const CREATE: &str = "insert into account (name, plan, created_at) values ($1, $2, $3) \
            returning id, name, plan, plan_version, overage, language, created_at";
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

    /// Language code of an account's e-mails. `None`: the account does not exist.
    pub async fn language(&self, account: AccountId) -> Result<Option<String>, StoreError> {
        const LANGUAGE: &str = "select language from account where id = $1";
        Ok(on!(&self.store.reads, |pool| sqlx::query_scalar(LANGUAGE)
            .bind(account)
            .fetch_optional(pool)
            .await)?)
    }

    /// Sets the language code of an account's e-mails.
    pub async fn set_language(&self, account: AccountId, language: &str) -> Result<(), StoreError> {
        const SET: &str = "update account set language = $2 where id = $1";
        on!(&self.store.writes, |pool| sqlx::query(SET)
            .bind(account)
            .bind(language)
            .execute(pool)
            .await
            .map(drop))?;
        Ok(())
    }

    pub async fn find_account(&self, name: &str) -> Result<Option<Account>, StoreError> {
        const FIND: &str = "select id, name, plan, plan_version, overage, language, created_at from account where name = $1";
        on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(name)
            .fetch_optional(pool)
            .await)
        .map_err(StoreError::reading("account"))
    }

    pub async fn find_account_by_id(&self, id: AccountId) -> Result<Option<Account>, StoreError> {
        const FIND: &str = "select id, name, plan, plan_version, overage, language, created_at from account where id = $1";
        on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(id)
            .fetch_optional(pool)
            .await)
        .map_err(StoreError::reading("account"))
    }

    /// All accounts in name order.
    pub async fn list_accounts(&self) -> Result<Vec<Account>, StoreError> {
        const LIST: &str = "select id, name, plan, plan_version, overage, language, created_at from account order by name";
        on!(&self.store.reads, |pool| sqlx::query_as(LIST)
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading("account"))
    }

    /// At most `limit` accounts whose names begin with the text, in name order.
    pub async fn find_accounts(
        &self,
        name_prefix: &str,
        limit: u32,
    ) -> Result<Vec<Account>, StoreError> {
        const FIND: &str = "select id, name, plan, plan_version, overage, language, created_at from account \
            where name >= $1 and name < $2 order by name limit $3";
        on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(name_prefix)
            .bind(end_of_prefix(name_prefix))
            .bind(i64::from(limit))
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading("account"))
    }

    /// Number of accounts per plan; plans without accounts are omitted.
    pub async fn count_accounts(&self) -> Result<BTreeMap<String, i64>, StoreError> {
        const COUNT: &str = "select plan, count(*) from account group by plan";
        let counted: Vec<(String, i64)> = on!(&self.store.reads, |pool| sqlx::query_as(COUNT)
            .fetch_all(pool)
            .await)?;
        Ok(counted.into_iter().collect())
    }

    /// Changes the plan of an account. `false`: it already has that plan, and nothing was changed.
    pub async fn change_plan(&self, account_id: AccountId, plan: &str) -> Result<bool, StoreError> {
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

    /// Changes the plan of an account that is on the plan `from`. `false`: it is on another plan, and nothing was
    /// changed.
    pub async fn move_plan(
        &self,
        account_id: AccountId,
        from: &str,
        to: &str,
    ) -> Result<bool, StoreError> {
        const MOVE: &str = "update account set plan = $3, plan_version = plan_version + 1 \
            where id = $1 and plan = $2";
        let moved = on!(&self.store.writes, |pool| sqlx::query(MOVE)
            .bind(account_id)
            .bind(from)
            .bind(to)
            .execute(pool)
            .await
            .map(|done| done.rows_affected()))?;
        Ok(moved > 0)
    }

    /// Sets whether calls of an account beyond its credits are answered.
    pub async fn set_overage(
        &self,
        account_id: AccountId,
        overage: bool,
    ) -> Result<(), StoreError> {
        const SET: &str = "update account set overage = $2 where id = $1";
        on!(&self.store.writes, |pool| sqlx::query(SET)
            .bind(account_id)
            .bind(overage)
            .execute(pool)
            .await
            .map(drop))?;
        Ok(())
    }

    /// Creates a key that replaces another one of the same account, with its rights and limits. The old key expires at
    /// `old_ends_at` unless it expires earlier. `None`: there is no such key, or it is revoked or expired.
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
        const SUCCEED: &str = "insert into api_key \
            (account_id, name, prefix, hash, created_at, expires_at, manage, scopes, addresses) \
            select account_id, name, $2, $3, $4, $5, manage, scopes, addresses from api_key where id = $1 \
            returning id, account_id, name, prefix, created_at, expires_at, revoked_at, last_used_at";
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
        // The new key has the expiry that the old one had.
        let key = on!(&mut tx, |tx| sqlx::query_as(SUCCEED)
            .bind(old.id)
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

    /// Creates a key for an account.
    pub async fn create_key(
        &self,
        account_id: AccountId,
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

    /// Looks a key up by the hash of its secret or of its former one, including expired and revoked keys.
    pub async fn find_key(&self, hash: &[u8]) -> Result<Option<KeyOfAccount>, StoreError> {
        const FIND: &str = "select k.id as key_id, k.account_id, a.name as account, a.plan, a.plan_version, \
            a.overage, a.language, k.expires_at, k.revoked_at, k.manage, k.scopes, k.addresses, \
            case when k.hash = $1 then null else k.former_ends_at end as former_ends_at \
            from api_key k join account a on a.id = k.account_id where k.hash = $1 or k.former_hash = $1";
        on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(hash)
            .fetch_optional(pool)
            .await)
        .map_err(StoreError::reading("api_key"))
    }

    /// Records when keys were last used. Never moves a stored time back.
    pub async fn touch_keys(&self, used: &[(i64, OffsetDateTime)]) -> Result<(), StoreError> {
        const TOUCH: &str = "update api_key set last_used_at = $2 \
            where id = $1 and (last_used_at is null or last_used_at < $2)";
        if used.is_empty() {
            return Ok(());
        }
        let mut used = used.to_vec();
        // Update in id order, so that hosts that update the same keys do not deadlock.
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
    pub async fn list_keys(&self, account_id: AccountId) -> Result<Vec<ApiKey>, StoreError> {
        const LIST: &str = "select id, account_id, name, prefix, created_at, expires_at, revoked_at, last_used_at \
            from api_key where account_id = $1 order by id";
        on!(&self.store.reads, |pool| sqlx::query_as(LIST)
            .bind(account_id)
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading("api_key"))
    }

    /// Revokes a key at `now`. `false`: there is no such key, or it was revoked before.
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
