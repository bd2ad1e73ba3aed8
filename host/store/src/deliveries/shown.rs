//! Deliveries as their account sees them, and resending.

use std::time::Duration;

use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

use super::{Outcome, State, lock_queues, wake_endpoints};
use crate::db::{MaybeMillis, Millis, millis, on};
use crate::{AccountId, Channel, Store, StoreError};

/// A delivery, as its account sees it.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ShownDelivery {
    pub number: i64,
    pub id: String,
    pub subscription: i64,
    pub event_id: String,
    pub kind: String,
    #[sqlx(try_from = "String")]
    pub channel: Channel,
    pub target: String,
    #[sqlx(try_from = "String")]
    pub state: State,
    pub attempts: i64,
    pub leased: bool,
    /// How often it was resent in the window that began at `resent_since`.
    pub resent: i64,
    #[sqlx(try_from = "MaybeMillis")]
    pub resent_since: Option<OffsetDateTime>,
    /// When the next attempt is due.
    #[sqlx(try_from = "MaybeMillis")]
    pub due_at: Option<OffsetDateTime>,
    #[sqlx(try_from = "Millis")]
    pub created_at: OffsetDateTime,
    #[sqlx(try_from = "MaybeMillis")]
    pub finished_at: Option<OffsetDateTime>,
    #[sqlx(skip)]
    pub tries: Vec<ShownAttempt>,
}

/// What a delivery is about.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct DeliveryContent {
    /// JSON text of the event; `None` until the event is published.
    pub payload: Option<String>,
    pub subscription_id: String,
    pub ico: String,
}

/// A target of deliveries that may be resent.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct MissedTarget {
    #[sqlx(try_from = "String")]
    pub channel: Channel,
    pub target: String,
    /// Number of these deliveries.
    pub missed: i64,
}

impl ShownDelivery {
    /// When it may be resent, if the limit is reached now.
    #[must_use]
    pub fn resendable_at(&self, limit: ResendLimit, now: OffsetDateTime) -> Option<OffsetDateTime> {
        let end = self.resent_since? + limit.window;
        (self.resent >= limit.most && end > now).then_some(end)
    }
}

/// An attempt, as its account sees it.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ShownAttempt {
    pub delivery: i64,
    pub attempt: i64,
    #[sqlx(try_from = "Millis")]
    pub at: OffsetDateTime,
    pub duration_ms: i64,
    #[sqlx(try_from = "String")]
    pub outcome: Outcome,
    pub status: Option<i64>,
    pub answer: Option<String>,
    #[sqlx(try_from = "MaybeMillis")]
    pub next_at: Option<OffsetDateTime>,
}

/// Which deliveries of a subscription are resent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhichDeliveries {
    /// Deliveries that failed, or that are held because the webhook is paused.
    Missed,
    /// All deliveries created between two times, delivered or not.
    Between(OffsetDateTime, OffsetDateTime),
}

impl WhichDeliveries {
    /// SQL condition with the subscription as `$3`, and the range of creation times in milliseconds.
    fn condition(self) -> (&'static str, (i64, i64)) {
        match self {
            Self::Missed => ("subscription = $3 and state in ('failed', 'held')", ALWAYS),
            Self::Between(from, to) => ("subscription = $3", (millis(from), millis(to))),
        }
    }
}

/// How often one delivery may be resent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResendLimit {
    pub most: i64,
    /// The window for `most`.
    pub window: Duration,
}

/// Selection of the deliveries to resend.
struct Chosen<'a> {
    /// SQL condition with `number` as `$3`.
    condition: &'a str,
    number: i64,
    created: (i64, i64),
    target: Option<(&'a str, &'a str)>,
    most: i64,
}

/// Deliveries that may be resent. Ended subscriptions and targets are excluded. Paused webhooks are included, because
/// the account resends after fixing its receiver. A delivery that was cancelled during an attempt is included even if
/// it is still leased, because the host of the attempt may have stopped.
const RESENDABLE: &str = "(not leased or due_at is null) and created_at >= $4 and created_at < $5 \
    and exists (select 1 from subscription s where s.number = delivery.subscription and s.account_id = $1 \
        and s.active and ((channel = 'webhook' and s.webhook_url = target and s.webhook_state <> 'ended') \
        or (channel = 'email' and exists (select 1 from subscription_email m \
            where m.subscription = s.number and m.address = target and m.ended_at is null and not m.waiting))))";

