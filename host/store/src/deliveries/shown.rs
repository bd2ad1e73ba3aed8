//! Deliveries as their account sees them.

use std::time::Duration;

use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

use super::{AttemptOutcome, State};
use crate::db::{MaybeMillis, Millis, millis, on};
use crate::{AccountId, Channel, Store, StoreError};

/// How often one delivery may be resent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResendLimit {
    pub most: i64,
    /// The window for `most`.
    pub window: Duration,
}

/// A delivery, as its account sees it.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ShownDelivery {
    pub number: i64,
    pub id: String,
    pub subscription: i64,
    pub subscription_id: String,
    /// Registration number of the company.
    pub ico: String,
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
    pub outcome: AttemptOutcome,
    pub status: Option<i64>,
    pub answer: Option<String>,
    #[sqlx(try_from = "MaybeMillis")]
    pub next_at: Option<OffsetDateTime>,
}

/// States of the wanted deliveries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DeliveryStates {
    #[default]
    All,
    One(State),
    /// Deliveries that failed, or that are held because the webhook is paused.
    Missed,
}

/// Conditions on the deliveries of an account. All that are given must hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DeliveryFilter<'a> {
    /// Number of the subscription.
    pub subscription: Option<i64>,
    /// Registration number of the company.
    pub ico: Option<&'a str>,
    /// Kind of the event.
    pub kind: Option<&'a str>,
    pub states: DeliveryStates,
    /// Created at or after this time.
    pub from: Option<OffsetDateTime>,
    /// Created before this time.
    pub to: Option<OffsetDateTime>,
}

impl DeliveryFilter<'_> {
    /// All deliveries of a subscription.
    #[must_use]
    pub fn of(subscription: i64) -> Self {
        Self {
            subscription: Some(subscription),
            ..Self::default()
        }
    }

    /// SQL condition on a delivery `d`, its event `e` and its subscription `s`. A value that is not given stays in the
    /// text, because `PostgreSQL` wants every parameter to be used.
    pub(super) fn condition(&self) -> String {
        let or_null = |is_given: bool, condition: &'static str, null: &'static str| {
            if is_given { condition } else { null }
        };
        let state = match self.states {
            DeliveryStates::All => "$5 is null",
            DeliveryStates::One(_) => "d.state = $5",
            DeliveryStates::Missed => "d.state in ('failed', 'held') and $5 is null",
        };
        format!(
            "s.account_id = $1 and {} and {} and {} and {state} and d.created_at >= $6 and d.created_at < $7",
            or_null(
                self.subscription.is_some(),
                "d.subscription = $2",
                "$2 is null"
            ),
            or_null(self.ico.is_some(), "s.ico = $3", "$3 is null"),
            or_null(self.kind.is_some(), "e.kind = $4", "$4 is null"),
        )
    }

    pub(super) fn state(&self) -> Option<&'static str> {
        match self.states {
            DeliveryStates::One(state) => Some(state.word()),
            DeliveryStates::All | DeliveryStates::Missed => None,
        }
    }

    /// The range of creation times in milliseconds.
    pub(super) fn created(&self) -> (i64, i64) {
        let (from, to) = (self.from.map(millis), self.to.map(millis));
        (from.unwrap_or(i64::MIN), to.unwrap_or(i64::MAX))
    }
}

/// Binds the account and a filter as the parameters 1 to 7.
macro_rules! bind_filter {
    ($query:expr, $account:expr, $filter:expr) => {
        $query
            .bind($account)
            .bind($filter.subscription)
            .bind($filter.ico)
            .bind($filter.kind)
            .bind($filter.state())
            .bind($filter.created().0)
            .bind($filter.created().1)
    };
}
pub(super) use bind_filter;

#[derive(Debug, Clone, Copy)]
pub struct DeliveriesOfAccount<'a> {
    pub(crate) store: &'a Store,
    pub(crate) account: AccountId,
}

/// The columns of [`ShownDelivery`].
const SELECT: &str = "select d.number, d.id, d.subscription, s.id as subscription_id, s.ico, e.id as event_id, e.kind, \
    d.channel, d.target, d.state, d.attempts, d.leased, d.resent, d.resent_since, d.due_at, d.created_at, \
    d.finished_at";

/// A delivery, its event and its subscription.
pub(super) const FROM: &str = "from delivery d join event e on e.number = d.event \
    join subscription s on s.number = d.subscription";

impl DeliveriesOfAccount<'_> {
    /// One page of the deliveries that fit a filter, newest first, with their attempts, and the total count.
    pub async fn list(
        &self,
        filter: &DeliveryFilter<'_>,
        limit: u32,
        offset: u32,
    ) -> Result<(Vec<ShownDelivery>, i64), StoreError> {
        let condition = filter.condition();
        let page =
            format!("{SELECT} {FROM} where {condition} order by d.number desc limit $8 offset $9");
        let total = format!("select count(*) {FROM} where {condition}");
        let found: Vec<ShownDelivery> = on!(&self.store.reads, |pool| bind_filter!(
            sqlx::query_as(AssertSqlSafe(page)),
            self.account,
            filter
        )
        .bind(i64::from(limit))
        .bind(i64::from(offset))
        .fetch_all(pool)
        .await)
        .map_err(StoreError::reading("delivery"))?;
        let total = on!(&self.store.reads, |pool| bind_filter!(
            sqlx::query_scalar(AssertSqlSafe(total)),
            self.account,
            filter
        )
        .fetch_one(pool)
        .await)?;
        Ok((self.with_attempts(found).await?, total))
    }

    pub async fn find(&self, id: &str) -> Result<Option<ShownDelivery>, StoreError> {
        let find = format!("{SELECT} {FROM} where s.account_id = $1 and d.id = $2");
        let found = on!(&self.store.reads, |pool| sqlx::query_as(AssertSqlSafe(
            find
        ))
        .bind(self.account)
        .bind(id)
        .fetch_optional(pool)
        .await)
        .map_err(StoreError::reading("delivery"))?;
        let found = self.with_attempts(found.into_iter().collect()).await?;
        Ok(found.into_iter().next())
    }

    /// Payload of a delivery's event, JSON text; `None` until the event is published.
    pub async fn payload(&self, number: i64) -> Result<Option<String>, StoreError> {
        const PAYLOAD: &str = "select e.payload from delivery d join event e on e.number = d.event \
            join subscription s on s.number = d.subscription where s.account_id = $1 and d.number = $2";
        let payload: Option<Option<String>> =
            on!(&self.store.reads, |pool| sqlx::query_scalar(PAYLOAD)
                .bind(self.account)
                .bind(number)
                .fetch_optional(pool)
                .await)?;
        Ok(payload.flatten())
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
}
