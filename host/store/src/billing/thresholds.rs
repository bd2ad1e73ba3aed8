//! Usage thresholds of accounts: the percentages and the addresses to notify.

use super::Billing;
use crate::db::on;
use crate::{AccountId, StoreError};

/// When to notify about used credits, and whom.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Thresholds {
    /// Shares of the credits, in percent.
    pub percents: Vec<i64>,
    pub emails: Vec<String>,
}

#[derive(sqlx::FromRow)]
struct Row {
    percents: String,
    emails: String,
}

pub(super) fn read(percents: &str, emails: &str) -> Result<Thresholds, StoreError> {
    let unreadable = |error: serde_json::Error| StoreError::Unreadable {
        table: "billing_threshold",
        why: error.to_string(),
    };
    Ok(Thresholds {
        percents: serde_json::from_str(percents).map_err(unreadable)?,
        emails: serde_json::from_str(emails).map_err(unreadable)?,
    })
}

impl Billing<'_> {
    /// An account's thresholds; empty if it has set none.
    pub async fn thresholds(&self, account_id: AccountId) -> Result<Thresholds, StoreError> {
        const FIND: &str = "select percents, emails from billing_threshold where account_id = $1";
        let row: Option<Row> = on!(&self.store.billing_reads, |pool| sqlx::query_as(FIND)
            .bind(account_id)
            .fetch_optional(pool)
            .await)?;
        let thresholds = row
            .map(|row| read(&row.percents, &row.emails))
            .transpose()?;
        Ok(thresholds.unwrap_or_default())
    }

    /// Replaces an account's thresholds.
    pub async fn set_thresholds(
        &self,
        account_id: AccountId,
        thresholds: &Thresholds,
    ) -> Result<(), StoreError> {
        const SET: &str = "insert into billing_threshold (account_id, percents, emails) values ($1, $2, $3) \
            on conflict (account_id) do update set percents = excluded.percents, emails = excluded.emails";
        on!(&self.store.billing, |pool| sqlx::query(SET)
            .bind(account_id)
            .bind(serde_json::Value::from(thresholds.percents.as_slice()).to_string())
            .bind(serde_json::Value::from(thresholds.emails.as_slice()).to_string())
            .execute(pool)
            .await
            .map(drop))?;
        Ok(())
    }
}
