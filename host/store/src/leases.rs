//! Named leases: only one host at a time does the work of a name.
//!
//! A lease expires, so a dead host does not block the others. Work that must not happen twice also checks the lease
//! when it writes.

use std::time::Duration;

use time::OffsetDateTime;

use super::db::{millis, on};
use super::{Store, StoreError};

/// Named leases of all hosts.
#[derive(Debug, Clone, Copy)]
pub struct Leases<'a> {
    pub(super) store: &'a Store,
}

impl Leases<'_> {
    /// Acquires a lease until `now + ttl` if it is free, expired or already held by this owner. `false`: another owner
    /// holds it.
    pub async fn acquire(
        &self,
        name: &str,
        owner: &str,
        ttl: Duration,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        const ACQUIRE: &str = "insert into lease (name, owner, until) values ($1, $2, $3) \
            on conflict (name) do update set owner = excluded.owner, until = excluded.until \
            where lease.owner = excluded.owner or lease.until <= $4";
        let taken = on!(&self.store.writes, |pool| sqlx::query(ACQUIRE)
            .bind(name)
            .bind(owner)
            .bind(millis(now + ttl))
            .bind(millis(now))
            .execute(pool)
            .await
            .map(|done| done.rows_affected()))?;
        Ok(taken > 0)
    }

    /// Releases a lease if this owner still holds it.
    pub async fn release(&self, name: &str, owner: &str) -> Result<(), StoreError> {
        const RELEASE: &str = "delete from lease where name = $1 and owner = $2";
        on!(&self.store.writes, |pool| sqlx::query(RELEASE)
            .bind(name)
            .bind(owner)
            .execute(pool)
            .await
            .map(drop))?;
        Ok(())
    }

    /// The owner that holds the lease at `now`.
    pub async fn holder(
        &self,
        name: &str,
        now: OffsetDateTime,
    ) -> Result<Option<String>, StoreError> {
        const HOLDER: &str = "select owner from lease where name = $1 and until > $2";
        Ok(on!(&self.store.reads, |pool| sqlx::query_scalar(HOLDER)
            .bind(name)
            .bind(millis(now))
            .fetch_optional(pool)
            .await)?)
    }
}
