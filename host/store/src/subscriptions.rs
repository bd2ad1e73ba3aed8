//! Subscriptions: which account is notified about which company, and where.
//!
//! All data of one account is accessed through one type, which adds the account to every query. An ended subscription
//! is kept, and nothing is sent for it.

mod pause;
mod put;
mod state;

use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

pub use put::{NewSubscription, SubscriptionPut};
pub use state::{FailingWebhook, SealedSecrets, SubscribingAccount, Subscriptions};

use super::db::{MaybeMillis, MaybeWord, Millis, end_of_prefix, millis, on};
use super::{AccountId, Consent, Store, StoreError, WebhookStatus};

#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Subscription {
    pub number: i64,
    pub id: String,
    pub account_id: AccountId,
    pub ico: String,
    pub active: bool,
    /// Comma-separated kinds, with a comma at both ends. `None`: every kind.
    pub kinds: Option<String>,
    pub webhook_url: Option<String>,
    /// `None` without a webhook.
    #[sqlx(try_from = "MaybeWord")]
    pub webhook_state: Option<WebhookStatus>,
    /// Why the webhook is paused or ended.
    pub webhook_reason: Option<String>,
    #[sqlx(try_from = "Millis")]
    pub created_at: OffsetDateTime,
    #[sqlx(try_from = "Millis")]
    pub updated_at: OffsetDateTime,
    #[sqlx(try_from = "MaybeMillis")]
    pub ended_at: Option<OffsetDateTime>,
    /// All addresses, including ended ones, in the order in which they were added.
    #[sqlx(skip)]
    pub emails: Vec<SubscribedEmail>,
}

/// An e-mail address of a subscription.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct SubscribedEmail {
    pub number: i64,
    pub subscription: i64,
    pub address: String,
    #[sqlx(try_from = "MaybeMillis")]
    pub ended_at: Option<OffsetDateTime>,
    /// Why the address was ended. `None`: it is active.
    #[sqlx(try_from = "MaybeWord")]
    pub reason: Option<EmailEnd>,
    /// A confirmation was requested and has not arrived yet.
    pub waiting: bool,
}

/// Why nothing more is sent to an e-mail address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmailEnd {
    /// Its owner unsubscribed.
    Unsubscribed,
    /// The mail server rejected it permanently; its answer.
    Rejected(String),
}

impl EmailEnd {
    /// The stored and shown form: `unsubscribed`, or the answer of the mail server.
    #[must_use]
    pub fn into_text(self) -> String {
        match self {
            Self::Unsubscribed => Consent::Unsubscribed.word().to_owned(),
            Self::Rejected(answer) => answer,
        }
    }
}

impl From<MaybeWord> for Option<EmailEnd> {
    fn from(stored: MaybeWord) -> Self {
        let text = stored.0?;
        if text == Consent::Unsubscribed.word() {
            Some(EmailEnd::Unsubscribed)
        } else {
            Some(EmailEnd::Rejected(text))
        }
    }
}

macro_rules! select_subscription {
    ($rest:literal) => {
        concat!(
            "select number, id, account_id, ico, active, kinds, webhook_url, webhook_state, webhook_reason, ",
            "created_at, updated_at, ended_at from subscription ",
            $rest
        )
    };
}

/// The subscriptions of one account.
#[derive(Debug, Clone, Copy)]
pub struct SubscriptionsOfAccount<'a> {
    pub(super) store: &'a Store,
    pub(super) account: AccountId,
}

