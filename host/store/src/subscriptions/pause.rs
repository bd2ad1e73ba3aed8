//! Pauses webhooks, because they fail or because their account wants it, and resumes them.

use time::OffsetDateTime;

use super::{FailingWebhook, Subscriptions, SubscriptionsOfAccount};
use crate::StoreError;
use crate::db::{Tx, millis, on};
use crate::deliveries::lock_queues_of;

/// Why the webhook of a subscription is paused, if its account paused it.
const BY_ACCOUNT: &str = "the account paused it";

/// Holds the waiting deliveries of a webhook until they are resent.
async fn hold(tx: &mut Tx, subscription: i64) -> Result<(), StoreError> {
    const HOLD: &str = "update delivery set state = 'held', due_at = null \
        where subscription = $1 and channel = 'webhook' and state = 'waiting' and not leased";
    lock_queues_of(tx, subscription, None).await?;
    on!(tx, |tx| sqlx::query(HOLD)
        .bind(subscription)
        .execute(&mut **tx)
        .await
        .map(drop))?;
    Ok(())
}

impl Subscriptions<'_> {
    /// Pauses a failing webhook and holds its waiting deliveries until they are resent. `false`: an attempt succeeded
    /// meanwhile, or the webhook is not active.
    pub async fn pause(
        &self,
        webhook: &FailingWebhook,
        why: &str,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        const PAUSE: &str = "update subscription set webhook_state = 'paused', webhook_reason = $2, updated_at = $3, \
            failing_since = null where number = $1 and active and webhook_state = 'active' and failing_since = $4";
        let mut tx = self.store.writes.begin().await?;
        let paused = on!(&mut tx, |tx| sqlx::query(PAUSE)
            .bind(webhook.number)
            .bind(why)
            .bind(millis(now))
            .bind(millis(webhook.failing_since))
            .execute(&mut **tx)
            .await
            .map(|done| done.rows_affected()))?;
        if paused == 0 {
            return Ok(false);
        }
        hold(&mut tx, webhook.number).await?;
        tx.commit().await?;
        Ok(true)
    }
}

impl SubscriptionsOfAccount<'_> {
    /// Pauses the active webhook of an active subscription and holds its waiting deliveries until they are resent.
    /// Changes nothing if there is none.
    pub async fn pause(&self, id: &str, now: OffsetDateTime) -> Result<(), StoreError> {
        const PAUSE: &str = "update subscription set webhook_state = 'paused', webhook_reason = $3, updated_at = $4, \
            failing_since = null where account_id = $1 and id = $2 and active and webhook_state = 'active' \
            returning number";
        let mut tx = self.store.writes.begin().await?;
        let paused: Option<i64> = on!(&mut tx, |tx| sqlx::query_scalar(PAUSE)
            .bind(self.account)
            .bind(id)
            .bind(BY_ACCOUNT)
            .bind(millis(now))
            .fetch_optional(&mut **tx)
            .await)?;
        let Some(number) = paused else {
            return Ok(());
        };
        hold(&mut tx, number).await?;
        tx.commit().await
    }

    /// Resumes the paused webhook of an active subscription. Its held deliveries stay held until they are resent.
    /// Changes nothing if there is none.
    pub async fn resume(&self, id: &str, now: OffsetDateTime) -> Result<(), StoreError> {
        const RESUME: &str = "update subscription set webhook_state = 'active', webhook_reason = null, updated_at = $3, \
            failing_since = null where account_id = $1 and id = $2 and active and webhook_state = 'paused'";
        on!(&self.store.writes, |pool| sqlx::query(RESUME)
            .bind(self.account)
            .bind(id)
            .bind(millis(now))
            .execute(pool)
            .await
            .map(drop))?;
        Ok(())
    }
}
