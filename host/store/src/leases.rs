//! Leases: work that one host does at a time, by name.
//!
//! A lease ends by itself, so that a host that died holds up nobody. What must not be done twice also checks the lease
//! where it writes.

use std::time::Duration;

use time::OffsetDateTime;

use super::db::{millis, on};
use super::{Store, StoreError};

/// Work that one host does at a time.
#[derive(Debug, Clone, Copy)]
pub struct Leases<'a> {
    pub(super) store: &'a Store,
}

impl Leases<'_> {
    /// Takes a lease that is free, has ended or is the owner's own, until `now + ttl`. False: somebody else has it.
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

    /// Gives a lease back, if it is still the owner's.
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

    /// Who has the lease at `now`.
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
