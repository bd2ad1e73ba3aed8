//! API keys as the owner of their account manages them: limits, rotation of the secret, and the right to manage.
//!
//! A rotation keeps the key's row: its number, name and limits stay, and the former secret may stay valid for a while.
//! Invariant: only digests of secrets are stored, except encrypted beside an idempotency key until that expires.

use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

use crate::db::{MaybeMillis, Millis, Tx, millis, on};
use crate::idempotency::{self, KeyedOutcome, KeyedRequest};
use crate::{AccountId, Store, StoreError};

/// A key with everything that its owner may see.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct OwnedKey {
    pub id: i64,
    pub name: String,
    /// The first characters of the secret.
    pub prefix: String,
    #[sqlx(try_from = "Millis")]
    pub created_at: OffsetDateTime,
    #[sqlx(try_from = "MaybeMillis")]
    pub expires_at: Option<OffsetDateTime>,
    #[sqlx(try_from = "MaybeMillis")]
    pub revoked_at: Option<OffsetDateTime>,
    #[sqlx(try_from = "MaybeMillis")]
    pub last_used_at: Option<OffsetDateTime>,
    /// Whether the key may manage keys, people and the plan of its account.
    pub manage: bool,
    /// Scopes that the key may request, separated by spaces. `None`: every scope of the plan.
    pub scopes: Option<String>,
    /// Client networks that may use the key, separated by spaces. `None`: every address.
    pub addresses: Option<String>,
    /// When the secret before the last rotation ends. `None`: it has no validity beyond the rotation.
    #[sqlx(try_from = "MaybeMillis")]
    pub former_ends_at: Option<OffsetDateTime>,
}

impl OwnedKey {
    /// Whether the key is neither revoked nor expired.
    #[must_use]
    pub fn is_valid(&self, now: OffsetDateTime) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|at| at > now)
    }
}

/// What a key may be used for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyLimits {
    /// Scope names, separated by spaces. `None`: every scope of the plan.
    pub scopes: Option<String>,
    /// Networks in CIDR form, separated by spaces. `None`: every address.
    pub addresses: Option<String>,
    /// The first instant at which the key is no longer valid. `None`: it does not expire.
    pub expires_at: Option<OffsetDateTime>,
}

/// A key to create.
#[derive(Debug, Clone)]
pub struct NewKeyOfAccount {
    pub name: String,
    /// The first characters of the secret.
    pub prefix: String,
    /// SHA-256 of the secret.
    pub hash: [u8; 32],
    pub manage: bool,
    pub limits: KeyLimits,
}

/// What changes about a key; `None` leaves it as it is.
#[derive(Debug, Clone, Default)]
pub struct KeyChange {
    pub name: Option<String>,
    pub scopes: Option<Option<String>>,
    pub addresses: Option<Option<String>>,
    pub expires_at: Option<Option<OffsetDateTime>>,
}

/// A request with an idempotency key, and the secret of its response, encrypted by the caller.
#[derive(Debug, Clone)]
pub struct SealedKeyRequest {
    pub keyed: KeyedRequest,
    pub secret: String,
}

/// Result of creating a key or rotating its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyCreation {
    Created(OwnedKey),
    /// The idempotency key was used before; nothing was done.
    Repeated,
    /// The account has as many valid keys as allowed.
    TooMany,
    /// There is no such valid key.
    NotFound,
}

const COLUMNS: &str = "id, name, prefix, created_at, expires_at, revoked_at, last_used_at, manage, scopes, addresses, \
    former_ends_at";

const TABLE: &str = "api_key";

/// API keys of one account.
#[derive(Debug, Clone, Copy)]
pub struct KeysOfAccount<'a> {
    pub(crate) store: &'a Store,
    pub(crate) account: AccountId,
}

