//! Endpoint usage: one row per account, day and endpoint.

use serde_json::{Value, json};
use time::Date;

use super::Billing;
use crate::db::{Day, day, on};
use crate::rows::Changes;
use crate::{AccountId, StoreError};

/// Usage of one endpoint by one account on one UTC day.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct UsageOfDay {
    pub account_id: AccountId,
    #[sqlx(try_from = "Day")]
    pub day: Date,
    pub endpoint: String,
    /// Calls with any outcome.
    pub requests: i64,
    /// Calls answered from the cache.
    pub cached: i64,
    pub credits: i64,
    /// Calls beyond the credits.
    pub overage: i64,
}

impl Billing<'_> {
    /// Adds calls that cost nothing to the stored counts of their days.
    pub async fn add_usage(&self, usage: &[UsageOfDay]) -> Result<(), StoreError> {
        if usage.is_empty() {
            return Ok(());
        }
        let mut tx = self.store.billing.begin().await?;
        let mut changes = Changes::of(&mut tx);
        add(&mut changes, usage);
        changes.run().await?;
        tx.commit().await
    }

    /// Usage of an account between two days, both inclusive, in order of day and endpoint.
    pub async fn usage(
        &self,
        account_id: AccountId,
        from: Date,
        to: Date,
    ) -> Result<Vec<UsageOfDay>, StoreError> {
        const USAGE: &str = "select account_id, day, endpoint, requests, cached, credits, overage from usage_day \
            where account_id = $1 and day >= $2 and day <= $3 order by day, endpoint";
        on!(&self.store.billing_reads, |pool| sqlx::query_as(USAGE)
            .bind(account_id)
            .bind(day(from))
            .bind(day(to))
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading("usage_day"))
    }
}

/// Adds to the stored counts. Rows are written in key order to avoid deadlocks.
pub(super) fn add(changes: &mut Changes<'_>, usage: &[UsageOfDay]) {
    let mut usage: Vec<&UsageOfDay> = usage.iter().collect();
    usage.sort_by(|one, other| {
        let key = |usage: &UsageOfDay| (usage.account_id, usage.day);
        key(one)
            .cmp(&key(other))
            .then_with(|| one.endpoint.cmp(&other.endpoint))
    });
    let row = |usage: &&UsageOfDay| {
        json!({
            "account_id": usage.account_id,
            "day": day(usage.day),
            "endpoint": usage.endpoint,
            "requests": usage.requests,
            "cached": usage.cached,
            "credits": usage.credits,
            "overage": usage.overage,
        })
    };
    let rows: Vec<Value> = usage.iter().map(row).collect();
    let numbers = ["account_id", "requests", "cached", "credits", "overage"];
    let conflict = "on conflict (account_id, day, endpoint) do update \
        set requests = usage_day.requests + excluded.requests, cached = usage_day.cached + excluded.cached, \
        credits = usage_day.credits + excluded.credits, overage = usage_day.overage + excluded.overage";
    changes.insert("usage_day", &numbers, &["day", "endpoint"], conflict, rows);
}