impl SubscriptionsOfAccount<'_> {
    /// One page of the account's subscriptions, newest first, and the total count; optionally only active or only ended
    /// ones, and only those of companies whose registration number begins with these digits.
    pub async fn list(
        &self,
        active: Option<bool>,
        digits: Option<&str>,
        limit: u32,
        offset: u32,
    ) -> Result<(Vec<Subscription>, i64), StoreError> {
        const PAGE: &str = select_subscription!(
            "where account_id = $1 and ($2 is null or active = $2) and ico >= $3 and ico < $4 \
            order by number desc limit $5 offset $6"
        );
        const TOTAL: &str = "select count(*) from subscription where account_id = $1 \
            and ($2 is null or active = $2) and ico >= $3 and ico < $4";
        let first = digits.unwrap_or_default();
        let end = end_of_prefix(first);
        let found: Vec<Subscription> = on!(&self.store.reads, |pool| sqlx::query_as(PAGE)
            .bind(self.account)
            .bind(active)
            .bind(first)
            .bind(&end)
            .bind(i64::from(limit))
            .bind(i64::from(offset))
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading("subscription"))?;
        let total = on!(&self.store.reads, |pool| sqlx::query_scalar(TOTAL)
            .bind(self.account)
            .bind(active)
            .bind(first)
            .bind(&end)
            .fetch_one(pool)
            .await)?;
        Ok((self.with_emails(found).await?, total))
    }

    /// The active subscription to a company.
    pub async fn find(&self, ico: &str) -> Result<Option<Subscription>, StoreError> {
        const FIND: &str = select_subscription!("where account_id = $1 and ico = $2 and active");
        let found = on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(self.account)
            .bind(ico)
            .fetch_optional(pool)
            .await)
        .map_err(StoreError::reading("subscription"))?;
        self.one_with_emails(found).await
    }

    /// Looks a subscription up by id, including ended ones.
    pub async fn find_by_id(&self, id: &str) -> Result<Option<Subscription>, StoreError> {
        const FIND: &str = select_subscription!("where account_id = $1 and id = $2");
        let found = on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(self.account)
            .bind(id)
            .fetch_optional(pool)
            .await)
        .map_err(StoreError::reading("subscription"))?;
        self.one_with_emails(found).await
    }

    /// Number of companies that the account watches.
    pub async fn count(&self) -> Result<i64, StoreError> {
        const COUNT: &str = "select count(*) from subscription where account_id = $1 and active";
        Ok(on!(&self.store.reads, |pool| sqlx::query_scalar(COUNT)
            .bind(self.account)
            .fetch_one(pool)
            .await)?)
    }

    async fn one_with_emails(
        &self,
        found: Option<Subscription>,
    ) -> Result<Option<Subscription>, StoreError> {
        let found = self.with_emails(found.into_iter().collect()).await?;
        Ok(found.into_iter().next())
    }

    async fn with_emails(
        &self,
        mut subscriptions: Vec<Subscription>,
    ) -> Result<Vec<Subscription>, StoreError> {
        let db = &self.store.reads;
        let sql = format!(
            "select number, subscription, address, ended_at, reason, waiting from subscription_email where {} order by number",
            db.is_numbered("subscription", 1)
        );
        let numbers = subscriptions.iter().map(|subscription| subscription.number);
        let numbers = serde_json::Value::from_iter(numbers).to_string();
        let emails: Vec<SubscribedEmail> = on!(db, |pool| sqlx::query_as(AssertSqlSafe(sql))
            .bind(numbers)
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading("subscription_email"))?;
        for email in emails {
            let of = subscriptions
                .iter_mut()
                .find(|subscription| subscription.number == email.subscription);
            if let Some(of) = of {
                of.emails.push(email);
            }
        }
        Ok(subscriptions)
    }
}

impl SubscriptionsOfAccount<'_> {
    /// Replaces the secret of a subscription. The old one stays valid until `former_until`. `false`: the account has no
    /// such active subscription.
    pub async fn rotate(
        &self,
        id: &str,
        secret: &str,
        former_until: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        const ROTATE: &str = "update subscription set former_secret = secret, former_secret_until = $4, secret = $3, \
            updated_at = $5 where account_id = $1 and id = $2 and active";
        let rotated = on!(&self.store.writes, |pool| sqlx::query(ROTATE)
            .bind(self.account)
            .bind(id)
            .bind(secret)
            .bind(millis(former_until))
            .bind(millis(now))
            .execute(pool)
            .await
            .map(|done| done.rows_affected()))?;
        Ok(rotated > 0)
    }

    /// Ends the subscription to a company and cancels its waiting deliveries; the row is kept. `None`: there is none.
    pub async fn end(
        &self,
        ico: &str,
        now: OffsetDateTime,
    ) -> Result<Option<Subscription>, StoreError> {
        const END: &str = "update subscription set active = false, ended_at = $3, until_seq = $4, updated_at = $3, \
            failing_since = null \
            where account_id = $1 and ico = $2 and active returning id, number";
        let mut tx = self.store.writes.begin().await?;
        // Lock the event counter before the subscription: the fan-out uses the same order.
        let until = super::events::hold_numbers(&mut tx).await?;
        let ended: Option<(String, i64)> = on!(&mut tx, |tx| sqlx::query_as(END)
            .bind(self.account)
            .bind(ico)
            .bind(millis(now))
            .bind(until)
            .fetch_optional(&mut **tx)
            .await)?;
        let Some((id, number)) = ended else {
            return Ok(None);
        };
        super::deliveries::cancel_of(&mut tx, number, &[], now).await?;
        super::watches::end_if_unwanted(&mut tx, ico).await?;
        tx.commit().await?;
        self.find_by_id(&id).await
    }
}