impl KeysOfAccount<'_> {
    /// All keys, oldest first, including revoked and expired ones.
    pub async fn list(&self) -> Result<Vec<OwnedKey>, StoreError> {
        let sql = format!("select {COLUMNS} from api_key where account_id = $1 order by id");
        on!(&self.store.reads, |pool| sqlx::query_as(AssertSqlSafe(sql))
            .bind(self.account)
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading(TABLE))
    }

    /// The key with this number. `None`: the account has no such key.
    pub async fn find(&self, id: i64) -> Result<Option<OwnedKey>, StoreError> {
        let sql = format!("select {COLUMNS} from api_key where account_id = $1 and id = $2");
        on!(&self.store.reads, |pool| sqlx::query_as(AssertSqlSafe(sql))
            .bind(self.account)
            .bind(id)
            .fetch_optional(pool)
            .await)
        .map_err(StoreError::reading(TABLE))
    }

    /// Creates a key, unless the account has `most` valid ones.
    pub async fn create(
        &self,
        new: &NewKeyOfAccount,
        most: u32,
        sealed: Option<&SealedKeyRequest>,
        now: OffsetDateTime,
    ) -> Result<KeyCreation, StoreError> {
        const COUNT: &str = "select count(*) from api_key where account_id = $1 and revoked_at is null \
            and (expires_at is null or expires_at > $2)";
        let sql = format!(
            "insert into api_key (account_id, name, prefix, hash, created_at, expires_at, manage, scopes, addresses) \
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning {COLUMNS}"
        );
        let mut tx = self.store.writes.begin().await?;
        lock_account(&mut tx, self.account).await?;
        let count: i64 = on!(&mut tx, |tx| sqlx::query_scalar(COUNT)
            .bind(self.account)
            .bind(millis(now))
            .fetch_one(&mut **tx)
            .await)?;
        let key: OwnedKey = on!(&mut tx, |tx| sqlx::query_as(AssertSqlSafe(sql))
            .bind(self.account)
            .bind(&new.name)
            .bind(&new.prefix)
            .bind(new.hash.as_slice())
            .bind(millis(now))
            .bind(new.limits.expires_at.map(millis))
            .bind(new.manage)
            .bind(&new.limits.scopes)
            .bind(&new.limits.addresses)
            .fetch_one(&mut **tx)
            .await)
        .map_err(StoreError::reading(TABLE))?;
        // Claim first: a repeated request gets its answer, however many keys there are by now.
        if !self.claim(&mut tx, sealed, key.id, now).await? {
            return Ok(KeyCreation::Repeated);
        }
        if count >= i64::from(most) {
            return Ok(KeyCreation::TooMany);
        }
        tx.commit().await?;
        Ok(KeyCreation::Created(key))
    }

    /// Replaces the secret of a valid key. The former one stays valid until `former_ends_at`, or ends at once; a secret
    /// before that one ends in any case. Ends the browser sessions that the key began.
    pub async fn rotate(
        &self,
        id: i64,
        prefix: &str,
        hash: &[u8; 32],
        former_ends_at: Option<OffsetDateTime>,
        sealed: Option<&SealedKeyRequest>,
        now: OffsetDateTime,
    ) -> Result<KeyCreation, StoreError> {
        const SIGN_OUT: &str = "delete from web_session where key_id = $1";
        // Both sides of an assignment see the old row.
        let former = if former_ends_at.is_some() {
            "hash"
        } else {
            "null"
        };
        let sql = format!(
            "update api_key set former_hash = {former}, former_ends_at = $3, hash = $4, prefix = $5 \
             where account_id = $1 and id = $2 and revoked_at is null and (expires_at is null or expires_at > $6) \
             returning {COLUMNS}"
        );
        let mut tx = self.store.writes.begin().await?;
        lock_account(&mut tx, self.account).await?;
        let key: Option<OwnedKey> = on!(&mut tx, |tx| sqlx::query_as(AssertSqlSafe(sql))
            .bind(self.account)
            .bind(id)
            .bind(former_ends_at.map(millis))
            .bind(hash.as_slice())
            .bind(prefix)
            .bind(millis(now))
            .fetch_optional(&mut **tx)
            .await)
        .map_err(StoreError::reading(TABLE))?;
        let Some(key) = key else {
            return Ok(KeyCreation::NotFound);
        };
        on!(&mut tx, |tx| sqlx::query(SIGN_OUT)
            .bind(id)
            .execute(&mut **tx)
            .await
            .map(drop))?;
        if !self.claim(&mut tx, sealed, key.id, now).await? {
            return Ok(KeyCreation::Repeated);
        }
        tx.commit().await?;
        Ok(KeyCreation::Created(key))
    }

    /// Changes the name and the limits of a valid key. `None`: there is no such valid key.
    pub async fn change(
        &self,
        id: i64,
        change: &KeyChange,
        now: OffsetDateTime,
    ) -> Result<Option<OwnedKey>, StoreError> {
        let read = format!("select {COLUMNS} from api_key where account_id = $1 and id = $2");
        let write = format!(
            "update api_key set name = $2, scopes = $3, addresses = $4, expires_at = $5 where id = $1 \
             returning {COLUMNS}"
        );
        let mut tx = self.store.writes.begin().await?;
        lock_account(&mut tx, self.account).await?;
        let key: Option<OwnedKey> = on!(&mut tx, |tx| sqlx::query_as(AssertSqlSafe(read))
            .bind(self.account)
            .bind(id)
            .fetch_optional(&mut **tx)
            .await)
        .map_err(StoreError::reading(TABLE))?;
        let Some(key) = key.filter(|key| key.is_valid(now)) else {
            return Ok(None);
        };
        let changed = on!(&mut tx, |tx| sqlx::query_as(AssertSqlSafe(write))
            .bind(id)
            .bind(change.name.as_ref().unwrap_or(&key.name))
            .bind(change.scopes.as_ref().unwrap_or(&key.scopes))
            .bind(change.addresses.as_ref().unwrap_or(&key.addresses))
            .bind(change.expires_at.unwrap_or(key.expires_at).map(millis))
            .fetch_one(&mut **tx)
            .await)
        .map_err(StoreError::reading(TABLE))?;
        tx.commit().await?;
        Ok(Some(changed))
    }

    /// Revokes a key at `now`, unless it was revoked before. `None`: the account has no such key.
    pub async fn revoke(
        &self,
        id: i64,
        now: OffsetDateTime,
    ) -> Result<Option<OwnedKey>, StoreError> {
        let sql = format!(
            "update api_key set revoked_at = coalesce(revoked_at, $3) where account_id = $1 and id = $2 \
             returning {COLUMNS}"
        );
        on!(&self.store.writes, |pool| sqlx::query_as(AssertSqlSafe(
            sql
        ))
        .bind(self.account)
        .bind(id)
        .bind(millis(now))
        .fetch_optional(pool)
        .await)
        .map_err(StoreError::reading(TABLE))
    }

    /// Claims the idempotency key of the request, if it has one. `false`: it is already known.
    async fn claim(
        &self,
        tx: &mut Tx,
        sealed: Option<&SealedKeyRequest>,
        id: i64,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let Some(SealedKeyRequest { keyed, secret }) = sealed else {
            return Ok(true);
        };
        let (account, subject) = (self.account, id.to_string());
        if !idempotency::claim(tx, account, keyed, &subject, KeyedOutcome::Key, now).await? {
            return Ok(false);
        }
        idempotency::seal(tx, account, &keyed.key, secret).await?;
        Ok(true)
    }
}

/// Locks an account, so that its keys or people are changed by one host at a time.
pub(crate) async fn lock_account(tx: &mut Tx, account: AccountId) -> Result<(), StoreError> {
    let sql = format!(
        "select id from account where id = $1{}",
        tx.locking_no_key_of("account")
    );
    on!(tx, |tx| sqlx::query(AssertSqlSafe(sql))
        .bind(account)
        .fetch_optional(&mut **tx)
        .await
        .map(drop))?;
    Ok(())
}
