//! Creates and changes subscriptions.

use time::OffsetDateTime;

use super::{Subscription, SubscriptionsOfAccount};
use crate::db::{Tx, millis, on};
use crate::deliveries::{cancel_channel_of, cancel_of, lock_queues_of, wake_endpoints};
use crate::events::hold_numbers;
use crate::idempotency::{self, KeyedOutcome, KeyedRequest};
use crate::recipients::{self, Consent};
use crate::{Channel, StoreError, watches};

/// The requested state of a subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSubscription {
    /// Id for the case that the subscription is new.
    pub id: String,
    pub ico: String,
    /// Comma-separated kinds, with a comma at both ends. `None`: every kind.
    pub kinds: Option<String>,
    pub webhook_url: Option<String>,
    /// Queue key of the webhook's host.
    pub webhook_endpoint: Option<String>,
    pub emails: Vec<String>,
    /// Sealed secret. Stored for a new subscription, and for an existing one at its first webhook.
    pub secret: String,
    /// Maximum number of watched companies of the account. `None`: unlimited.
    pub most: Option<u64>,
    /// Whether new addresses must confirm before anything else is sent to them.
    pub confirm: bool,
}

/// Result of creating or changing a subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubscriptionPut {
    /// The account had no active subscription to the company.
    Created {
        stored: Subscription,
        /// Addresses that must be asked for confirmation.
        asked: Vec<String>,
    },
    /// The existing subscription was changed.
    Updated {
        stored: Subscription,
        /// The subscription never had a webhook before. The new secret replaced one that was never shown.
        first_webhook: bool,
        /// Addresses that must be asked for confirmation.
        asked: Vec<String>,
    },
    /// The account has reached its limit of watched companies.
    TooMany,
    /// The idempotency key is already known, and nothing was changed.
    Repeated,
}

impl SubscriptionsOfAccount<'_> {
    /// Creates the subscription to a company or changes the existing one. A paused webhook is resumed. An address that
    /// rejected mail is tried again; an address whose owner unsubscribed stays ended.
    pub async fn put(
        &self,
        new: &NewSubscription,
        now: OffsetDateTime,
    ) -> Result<SubscriptionPut, StoreError> {
        self.put_keyed(new, None, now).await
    }

    /// Like [`Self::put`], for a request with an idempotency key.
    pub async fn put_keyed(
        &self,
        new: &NewSubscription,
        keyed: Option<&KeyedRequest>,
        now: OffsetDateTime,
    ) -> Result<SubscriptionPut, StoreError> {
        const FIND: &str = "select number, id, webhook_url, had_webhook from subscription \
            where account_id = $1 and ico = $2 and active";
        const COUNT: &str = "select count(*) from subscription where account_id = $1 and active";
        let mut tx = self.store.writes.begin().await?;
        self.lock(&mut tx).await?;
        let known: Option<(i64, String, Option<String>, bool)> =
            on!(&mut tx, |tx| sqlx::query_as(FIND)
                .bind(self.account)
                .bind(&new.ico)
                .fetch_optional(&mut **tx)
                .await)?;
        let mut first_webhook = false;
        let (number, id, is_new) = match known {
            Some((number, id, url, had_webhook)) => {
                first_webhook = !had_webhook && new.webhook_url.is_some();
                self.change(&mut tx, number, new, now).await?;
                lock_queues_of(&mut tx, number, new.webhook_endpoint.as_deref()).await?;
                if url != new.webhook_url {
                    redirect(&mut tx, number, new, now).await?;
                }
                (number, id, false)
            }
            None => {
                // Counting takes longer the more companies the account watches.
                if let Some(most) = new.most {
                    let count: i64 = on!(&mut tx, |tx| sqlx::query_scalar(COUNT)
                        .bind(self.account)
                        .fetch_one(&mut **tx)
                        .await)?;
                    if u64::try_from(count).unwrap_or_default() >= most {
                        return Ok(SubscriptionPut::TooMany);
                    }
                }
                (self.create(&mut tx, new, now).await?, new.id.clone(), true)
            }
        };
        if let Some(keyed) = keyed {
            let outcome = match (is_new, first_webhook) {
                (true, _) => KeyedOutcome::Created,
                (false, true) => KeyedOutcome::UpdatedWithSecret,
                (false, false) => KeyedOutcome::Updated,
            };
            if !idempotency::claim(&mut tx, self.account, keyed, &id, outcome, now).await? {
                return Ok(SubscriptionPut::Repeated);
            }
        }
        let asked = self.put_emails(&mut tx, number, new, now).await?;
        watches::begin(&mut tx, &new.ico, now).await?;
        tx.commit().await?;
        self.store.signals.watches.notify_one();
        let stored = self
            .find_by_id(&id)
            .await?
            .ok_or_else(|| StoreError::Unreadable {
                table: "subscription",
                why: format!("the subscription {id} was deleted meanwhile"),
            })?;
        Ok(if is_new {
            SubscriptionPut::Created { stored, asked }
        } else {
            SubscriptionPut::Updated {
                stored,
                first_webhook,
                asked,
            }
        })
    }

    /// Locks the account, so that concurrent requests do not exceed the limit of companies.
    async fn lock(&self, tx: &mut Tx) -> Result<(), StoreError> {
        const LOCK: &str = "update account set name = name where id = $1";
        on!(tx, |tx| sqlx::query(LOCK)
            .bind(self.account)
            .execute(&mut **tx)
            .await
            .map(drop))?;
        Ok(())
    }

    async fn create(
        &self,
        tx: &mut Tx,
        new: &NewSubscription,
        now: OffsetDateTime,
    ) -> Result<i64, StoreError> {
        const CREATE: &str = "insert into subscription (id, account_id, ico, active, kinds, webhook_url, webhook_state, \
            had_webhook, secret, created_at, updated_at, since_seq) values ($1, $2, $3, true, $4, $5, \
            case when $5 is null then null else 'active' end, $5 is not null, $6, $7, $7, $8) returning number";
        let since = hold_numbers(tx).await?;
        Ok(on!(tx, |tx| sqlx::query_scalar(CREATE)
            .bind(&new.id)
            .bind(self.account)
            .bind(&new.ico)
            .bind(&new.kinds)
            .bind(&new.webhook_url)
            .bind(&new.secret)
            .bind(millis(now))
            .bind(since)
            .fetch_one(&mut **tx)
            .await)?)
    }

    async fn change(
        &self,
        tx: &mut Tx,
        number: i64,
        new: &NewSubscription,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        const CHANGE: &str = "update subscription set kinds = $2, webhook_url = $3, \
            webhook_state = case when $3 is null then null else 'active' end, webhook_reason = null, \
            failing_since = null, updated_at = $4, \
            secret = case when $3 is null or had_webhook then secret else $5 end, \
            had_webhook = (had_webhook or $3 is not null) where number = $1";
        on!(tx, |tx| sqlx::query(CHANGE)
            .bind(number)
            .bind(&new.kinds)
            .bind(&new.webhook_url)
            .bind(millis(now))
            .bind(&new.secret)
            .execute(&mut **tx)
            .await
            .map(drop))?;
        Ok(())
    }
}

