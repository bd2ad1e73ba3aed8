//! What bounds each table, and the deletion of old rows that no other part of the store deletes.
//!
//! [`TABLES`] has a decision for every table; a test compares it with the databases. All deletions are statements of
//! bounded size: callers repeat them until a slice is not full.

mod sizes;
mod tables;

use sqlx::AssertSqlSafe;
use time::{Date, OffsetDateTime};

use super::db::{day, list, millis, on};
use super::{Store, StoreError};

pub use sizes::{SizeKind, StoreSize};
pub use tables::{RetentionBound, TABLES, TableRule};

/// Old rows of all tables.
#[derive(Debug, Clone, Copy)]
pub struct OldRows<'a> {
    pub(super) store: &'a Store,
}

impl OldRows<'_> {
    /// Deletes at most `limit` leases that ended before a time. Killed hosts leave them behind.
    pub async fn sweep_leases(
        &self,
        before: OffsetDateTime,
        limit: u32,
    ) -> Result<u64, StoreError> {
        self.sweep("lease", "name", "until < $1", millis(before), limit)
            .await
    }

    /// Deletes at most `limit` delivery queues of hosts to which nothing is on its way and whose cooldown is over. The
    /// next delivery creates the queue again.
    pub async fn sweep_endpoints(
        &self,
        now: OffsetDateTime,
        limit: u32,
    ) -> Result<u64, StoreError> {
        let idle = "due_at is null and (resting_until is null or resting_until <= $1) and not exists \
            (select 1 from delivery d where d.endpoint = endpoint.key and d.due_at is not null)";
        self.sweep("endpoint", "key", idle, millis(now), limit)
            .await
    }

    /// Deletes at most `limit` API keys that were revoked or expired before a time, with their sessions.
    pub async fn sweep_keys(&self, before: OffsetDateTime, limit: u32) -> Result<u64, StoreError> {
        let mut swept = 0;
        // Two statements, each with its index.
        for ended in ["revoked_at < $1", "expires_at < $1"] {
            swept += self
                .sweep("api_key", "id", ended, millis(before), limit)
                .await?;
        }
        Ok(swept)
    }

    /// Deletes rows of one table of the main database that meet a condition on `$1`. Rows that another host has locked
    /// are skipped, so that the statement never waits for a lock.
    pub(super) async fn sweep(
        &self,
        table: &str,
        key: &str,
        condition: &str,
        bound: i64,
        limit: u32,
    ) -> Result<u64, StoreError> {
        let any = format!("select 1 from {table} where {condition} limit 1");
        let delete = format!(
            "{} delete from {table} where {key} in (select {key} from chosen)",
            self.store.writes.chosen(&format!(
                "select {key} from {table} where {condition} order by {key} limit $2"
            ))
        );
        // Check with a read first: most sweeps find nothing and must not take the write lock.
        let found: Option<i32> = on!(&self.store.reads, |pool| sqlx::query_scalar(AssertSqlSafe(
            any
        ))
        .bind(bound)
        .fetch_optional(pool)
        .await)?;
        if found.is_none() {
            return Ok(0);
        }
        Ok(on!(&self.store.writes, |pool| sqlx::query(AssertSqlSafe(
            delete
        ))
        .bind(bound)
        .bind(i64::from(limit))
        .execute(pool)
        .await
        .map(|done| done.rows_affected()))?)
    }

    /// Deletes at most `limit` subscriptions that ended before a time and whose deliveries are deleted, with their
    /// addresses. Addresses that unsubscribed stay known in `recipient`.
    pub async fn sweep_subscriptions(
        &self,
        before: OffsetDateTime,
        limit: u32,
    ) -> Result<u64, StoreError> {
        const ENDED: &str = "select number from subscription where ended_at < $1 and not active \
            and not exists (select 1 from delivery d where d.subscription = subscription.number) \
            order by ended_at limit $2";
        let ended: Vec<i64> = on!(&self.store.reads, |pool| sqlx::query_scalar(ENDED)
            .bind(millis(before))
            .bind(i64::from(limit))
            .fetch_all(pool)
            .await)?;
        if ended.is_empty() {
            return Ok(0);
        }
        let numbers = serde_json::Value::from_iter(ended).to_string();
        let mut tx = self.store.writes.begin().await?;
        let emails = format!(
            "delete from subscription_email where {} and exists (select 1 from subscription s \
             where s.number = subscription_email.subscription and not s.active)",
            tx.is_numbered("subscription", 1)
        );
        let subscriptions = format!(
            "delete from subscription where {} and not active",
            tx.is_numbered("number", 1)
        );
        let mut deleted = 0;
        for sql in [emails, subscriptions] {
            deleted = on!(&mut tx, |tx| sqlx::query(AssertSqlSafe(sql))
                .bind(&numbers)
                .execute(&mut **tx)
                .await
                .map(|done| done.rows_affected()))?;
        }
        tx.commit().await?;
        Ok(deleted)
    }

    /// Deletes at most `limit` e-mails that were queued before a time and are sent or failed. Looks only at the oldest
    /// `limit` rows: an e-mail waits for a day at most, so none of them hides older ones for long.
    pub async fn sweep_mail(&self, before: OffsetDateTime, limit: u32) -> Result<u64, StoreError> {
        const OLD: &str = "select id from (select id, due_at, created_at from mail order by id limit $2) oldest \
            where due_at is null and created_at < $1";
        let old: Vec<i64> = on!(&self.store.billing_reads, |pool| sqlx::query_scalar(OLD)
            .bind(millis(before))
            .bind(i64::from(limit))
            .fetch_all(pool)
            .await)?;
        if old.is_empty() {
            return Ok(0);
        }
        let numbers = serde_json::Value::from_iter(old).to_string();
        let sql = format!(
            "delete from mail where {} and due_at is null",
            self.store.billing.is_numbered("id", 1)
        );
        Ok(on!(&self.store.billing, |pool| sqlx::query(
            AssertSqlSafe(sql)
        )
        .bind(numbers)
        .execute(pool)
        .await
        .map(|done| done.rows_affected()))?)
    }

    /// Deletes usage of one account before a day: the first `limit` rows, and all others of their days. Their sums stay
    /// in `deleted_usage`, for the check of the ledger. Returns the account and the number of rows; `None`: no account
    /// follows `after`. Accounts are visited in order, because the table has no index on the day.
    pub async fn sweep_usage(
        &self,
        after: i64,
        before: Date,
        limit: u32,
    ) -> Result<Option<(i64, u64)>, StoreError> {
        const NEXT: &str = "select min(account_id) from usage_day where account_id > $1";
        const DAYS: &str = "select day from usage_day where account_id = $1 and day < $2 \
            order by day, endpoint limit $3";
        let next: Option<i64> = on!(&self.store.billing_reads, |pool| sqlx::query_scalar(NEXT)
            .bind(after)
            .fetch_one(pool)
            .await)?;
        let Some(account) = next else {
            return Ok(None);
        };
        let mut days: Vec<String> =
            on!(&self.store.billing_reads, |pool| sqlx::query_scalar(DAYS)
                .bind(account)
                .bind(day(before))
                .bind(i64::from(limit))
                .fetch_all(pool)
                .await)?;
        days.dedup();
        if days.is_empty() {
            return Ok(Some((account, 0)));
        }
        const KEEP: &str = "insert into deleted_usage (account_id, credits, overage) values ($1, $2, $3) \
            on conflict (account_id) do update set credits = deleted_usage.credits + excluded.credits, \
            overage = deleted_usage.overage + excluded.overage";
        let mut tx = self.store.billing.begin().await?;
        let sql = format!(
            "delete from usage_day where account_id = $2 and {} returning credits, overage",
            tx.is_listed("day", 1)
        );
        let deleted: Vec<(i64, i64)> = on!(&mut tx, |tx| sqlx::query_as(AssertSqlSafe(sql))
            .bind(list(days.iter().map(String::as_str)))
            .bind(account)
            .fetch_all(&mut **tx)
            .await)?;
        on!(&mut tx, |tx| sqlx::query(KEEP)
            .bind(account)
            .bind(deleted.iter().map(|(credits, _)| credits).sum::<i64>())
            .bind(deleted.iter().map(|(_, overage)| overage).sum::<i64>())
            .execute(&mut **tx)
            .await
            .map(drop))?;
        tx.commit().await?;
        Ok(Some((account, u64::try_from(deleted.len()).unwrap_or(0))))
    }
}
