//! Hosts that share a database: heartbeats, and cooldowns of upstreams.

use std::time::Duration;

use time::OffsetDateTime;

use super::db::{Millis, millis, on};
use super::{Store, StoreError};

#[derive(sqlx::FromRow)]
struct Cooldown {
    address: String,
    #[sqlx(try_from = "Millis")]
    until: OffsetDateTime,
}

#[derive(Debug, Clone, Copy)]
pub struct Hosts<'a> {
    pub(super) store: &'a Store,
}

impl Hosts<'_> {
    /// Records a heartbeat, deletes hosts whose last heartbeat is older than `alive`, and returns the number of live
    /// hosts.
    ///
    /// # Errors
    /// The database failed.
    pub async fn beat(
        &self,
        host: &str,
        alive: Duration,
        now: OffsetDateTime,
    ) -> Result<u32, StoreError> {
        const BEAT: &str = "insert into host (id, seen_at) values ($1, $2) \
            on conflict (id) do update set seen_at = excluded.seen_at";
        const FORGET: &str = "delete from host where seen_at < $1";
        const COUNT: &str = "select count(*) from host";
        let count: i64 = on!(&self.store.writes, |pool| {
            sqlx::query(BEAT)
                .bind(host)
                .bind(millis(now))
                .execute(pool)
                .await?;
            sqlx::query(FORGET)
                .bind(millis(now - alive))
                .execute(pool)
                .await?;
            sqlx::query_scalar(COUNT).fetch_one(pool).await?
        });
        Ok(u32::try_from(count).unwrap_or(u32::MAX).max(1))
    }

    /// Removes a host that shuts down.
    ///
    /// # Errors
    /// The database failed.
    pub async fn leave(&self, host: &str) -> Result<(), StoreError> {
        const LEAVE: &str = "delete from host where id = $1";
        on!(&self.store.writes, |pool| sqlx::query(LEAVE)
            .bind(host)
            .execute(pool)
            .await
            .map(drop))?;
        Ok(())
    }

    /// Makes every host pause requests to an upstream until then. A shorter cooldown does not end a longer one.
    ///
    /// # Errors
    /// The database failed.
    pub async fn start_cooldown(
        &self,
        address: &str,
        until: OffsetDateTime,
    ) -> Result<(), StoreError> {
        const START: &str = "insert into upstream_hold (address, until) values ($1, $2) \
            on conflict (address) do update set until = excluded.until \
            where upstream_hold.until < excluded.until";
        on!(&self.store.writes, |pool| sqlx::query(START)
            .bind(address)
            .bind(millis(until))
            .execute(pool)
            .await
            .map(drop))?;
        Ok(())
    }

    /// Upstreams that are in cooldown at `now`, each with the end of its cooldown. Deletes expired cooldowns.
    ///
    /// # Errors
    /// The database failed.
    pub async fn cooldowns(
        &self,
        now: OffsetDateTime,
    ) -> Result<Vec<(String, OffsetDateTime)>, StoreError> {
        const FORGET: &str = "delete from upstream_hold where until <= $1";
        let (active, expired) = self.all_cooldowns(now).await?;
        // A delete takes `SQLite`'s write lock even if no row matches, and every host calls this often.
        if !expired.is_empty() {
            on!(&self.store.writes, |pool| sqlx::query(FORGET)
                .bind(millis(now))
                .execute(pool)
                .await
                .map(drop))?;
        }
        Ok(active)
    }

    /// Like [`Self::cooldowns`], but deletes nothing.
    ///
    /// # Errors
    /// The database failed.
    pub async fn active_cooldowns(
        &self,
        now: OffsetDateTime,
    ) -> Result<Vec<(String, OffsetDateTime)>, StoreError> {
        Ok(self.all_cooldowns(now).await?.0)
    }

    /// The cooldowns that last at `now`, and those that have ended.
    async fn all_cooldowns(&self, now: OffsetDateTime) -> Result<ActiveAndExpired, StoreError> {
        const COOLDOWNS: &str = "select address, until from upstream_hold order by address";
        let rows: Vec<Cooldown> = on!(&self.store.reads, |pool| sqlx::query_as(COOLDOWNS)
            .fetch_all(pool)
            .await)?;
        let rows = rows
            .into_iter()
            .map(|cooldown| (cooldown.address, cooldown.until));
        Ok(rows.partition(|(_, until)| *until > now))
    }
}

type ActiveAndExpired = (Vec<(String, OffsetDateTime)>, Vec<(String, OffsetDateTime)>);