impl SubscriptionsOfAccount<'_> {
    /// Replaces a subscription's addresses. An address whose owner unsubscribed from the account's e-mails stays ended.
    /// Returns the addresses that must be asked for confirmation.
    async fn put_emails(
        &self,
        tx: &mut Tx,
        number: i64,
        new: &NewSubscription,
        now: OffsetDateTime,
    ) -> Result<Vec<String>, StoreError> {
        const KNOWN: &str = "select address from subscription_email where subscription = $1";
        const REMOVE: &str = "delete from subscription_email where subscription = $1 and address = $2 \
            and (reason is null or reason <> 'unsubscribed')";
        const PUT: &str = "insert into subscription_email (subscription, address, waiting, ended_at, reason) \
            values ($1, $2, $3, $4, $5) on conflict (subscription, address) do update set \
            waiting = excluded.waiting, reason = excluded.reason, ended_at = case when excluded.ended_at is not null \
            then coalesce(subscription_email.ended_at, excluded.ended_at) end";
        let known: Vec<String> = on!(&mut *tx, |tx| sqlx::query_scalar(KNOWN)
            .bind(number)
            .fetch_all(&mut **tx)
            .await)?;
        let gone = known.iter().map(String::as_str);
        let gone: Vec<&str> = gone
            .filter(|known| new.emails.iter().all(|email| email != known))
            .collect();
        for address in &gone {
            on!(&mut *tx, |tx| sqlx::query(REMOVE)
                .bind(number)
                .bind(*address)
                .execute(&mut **tx)
                .await
                .map(drop))?;
        }
        if !gone.is_empty() {
            cancel_of(tx, number, &gone, now).await?;
        }
        let mut asked = Vec::new();
        for address in &new.emails {
            let mut consent = recipients::consent(tx, self.account, address).await?;
            if consent.is_none() && new.confirm && !self.is_known(tx, address).await? {
                recipients::decide(tx, self.account, address, Consent::Asked, now).await?;
                consent = Some(Consent::Asked);
            }
            if consent == Some(Consent::Asked) {
                asked.push(address.clone());
            }
            let is_refused = consent == Some(Consent::Unsubscribed);
            on!(&mut *tx, |tx| sqlx::query(PUT)
                .bind(number)
                .bind(address)
                .bind(consent == Some(Consent::Asked))
                .bind(is_refused.then(|| millis(now)))
                .bind(is_refused.then_some(Consent::Unsubscribed.word()))
                .execute(&mut **tx)
                .await
                .map(drop))?;
        }
        Ok(asked)
    }

    /// Whether a stored subscription of the account already sends to the address. Such addresses are older than the
    /// confirmation requirement.
    async fn is_known(&self, tx: &mut Tx, address: &str) -> Result<bool, StoreError> {
        const KNOWN: &str = "select 1 from subscription_email e join subscription s on s.number = e.subscription \
            where s.account_id = $1 and e.address = $2 and not e.waiting limit 1";
        let known: Option<i32> = on!(tx, |tx| sqlx::query_scalar(KNOWN)
            .bind(self.account)
            .bind(address)
            .fetch_optional(&mut **tx)
            .await)?;
        Ok(known.is_some())
    }
}

/// Moves waiting, held and failed webhook deliveries to the new address. Without a new address, cancels the waiting
/// ones.
async fn redirect(
    tx: &mut Tx,
    number: i64,
    new: &NewSubscription,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    const REDIRECT: &str = "update delivery set target = $2, endpoint = $3 \
        where subscription = $1 and channel = 'webhook' and state in ('waiting', 'held', 'failed')";
    let (Some(url), Some(endpoint)) = (&new.webhook_url, &new.webhook_endpoint) else {
        return cancel_channel_of(tx, number, Channel::Webhook, now).await;
    };
    on!(&mut *tx, |tx| sqlx::query(REDIRECT)
        .bind(number)
        .bind(url)
        .bind(endpoint)
        .execute(&mut **tx)
        .await
        .map(drop))?;
    wake_endpoints(tx, [(endpoint.as_str(), millis(now))].into_iter()).await
}
