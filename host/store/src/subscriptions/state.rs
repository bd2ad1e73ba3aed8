//! Automatic changes of subscriptions: ended webhooks, ended addresses, and secrets.

use std::time::Duration;

use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

use crate::db::{MaybeMillis, Millis, millis, on};
use crate::deliveries::cancel_of;
use crate::{AccountId, Store, StoreError};

/// Secrets of one subscription, as stored.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct SealedSecrets {
    pub number: i64,
    pub secret: String,
    pub former_secret: Option<String>,
    #[sqlx(try_from = "MaybeMillis")]
    pub former_secret_until: Option<OffsetDateTime>,
}

/// The account of a subscription.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct SubscribingAccount {
    /// Number of the subscription.
    pub number: i64,
    pub account_id: AccountId,
    /// Language code of the account's e-mails.
    pub language: String,
}

/// A webhook whose attempts have all failed for some time.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct FailingWebhook {
    pub number: i64,
    pub id: String,
    pub ico: String,
    pub account_id: AccountId,
    pub webhook_url: String,
    #[sqlx(try_from = "Millis")]
    pub failing_since: OffsetDateTime,
}

/// Subscriptions of all accounts, for workers that send.
#[derive(Debug, Clone, Copy)]
pub struct Subscriptions<'a> {
    pub(crate) store: &'a Store,
}

impl Subscriptions<'_> {
    /// Sealed secrets of these subscriptions.
    pub async fn secrets(&self, numbers: &[i64]) -> Result<Vec<SealedSecrets>, StoreError> {
        let db = &self.store.reads;
        let sql = format!(
            "select number, secret, former_secret, former_secret_until from subscription where {}",
            db.is_numbered("number", 1)
        );
        on!(db, |pool| sqlx::query_as(AssertSqlSafe(sql))
            .bind(serde_json::Value::from_iter(numbers.iter().copied()).to_string())
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading("subscription"))
    }

    /// Accounts of these subscriptions, with the languages of their e-mails.
    pub async fn accounts(&self, numbers: &[i64]) -> Result<Vec<SubscribingAccount>, StoreError> {
        let db = &self.store.reads;
        let sql = format!(
            "select s.number, s.account_id, a.language from subscription s join account a on a.id = s.account_id \
             where {}",
            db.is_numbered("s.number", 1)
        );
        on!(db, |pool| sqlx::query_as(AssertSqlSafe(sql))
            .bind(serde_json::Value::from_iter(numbers.iter().copied()).to_string())
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading("subscription"))
    }

    /// Active webhooks whose attempts have all failed, with at least this time between the first and the last failure.
    pub async fn failing_for(
        &self,
        span: Duration,
        limit: u32,
    ) -> Result<Vec<FailingWebhook>, StoreError> {
        const FAILING: &str = "select number, id, ico, account_id, webhook_url, failing_since from subscription \
            where failed_at - failing_since >= $1 and active and webhook_state = 'active' and webhook_url is not null \
            order by failing_since limit $2";
        on!(&self.store.reads, |pool| sqlx::query_as(FAILING)
            .bind(i64::try_from(span.as_millis()).unwrap_or(i64::MAX))
            .bind(i64::from(limit))
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading("subscription"))
    }

    /// Addresses of a subscription that receive e-mail.
    pub async fn emails(&self, number: i64) -> Result<Vec<String>, StoreError> {
        const EMAILS: &str = "select address from subscription_email \
            where subscription = $1 and ended_at is null and not waiting order by number";
        Ok(on!(&self.store.reads, |pool| sqlx::query_scalar(EMAILS)
            .bind(number)
            .fetch_all(pool)
            .await)?)
    }

    /// Ends a subscription's webhook permanently and cancels its waiting deliveries.
    pub async fn end_webhook(
        &self,
        number: i64,
        url: &str,
        why: &str,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        const END: &str = "update subscription set webhook_state = 'ended', webhook_reason = $3, updated_at = $4, \
            failing_since = null where number = $1 and webhook_url = $2";
        let mut tx = self.store.writes.begin().await?;
        let ended = on!(&mut tx, |tx| sqlx::query(END)
            .bind(number)
            .bind(url)
            .bind(why)
            .bind(millis(now))
            .execute(&mut **tx)
            .await
            .map(|done| done.rows_affected()))?;
        if ended > 0 {
            cancel_of(&mut tx, number, &[url], now).await?;
        }
        tx.commit().await
    }

    /// Ends an address of a subscription; nothing more is sent to it. `false`: the subscription does not have the
    /// address.
    pub async fn end_email(
        &self,
        number: i64,
        address: &str,
        why: &str,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        // An address whose owner unsubscribed keeps that reason.
        const END: &str = "update subscription_email set ended_at = coalesce(ended_at, $4), \
            reason = case when reason = 'unsubscribed' then reason else $3 end \
            where subscription = $1 and address = $2";
        // Locks the subscription: a concurrent fan-out creates its deliveries either before this transaction or after
        // it.
        const LOCK: &str = "update subscription set updated_at = $2 where number = $1";
        let mut tx = self.store.writes.begin().await?;
        on!(&mut tx, |tx| sqlx::query(LOCK)
            .bind(number)
            .bind(millis(now))
            .execute(&mut **tx)
            .await
            .map(drop))?;
        let ended = on!(&mut tx, |tx| sqlx::query(END)
            .bind(number)
            .bind(address)
            .bind(why)
            .bind(millis(now))
            .execute(&mut **tx)
            .await
            .map(|done| done.rows_affected()))?;
        if ended > 0 {
            cancel_of(&mut tx, number, &[address], now).await?;
        }
        tx.commit().await?;
        Ok(ended > 0)
    }

    /// Number and company of a subscription of any account, by its id.
    pub async fn number_of(&self, id: &str) -> Result<Option<(i64, String)>, StoreError> {
        const NUMBER: &str = "select number, ico from subscription where id = $1";
        Ok(on!(&self.store.reads, |pool| sqlx::query_as(NUMBER)
            .bind(id)
            .fetch_optional(pool)
            .await)?)
    }
}