/// Creation times without bounds.
const ALWAYS: (i64, i64) = (i64::MIN, i64::MAX);

#[derive(Debug, Clone, Copy)]
pub struct DeliveriesOfAccount<'a> {
    pub(crate) store: &'a Store,
    pub(crate) account: AccountId,
}

macro_rules! select_shown {
    ($rest:literal) => {
        concat!(
            "select d.number, d.id, d.subscription, e.id as event_id, e.kind, d.channel, d.target, d.state, ",
            "d.attempts, d.leased, d.resent, d.resent_since, d.due_at, d.created_at, d.finished_at from delivery d ",
            "join event e on e.number = d.event join subscription s on s.number = d.subscription ",
            "where s.account_id = $1 and ",
            $rest
        )
    };
}

impl DeliveriesOfAccount<'_> {
    /// One page of a subscription's deliveries, newest first, with their attempts, and the total count.
    pub async fn list(
        &self,
        subscription: i64,
        state: Option<State>,
        limit: u32,
        offset: u32,
    ) -> Result<(Vec<ShownDelivery>, i64), StoreError> {
        const PAGE: &str = select_shown!(
            "d.subscription = $2 and ($3 is null or d.state = $3) order by d.number desc limit $4 offset $5"
        );
        const TOTAL: &str = "select count(*) from delivery d join subscription s on s.number = d.subscription \
            where s.account_id = $1 and d.subscription = $2 and ($3 is null or d.state = $3)";
        let state = state.map(State::word);
        let found: Vec<ShownDelivery> = on!(&self.store.reads, |pool| sqlx::query_as(PAGE)
            .bind(self.account)
            .bind(subscription)
            .bind(state)
            .bind(i64::from(limit))
            .bind(i64::from(offset))
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading("delivery"))?;
        let total = on!(&self.store.reads, |pool| sqlx::query_scalar(TOTAL)
            .bind(self.account)
            .bind(subscription)
            .bind(state)
            .fetch_one(pool)
            .await)?;
        Ok((self.with_attempts(found).await?, total))
    }

    pub async fn find(&self, id: &str) -> Result<Option<ShownDelivery>, StoreError> {
        const FIND: &str = select_shown!("d.id = $2");
        let found = on!(&self.store.reads, |pool| sqlx::query_as(FIND)
            .bind(self.account)
            .bind(id)
            .fetch_optional(pool)
            .await)
        .map_err(StoreError::reading("delivery"))?;
        let found = self.with_attempts(found.into_iter().collect()).await?;
        Ok(found.into_iter().next())
    }

    /// Payload of a delivery's event, and the subscription's id and company.
    pub async fn content(&self, number: i64) -> Result<Option<DeliveryContent>, StoreError> {
        const CONTENT: &str = "select e.payload, s.id as subscription_id, s.ico from delivery d \
            join event e on e.number = d.event join subscription s on s.number = d.subscription \
            where s.account_id = $1 and d.number = $2";
        on!(&self.store.reads, |pool| sqlx::query_as(CONTENT)
            .bind(self.account)
            .bind(number)
            .fetch_optional(pool)
            .await)
        .map_err(StoreError::reading("delivery"))
    }

    async fn with_attempts(
        &self,
        mut deliveries: Vec<ShownDelivery>,
    ) -> Result<Vec<ShownDelivery>, StoreError> {
        let db = &self.store.reads;
        let sql = format!(
            "select delivery, attempt, at, duration_ms, outcome, status, answer, next_at from attempt where {} \
             order by delivery, attempt",
            db.is_numbered("delivery", 1)
        );
        let numbers = deliveries.iter().map(|delivery| delivery.number);
        let numbers = serde_json::Value::from_iter(numbers).to_string();
        let tries: Vec<ShownAttempt> = on!(db, |pool| sqlx::query_as(AssertSqlSafe(sql))
            .bind(numbers)
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading("attempt"))?;
        for one in tries {
            let of = deliveries
                .iter_mut()
                .find(|delivery| delivery.number == one.delivery);
            if let Some(of) = of {
                of.tries.push(one);
            }
        }
        Ok(deliveries)
    }

    /// Resends a delivery under the same id. `false`: the limit is reached, the delivery is in progress, or its target
    /// has ended.
    pub async fn resend(
        &self,
        number: i64,
        limit: ResendLimit,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let chosen = Chosen {
            condition: "number = $3",
            number,
            created: ALWAYS,
            target: None,
            most: 1,
        };
        Ok(self.resend_selected(&chosen, limit, now).await? > 0)
    }

    /// Counts deliveries of a subscription that may be resent, by channel and target.
    pub async fn missed_by_target(
        &self,
        subscription: i64,
        which: WhichDeliveries,
        limit: ResendLimit,
        now: OffsetDateTime,
    ) -> Result<Vec<MissedTarget>, StoreError> {
        let (condition, created) = which.condition();
        let sql = format!(
            "select channel, target, count(*) as missed from delivery where {condition} and {RESENDABLE} \
             and (resent_since is null or resent_since <= $6 or resent < $7) and $2 is not null \
             group by channel, target order by channel, target"
        );
        Ok(on!(&self.store.reads, |pool| sqlx::query_as(
            AssertSqlSafe(sql)
        )
        .bind(self.account)
        .bind(millis(now))
        .bind(subscription)
        .bind(created.0)
        .bind(created.1)
        .bind(millis(now - limit.window))
        .bind(limit.most)
        .fetch_all(pool)
        .await)?)
    }

    /// Resends at most `most` deliveries of a subscription to one target, oldest first, and returns how many.
    pub async fn resend_to(
        &self,
        subscription: i64,
        which: WhichDeliveries,
        (channel, target): (Channel, &str),
        most: i64,
        limit: ResendLimit,
        now: OffsetDateTime,
    ) -> Result<usize, StoreError> {
        let (condition, created) = which.condition();
        let chosen = Chosen {
            condition,
            number: subscription,
            created,
            target: Some((channel.word(), target)),
            most,
        };
        self.resend_selected(&chosen, limit, now).await
    }

    /// Resends the selected deliveries and returns how many.
    async fn resend_selected(
        &self,
        chosen: &Chosen<'_>,
        limit: ResendLimit,
        now: OffsetDateTime,
    ) -> Result<usize, StoreError> {
        let (condition, number) = (chosen.condition, chosen.number);
        let sql = format!(
            "update delivery set state = 'waiting', due_at = $2, round = attempts, finished_at = null, \
             resent = case when resent_since is null or resent_since <= $6 then 1 else resent + 1 end, \
             resent_since = case when resent_since is null or resent_since <= $6 then $2 else resent_since end \
             where number in (select number from delivery where {condition} and {RESENDABLE} \
                and (resent_since is null or resent_since <= $6 or resent < $7) \
                and ($8 is null or (channel = $8 and target = $9)) order by number limit $10) \
             returning endpoint"
        );
        let subscriptions = format!(
            "select number from subscription where number in (select subscription from delivery where {}) \
             order by number{}",
            condition.replace("$3", "$1"),
            self.store.writes.locking_no_key_of("subscription")
        );
        let queues =
            format!("select distinct endpoint from delivery where {condition}").replace("$3", "$1");
        let mut tx = self.store.writes.begin().await?;
        // Lock the subscriptions first: while they are locked, no webhook moves to another queue.
        let _locked: Vec<i64> = on!(&mut tx, |tx| sqlx::query_scalar(AssertSqlSafe(
            subscriptions
        ))
        .bind(number)
        .fetch_all(&mut **tx)
        .await)?;
        let queues: Vec<String> = on!(&mut tx, |tx| sqlx::query_scalar(AssertSqlSafe(queues))
            .bind(number)
            .fetch_all(&mut **tx)
            .await)?;
        let queues: Vec<&str> = queues.iter().map(String::as_str).collect();
        lock_queues(&mut tx, &queues).await?;
        let endpoints: Vec<String> = on!(&mut tx, |tx| sqlx::query_scalar(AssertSqlSafe(sql))
            .bind(self.account)
            .bind(millis(now))
            .bind(number)
            .bind(chosen.created.0)
            .bind(chosen.created.1)
            .bind(millis(now - limit.window))
            .bind(limit.most)
            .bind(chosen.target.map(|target| target.0))
            .bind(chosen.target.map(|target| target.1))
            .bind(chosen.most)
            .fetch_all(&mut **tx)
            .await)?;
        let due = endpoints
            .iter()
            .map(|endpoint| (endpoint.as_str(), millis(now)));
        wake_endpoints(&mut tx, due).await?;
        tx.commit().await?;
        self.store.signals.deliveries.notify_one();
        Ok(endpoints.len())
    }
}
