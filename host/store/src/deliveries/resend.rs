//! Resending: deliveries that are queued again under the same id.

use serde_json::Value;
use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

use super::shown::{DeliveriesOfAccount, DeliveryFilter, FROM, ResendLimit, bind_filter};
use super::{lock_queues, wake_endpoints};
use crate::db::{Tx, millis, on};
use crate::{Channel, StoreError};

/// A target of deliveries that may be resent.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct MissedTarget {
    #[sqlx(try_from = "String")]
    pub channel: Channel,
    pub target: String,
    /// Number of these deliveries.
    pub missed: i64,
}

/// Selection of the deliveries to resend, among those that fit a filter.
#[derive(Debug, Clone, Copy)]
enum Chosen<'a> {
    Delivery(i64),
    Target(Channel, &'a str),
}

impl Chosen<'_> {
    /// SQL condition with the parameters 8 to 10: the number, the channel and the target.
    fn condition(self) -> &'static str {
        match self {
            Self::Delivery(_) => "d.number = $8 and $9 is null and $10 is null",
            Self::Target(..) => "$8 is null and d.channel = $9 and d.target = $10",
        }
    }

    fn number(self) -> Option<i64> {
        match self {
            Self::Delivery(number) => Some(number),
            Self::Target(..) => None,
        }
    }
}

impl<'a> Chosen<'a> {
    fn channel(self) -> Option<&'static str> {
        match self {
            Self::Delivery(_) => None,
            Self::Target(channel, _) => Some(channel.word()),
        }
    }

    fn target(self) -> Option<&'a str> {
        match self {
            Self::Delivery(_) => None,
            Self::Target(_, target) => Some(target),
        }
    }
}

/// Deliveries that may be resent. Ended subscriptions and targets are excluded. Paused webhooks are included, because
/// the account resends after fixing its receiver. A delivery that was cancelled during an attempt is included even if
/// it is still leased, because the host of the attempt may have stopped.
const RESENDABLE: &str = "(not d.leased or d.due_at is null) and s.active \
    and ((d.channel = 'webhook' and s.webhook_url = d.target and s.webhook_state <> 'ended') \
    or (d.channel = 'email' and exists (select 1 from subscription_email m \
        where m.subscription = s.number and m.address = d.target and m.ended_at is null and not m.waiting)))";

/// Binds a selection as the parameters 8 to 10.
macro_rules! bind_chosen {
    ($query:expr, $chosen:expr) => {
        $query
            .bind($chosen.number())
            .bind($chosen.channel())
            .bind($chosen.target())
    };
}

impl DeliveriesOfAccount<'_> {
    /// Resends a delivery under the same id. `false`: the limit is reached, the delivery is in progress, or its target
    /// has ended.
    pub async fn resend(
        &self,
        number: i64,
        limit: ResendLimit,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let (any, chosen) = (DeliveryFilter::default(), Chosen::Delivery(number));
        Ok(self.resend_selected(&any, chosen, 1, limit, now).await? > 0)
    }

    /// Counts the deliveries that fit a filter and may be resent, by channel and target.
    pub async fn missed_by_target(
        &self,
        filter: &DeliveryFilter<'_>,
        limit: ResendLimit,
        now: OffsetDateTime,
    ) -> Result<Vec<MissedTarget>, StoreError> {
        let sql = format!(
            "select d.channel, d.target, count(*) as missed {FROM} where {} and {RESENDABLE} \
             and (d.resent_since is null or d.resent_since <= $8 or d.resent < $9) \
             group by d.channel, d.target order by d.channel, d.target",
            filter.condition()
        );
        Ok(on!(&self.store.reads, |pool| bind_filter!(
            sqlx::query_as(AssertSqlSafe(sql)),
            self.account,
            filter
        )
        .bind(millis(now - limit.window))
        .bind(limit.most)
        .fetch_all(pool)
        .await)?)
    }

    /// Resends at most `most` deliveries that fit a filter to one target, oldest first, and returns how many.
    pub async fn resend_to(
        &self,
        filter: &DeliveryFilter<'_>,
        (channel, target): (Channel, &str),
        most: i64,
        limit: ResendLimit,
        now: OffsetDateTime,
    ) -> Result<usize, StoreError> {
        let chosen = Chosen::Target(channel, target);
        self.resend_selected(filter, chosen, most, limit, now).await
    }

    /// Resends the selected deliveries and returns how many.
    async fn resend_selected(
        &self,
        filter: &DeliveryFilter<'_>,
        chosen: Chosen<'_>,
        most: i64,
        limit: ResendLimit,
        now: OffsetDateTime,
    ) -> Result<usize, StoreError> {
        let sql = format!(
            "update delivery set state = 'waiting', due_at = $11, round = attempts, finished_at = null, \
             resent = case when resent_since is null or resent_since <= $12 then 1 else resent + 1 end, \
             resent_since = case when resent_since is null or resent_since <= $12 then $11 else resent_since end \
             where number in (select d.number {FROM} where {} and {} and {RESENDABLE} \
                and (d.resent_since is null or d.resent_since <= $12 or d.resent < $13) \
                and {} order by d.number limit $14) \
             returning endpoint",
            filter.condition(),
            chosen.condition(),
            self.store.writes.is_numbered("d.subscription", 15)
        );
        let mut tx = self.store.writes.begin().await?;
        let locked = self.lock(&mut tx, filter, chosen).await?;
        let endpoints: Vec<String> = on!(&mut tx, |tx| bind_chosen!(
            bind_filter!(sqlx::query_scalar(AssertSqlSafe(sql)), self.account, filter),
            chosen
        )
        .bind(millis(now))
        .bind(millis(now - limit.window))
        .bind(limit.most)
        .bind(most)
        .bind(Value::from(locked).to_string())
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

    /// Locks the subscriptions and the queues of the selected deliveries, and returns the subscriptions. They come
    /// first: while they are locked, no webhook moves to another queue. A webhook may move to the selected target
    /// before that; then its deliveries are selected, but neither its subscription nor its queue is locked.
    async fn lock(
        &self,
        tx: &mut Tx,
        filter: &DeliveryFilter<'_>,
        chosen: Chosen<'_>,
    ) -> Result<Vec<i64>, StoreError> {
        let condition = format!("{} and {}", filter.condition(), chosen.condition());
        let subscriptions = format!(
            "select number from subscription where number in (select d.subscription {FROM} where {condition}) \
             order by number{}",
            tx.locking_no_key_of("subscription")
        );
        let queues = format!("select distinct d.endpoint {FROM} where {condition}");
        let locked: Vec<i64> = on!(&mut *tx, |tx| bind_chosen!(
            bind_filter!(
                sqlx::query_scalar(AssertSqlSafe(subscriptions)),
                self.account,
                filter
            ),
            chosen
        )
        .fetch_all(&mut **tx)
        .await)?;
        let queues: Vec<String> = on!(&mut *tx, |tx| bind_chosen!(
            bind_filter!(
                sqlx::query_scalar(AssertSqlSafe(queues)),
                self.account,
                filter
            ),
            chosen
        )
        .fetch_all(&mut **tx)
        .await)?;
        let queues: Vec<&str> = queues.iter().map(String::as_str).collect();
        lock_queues(tx, &queues).await?;
        Ok(locked)
    }
}
