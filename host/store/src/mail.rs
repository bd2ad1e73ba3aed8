//! The queue of outgoing e-mails. They are written together with their cause; hosts claim and retry them until they are
//! sent.

use std::time::Duration;

use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

use super::db::{MaybeMillis, Tx, millis, on};
use super::{AccountId, Store, StoreError};

/// A message to be queued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMail {
    /// Deduplication key: a recipient gets at most one message per occasion.
    pub occasion: String,
    pub recipient: String,
    pub subject: String,
    /// Body as plain text, or what the caller encrypted.
    pub body: String,
    /// Whether the body is encrypted.
    pub sealed: bool,
    /// The account that chose the recipient, whose consent and limits decide whether the message is sent. `None`: it is
    /// sent in any case.
    pub account: Option<AccountId>,
    pub created_at: OffsetDateTime,
}

#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ClaimedMail {
    pub id: i64,
    pub occasion: String,
    pub recipient: String,
    pub subject: String,
    pub body: String,
    pub sealed: bool,
    /// See [`NewMail::account`].
    #[sqlx(rename = "account_id")]
    pub account: Option<AccountId>,
    /// Number of this claim, from 1; only the newest may write the outcome.
    pub attempt: i64,
}

/// The outcome of a sending attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MailOutcome {
    /// The mail server accepted the message.
    Sent,
    /// Retry at this time.
    Later { at: OffsetDateTime, why: String },
    /// Failed permanently; no retry.
    Failed { why: String },
}

/// State of a queued message.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct MailState {
    /// Number of claims so far.
    pub attempt: i64,
    /// When the next attempt is due or the current claim expires. `None`: sent, or failed permanently.
    #[sqlx(try_from = "MaybeMillis")]
    pub due_at: Option<OffsetDateTime>,
    #[sqlx(try_from = "MaybeMillis")]
    pub sent_at: Option<OffsetDateTime>,
    #[sqlx(try_from = "MaybeMillis")]
    pub failed_at: Option<OffsetDateTime>,
    /// Why the last attempt failed.
    pub failure: Option<String>,
}

/// The queue of outgoing e-mails.
#[derive(Debug, Clone, Copy)]
pub struct Mail<'a> {
    pub(super) store: &'a Store,
}

/// Queues a message within the given transaction, unless the recipient already has one for the same occasion.
pub(super) async fn add(tx: &mut Tx, mail: &NewMail) -> Result<(), StoreError> {
    const ADD: &str = "insert into mail (occasion, recipient, subject, body, sealed, account_id, created_at, due_at) \
        values ($1, $2, $3, $4, $5, $6, $7, $7) on conflict (occasion, recipient) do nothing";
    on!(tx, |tx| sqlx::query(ADD)
        .bind(&mail.occasion)
        .bind(&mail.recipient)
        .bind(&mail.subject)
        .bind(&mail.body)
        .bind(mail.sealed)
        .bind(mail.account)
        .bind(millis(mail.created_at))
        .execute(&mut **tx)
        .await
        .map(drop))?;
    Ok(())
}

impl Mail<'_> {
    /// Queues a message, unless the recipient already has one for the same occasion.
    pub async fn add(&self, mail: &NewMail) -> Result<(), StoreError> {
        let mut tx = self.store.billing.begin().await?;
        add(&mut tx, mail).await?;
        tx.commit().await
    }

    /// Whether a message for an occasion was added, to whomever.
    pub async fn has(&self, occasion: &str) -> Result<bool, StoreError> {
        const FIND: &str = "select 1 from mail where occasion = $1 limit 1";
        let found: Option<i32> = on!(&self.store.billing_reads, |pool| sqlx::query_scalar(FIND)
            .bind(occasion)
            .fetch_optional(pool)
            .await)?;
        Ok(found.is_some())
    }

    /// State of the message for an occasion and a recipient.
    pub async fn state(
        &self,
        occasion: &str,
        recipient: &str,
    ) -> Result<Option<MailState>, StoreError> {
        const STATE: &str = "select attempt, due_at, sent_at, failed_at, failure from mail \
            where occasion = $1 and recipient = $2";
        on!(&self.store.billing_reads, |pool| sqlx::query_as(STATE)
            .bind(occasion)
            .bind(recipient)
            .fetch_optional(pool)
            .await)
        .map_err(StoreError::reading("mail"))
    }

    /// Claims for `lease` the message that has been due the longest. `None`: no message is due.
    pub async fn claim(
        &self,
        lease: Duration,
        now: OffsetDateTime,
    ) -> Result<Option<ClaimedMail>, StoreError> {
        const DUE: &str = "select 1 from mail where due_at <= $1 limit 1";
        // If a claim never finishes, the message is due again when its lease expires. Locked rows are skipped, so hosts
        // that claim at the same time get different messages; waiting for a locked row would return none.
        let claim = format!(
            "update mail set attempt = attempt + 1, due_at = $2, lease_until = $2 \
            where id = (select id from mail where due_at <= $1 order by due_at, id limit 1{}) and due_at <= $1 \
            returning id, occasion, recipient, subject, body, sealed, account_id, attempt",
            self.store.billing.skipping_locked()
        );
        let due: Option<i32> = on!(&self.store.billing_reads, |pool| sqlx::query_scalar(DUE)
            .bind(millis(now))
            .fetch_optional(pool)
            .await)?;
        if due.is_none() {
            return Ok(None);
        }
        on!(&self.store.billing, |pool| sqlx::query_as(AssertSqlSafe(
            claim
        ))
        .bind(millis(now))
        .bind(millis(now + lease))
        .fetch_optional(pool)
        .await)
        .map_err(StoreError::reading("mail"))
    }

    /// Writes the outcome of a claimed message. `false`: a newer claim exists, and nothing was written.
    pub async fn finish(
        &self,
        mail: &ClaimedMail,
        outcome: &MailOutcome,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        const FINISH: &str = "update mail set due_at = $3, sent_at = $4, failed_at = $5, failure = $6, \
            lease_until = null where id = $1 and attempt = $2 and lease_until is not null";
        let (due, sent, failed, why) = match outcome {
            MailOutcome::Sent => (None, Some(now), None, None),
            MailOutcome::Later { at, why } => (Some(*at), None, None, Some(why)),
            MailOutcome::Failed { why } => (None, None, Some(now), Some(why)),
        };
        let finished = on!(&self.store.billing, |pool| sqlx::query(FINISH)
            .bind(mail.id)
            .bind(mail.attempt)
            .bind(due.map(millis))
            .bind(sent.map(millis))
            .bind(failed.map(millis))
            .bind(why)
            .execute(pool)
            .await
            .map(|done| done.rows_affected()))?;
        Ok(finished > 0)
    }

    /// The number of queued messages.
    pub async fn waiting(&self) -> Result<i64, StoreError> {
        const WAITING: &str = "select count(*) from mail where due_at is not null";
        Ok(on!(&self.store.billing_reads, |pool| sqlx::query_scalar(
            WAITING
        )
        .fetch_one(pool)
        .await)?)
    }
}
