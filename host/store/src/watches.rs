//! Watched companies, and when each is due for a refresh.

use std::time::Duration;

use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

use super::db::{Tx, list, millis, on};
use super::{Store, StoreError};

#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ClaimedWatch {
    pub ico: String,
    /// Number of this claim; only the newest may set the next refresh.
    pub attempt: i64,
}

/// Companies with active subscriptions.
#[derive(Debug, Clone, Copy)]
pub struct Watches<'a> {
    pub(super) store: &'a Store,
}

/// Starts watching a company, within the given transaction.
pub(super) async fn begin(tx: &mut Tx, ico: &str, now: OffsetDateTime) -> Result<(), StoreError> {
    const BEGIN: &str = "insert into watch (ico, due_at) values ($1, $2) \
        on conflict (ico) do update set due_at = excluded.due_at";
    on!(tx, |tx| sqlx::query(BEGIN)
        .bind(ico)
        .bind(millis(now))
        .execute(&mut **tx)
        .await
        .map(drop))?;
    Ok(())
}

/// Stops watching a company without active subscriptions, within the given transaction.
pub(super) async fn end_if_unwanted(tx: &mut Tx, ico: &str) -> Result<(), StoreError> {
    const END: &str = "delete from watch where ico = $1 \
        and not exists (select 1 from subscription where subscription.ico = watch.ico and active)";
    on!(tx, |tx| sqlx::query(END)
        .bind(ico)
        .execute(&mut **tx)
        .await
        .map(drop))?;
    Ok(())
}

impl Watches<'_> {
    /// Claims for `lease` at most `limit` companies, longest due first.
    pub async fn claim(
        &self,
        limit: u32,
        lease: Duration,
        now: OffsetDateTime,
    ) -> Result<Vec<ClaimedWatch>, StoreError> {
        const DUE: &str = "select 1 from watch where due_at <= $1 limit 1";
        // If the claimant stops, the company is due again when the lease expires.
        let claim = format!(
            "{} update watch set attempt = attempt + 1, due_at = $2 where ico in (select ico from chosen) \
             and due_at <= $1 returning ico, attempt",
            self.store
                .writes
                .chosen("select ico from watch where due_at <= $1 order by due_at, ico limit $3")
        );
        let due: Option<i32> = on!(&self.store.reads, |pool| sqlx::query_scalar(DUE)
            .bind(millis(now))
            .fetch_optional(pool)
            .await)?;
        if due.is_none() {
            return Ok(Vec::new());
        }
        on!(&self.store.writes, |pool| sqlx::query_as(AssertSqlSafe(
            claim
        ))
        .bind(millis(now))
        .bind(millis(now + lease))
        .bind(i64::from(limit))
        .fetch_all(pool)
        .await)
        .map_err(StoreError::reading("watch"))
    }

    /// Sets the next refresh of a claimed company, unless it was woken meanwhile.
    pub async fn finish(
        &self,
        watch: &ClaimedWatch,
        claimed_until: OffsetDateTime,
        next: OffsetDateTime,
    ) -> Result<(), StoreError> {
        const FINISH: &str =
            "update watch set due_at = $3 where ico = $1 and attempt = $2 and due_at = $4";
        on!(&self.store.writes, |pool| sqlx::query(FINISH)
            .bind(&watch.ico)
            .bind(watch.attempt)
            .bind(millis(next))
            .bind(millis(claimed_until))
            .execute(pool)
            .await
            .map(drop))?;
        Ok(())
    }

    /// Makes those of these companies that are watched due now. Returns how many.
    pub async fn wake(&self, icos: &[&str], now: OffsetDateTime) -> Result<u64, StoreError> {
        let db = &self.store.writes;
        let sql = format!(
            "update watch set due_at = $2 where {}",
            db.is_listed("ico", 1)
        );
        Ok(on!(db, |pool| sqlx::query(AssertSqlSafe(sql))
            .bind(list(icos.iter().copied()))
            .bind(millis(now))
            .execute(pool)
            .await
            .map(|done| done.rows_affected()))?)
    }

    /// Makes every watched company due now. Returns how many were not due yet.
    pub async fn wake_all(&self, now: OffsetDateTime) -> Result<u64, StoreError> {
        const WAKE: &str = "update watch set due_at = $1 where due_at > $1";
        Ok(on!(&self.store.writes, |pool| sqlx::query(WAKE)
            .bind(millis(now))
            .execute(pool)
            .await
            .map(|done| done.rows_affected()))?)
    }

    /// The distinct plans of the accounts that watch a company.
    pub async fn plans(&self, ico: &str) -> Result<Vec<String>, StoreError> {
        const PLANS: &str = "select distinct a.plan from subscription s join account a on a.id = s.account_id \
            where s.ico = $1 and s.active order by a.plan";
        Ok(on!(&self.store.reads, |pool| sqlx::query_scalar(PLANS)
            .bind(ico)
            .fetch_all(pool)
            .await)?)
    }

    /// Returns the number of watched companies and how many of them are due.
    pub async fn backlog(&self, now: OffsetDateTime) -> Result<(i64, i64), StoreError> {
        const BACKLOG: &str =
            "select count(*), count(case when due_at <= $1 then 1 end) from watch";
        Ok(on!(&self.store.reads, |pool| sqlx::query_as(BACKLOG)
            .bind(millis(now))
            .fetch_one(pool)
            .await)?)
    }
}
