//! Records the outcomes of attempts, many in one transaction.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

use super::queues::{lock_queues, next_of_free_queues, next_of_queues};
use super::{Channel, ClaimedDelivery, Deliveries};
use crate::StoreError;
use crate::db::{Tx, millis, on, text_enum};
use crate::rows::insert;

/// The outcome of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AttemptOutcome {
    Success,
    HttpError,
    Timeout,
    Dns,
    Connect,
    Tls,
    /// The address is not allowed as a target.
    Blocked,
    Reset,
    /// The mail server rejected the recipient or the message.
    Refused,
    /// No outcome was recorded: the host stopped during the attempt.
    Unknown,
}

text_enum!(AttemptOutcome {
    Success: "success",
    HttpError: "http_error",
    Timeout: "timeout",
    Dns: "dns",
    Connect: "connect",
    Tls: "tls",
    Blocked: "blocked",
    Reset: "reset",
    Refused: "refused",
    Unknown: "unknown",
});

/// State of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// Retried until it arrives or its attempts are used up.
    Waiting,
    Delivered,
    Failed,
    /// Its subscription or target ended before it arrived.
    Cancelled,
    Held,
}

text_enum!(State {
    Waiting: "waiting",
    Delivered: "delivered",
    Failed: "failed",
    Cancelled: "cancelled",
    Held: "held",
});

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// The delivery that was attempted.
    pub delivery: ClaimedDelivery,
    pub at: OffsetDateTime,
    pub duration_ms: i64,
    pub outcome: AttemptOutcome,
    /// HTTP status of the response, if there was one.
    pub status: Option<u16>,
    /// The beginning of the response, or why there is none.
    pub answer: Option<String>,
    /// State of the delivery after this attempt.
    pub state: State,
    /// When the delivery is retried. `None`: it is not.
    pub next_at: Option<OffsetDateTime>,
}

impl Deliveries<'_> {
    /// Records attempts and sets the cooldowns of queues. Skips attempts whose claim is not the newest and returns how
    /// many were recorded.
    ///
    /// Queues whose deliveries have only arrived or ended are not locked, so that recording does not stop claims.
    pub async fn record(
        &self,
        attempts: &[Attempt],
        cooldowns: &[(String, OffsetDateTime)],
        now: OffsetDateTime,
    ) -> Result<usize, StoreError> {
        let mut tx = self.store.writes.begin().await?;
        let changes_health = lock_subscriptions(&mut tx, attempts).await?;
        let locked = queues_to_lock(&mut tx, attempts, cooldowns).await?;
        let locked: Vec<&str> = locked.iter().map(String::as_str).collect();
        if !locked.is_empty() {
            lock_queues(&mut tx, &locked).await?;
        }
        let written = finish(&mut tx, attempts, now).await?;
        if attempts.iter().any(|attempt| attempt.next_at.is_some()) {
            hold_paused(&mut tx, &written).await?;
        }
        let recorded: Vec<&Attempt> = attempts
            .iter()
            .filter(|attempt| written.contains(&attempt.delivery.number))
            .collect();
        add_attempts(&mut tx, &recorded).await?;
        if changes_health {
            note_health(&mut tx, &recorded).await?;
        }
        if !locked.is_empty() {
            next_of_queues(&mut tx, &locked).await?;
        }
        let others: BTreeSet<&str> = attempts
            .iter()
            .map(|attempt| attempt.delivery.endpoint.as_str())
            .filter(|queue| !locked.contains(queue))
            .collect();
        next_of_free_queues(&mut tx, &others, now).await?;
        for (key, until) in cooldowns {
            const COOLDOWN: &str = "update endpoint set resting_until = $2 where key = $1";
            on!(&mut tx, |tx| sqlx::query(COOLDOWN)
                .bind(key)
                .bind(millis(*until))
                .execute(&mut **tx)
                .await
                .map(drop))?;
        }
        tx.commit().await?;
        Ok(recorded.len())
    }
}

impl Deliveries<'_> {
    /// Returns a claimed delivery to its queue without an attempt; it is due again at `until`. Does nothing if the
    /// claim is not the newest.
    pub async fn postpone(
        &self,
        delivery: &ClaimedDelivery,
        until: OffsetDateTime,
    ) -> Result<(), StoreError> {
        const POSTPONE: &str = "update delivery set leased = false, \
            due_at = case when state = 'waiting' then cast($3 as bigint) end \
            where number = $1 and lease = $2 and leased";
        let mut tx = self.store.writes.begin().await?;
        lock_queues(&mut tx, &[&delivery.endpoint]).await?;
        on!(&mut tx, |tx| sqlx::query(POSTPONE)
            .bind(delivery.number)
            .bind(delivery.lease)
            .bind(millis(until))
            .execute(&mut **tx)
            .await
            .map(drop))?;
        next_of_queues(&mut tx, &[&delivery.endpoint]).await?;
        tx.commit().await
    }
}

/// Locks the subscriptions of webhook deliveries until the transaction ends, so that no other transaction cancels,
/// holds or moves their deliveries meanwhile. Returns whether the attempts may change since when a webhook fails;
/// otherwise events may be published for these subscriptions meanwhile.
async fn lock_subscriptions(tx: &mut Tx, attempts: &[Attempt]) -> Result<bool, StoreError> {
    let webhooks: Vec<&Attempt> = attempts
        .iter()
        .filter(|attempt| attempt.delivery.channel == Channel::Webhook)
        .collect();
    if webhooks.is_empty() {
        return Ok(false);
    }
    let numbers = webhooks.iter().map(|attempt| attempt.delivery.subscription);
    let numbers = Value::from_iter(numbers).to_string();
    let is_concerned = tx.is_numbered("number", 1);
    let mut changes_health = webhooks
        .iter()
        .any(|attempt| attempt.outcome != AttemptOutcome::Success);
    if !changes_health {
        let failing = format!(
            "select exists (select 1 from subscription where {is_concerned} and failing_since is not null)"
        );
        changes_health = on!(&mut *tx, |tx| sqlx::query_scalar(AssertSqlSafe(failing))
            .bind(&numbers)
            .fetch_one(&mut **tx)
            .await)?;
    }
    let locking = if changes_health {
        tx.locking_no_key_of("subscription")
    } else {
        tx.locking_shared_of("subscription")
    };
    let sql =
        format!("select number from subscription where {is_concerned} order by number{locking}");
    let _locked: Vec<i64> = on!(tx, |tx| sqlx::query_scalar(AssertSqlSafe(sql))
        .bind(numbers)
        .fetch_all(&mut **tx)
        .await)?;
    Ok(changes_health)
}

/// The queues that must be locked before the deliveries: those where a delivery becomes due again, those that rest from
/// now on, and those of e-mails, whose subscriptions are not locked.
async fn queues_to_lock(
    tx: &mut Tx,
    attempts: &[Attempt],
    cooldowns: &[(String, OffsetDateTime)],
) -> Result<BTreeSet<String>, StoreError> {
    let concerned: Vec<&Attempt> = attempts
        .iter()
        .filter(|attempt| attempt.next_at.is_some() || attempt.delivery.channel == Channel::Email)
        .collect();
    let mut queues: BTreeSet<String> = cooldowns.iter().map(|(key, _)| key.clone()).collect();
    if concerned.is_empty() {
        return Ok(queues);
    }
    // A webhook's address may have changed during the attempt, and its deliveries are in another queue now.
    let sql = format!(
        "select distinct endpoint from delivery where {}",
        tx.is_numbered("number", 1)
    );
    let numbers = concerned.iter().map(|attempt| attempt.delivery.number);
    let now_in: Vec<String> = on!(tx, |tx| sqlx::query_scalar(AssertSqlSafe(sql))
        .bind(Value::from_iter(numbers).to_string())
        .fetch_all(&mut **tx)
        .await)?;
    queues.extend(now_in);
    queues.extend(
        concerned
            .iter()
            .map(|attempt| attempt.delivery.endpoint.clone()),
    );
    Ok(queues)
}

/// Updates the deliveries whose newest claim belongs to an attempt, and returns their numbers. A delivery that was
/// cancelled or held meanwhile keeps that state, unless it arrived.
async fn finish(
    tx: &mut Tx,
    attempts: &[Attempt],
    now: OffsetDateTime,
) -> Result<HashSet<i64>, StoreError> {
    let row = |attempt: &Attempt| {
        let is_over = attempt.next_at.is_none();
        json!({
            "number": attempt.delivery.number,
            "lease": attempt.delivery.lease,
            "state": attempt.state.word(),
            "due_at": attempt.next_at.map(millis),
            "finished_at": is_over.then(|| millis(now)),
        })
    };
    const STAYS: &str = "delivery.state <> 'waiting' and element.state <> 'delivered'";
    let numbers = ["number", "lease", "due_at", "finished_at"];
    let sql = format!(
        "update delivery set attempts = attempts + 1, leased = false, \
         state = case when {STAYS} then delivery.state else element.state end, \
         due_at = case when {STAYS} then null else element.due_at end, \
         finished_at = case when {STAYS} then delivery.finished_at else element.finished_at end \
         from {} where delivery.number = element.number and delivery.lease = element.lease and leased \
         returning delivery.number",
        tx.rows(1, &numbers, &["state"]),
    );
    let rows: Vec<Value> = attempts.iter().map(row).collect();
    let written: Vec<i64> = on!(tx, |tx| sqlx::query_scalar(AssertSqlSafe(sql))
        .bind(Value::from(rows).to_string())
        .fetch_all(&mut **tx)
        .await)?;
    Ok(written.into_iter().collect())
}

/// Holds deliveries whose webhook was paused during the attempt.
async fn hold_paused(tx: &mut Tx, written: &HashSet<i64>) -> Result<(), StoreError> {
    let sql = format!(
        "update delivery set state = 'held', due_at = null where channel = 'webhook' and state = 'waiting' and {} \
         and exists (select 1 from subscription s where s.number = delivery.subscription and s.webhook_state = 'paused')",
        tx.is_numbered("number", 1)
    );
    on!(tx, |tx| sqlx::query(AssertSqlSafe(sql))
        .bind(Value::from_iter(written.iter().copied()).to_string())
        .execute(&mut **tx)
        .await
        .map(drop))?;
    Ok(())
}

async fn add_attempts(tx: &mut Tx, attempts: &[&Attempt]) -> Result<(), StoreError> {
    let row = |attempt: &&Attempt| {
        json!({
            "delivery": attempt.delivery.number,
            "attempt": attempt.delivery.attempts + 1,
            "at": millis(attempt.at),
            "duration_ms": attempt.duration_ms,
            "outcome": attempt.outcome.word(),
            "status": attempt.status,
            "answer": attempt.answer,
            "next_at": attempt.next_at.map(millis),
        })
    };
    let rows: Vec<Value> = attempts.iter().map(row).collect();
    let numbers = [
        "delivery",
        "attempt",
        "at",
        "duration_ms",
        "status",
        "next_at",
    ];
    insert(
        tx,
        "attempt",
        &numbers,
        &["outcome", "answer"],
        "on conflict do nothing",
        rows,
    )
    .await?;
    Ok(())
}

/// Updates since when every attempt of a webhook has failed.
async fn note_health(tx: &mut Tx, attempts: &[&Attempt]) -> Result<(), StoreError> {
    let mut health: BTreeMap<i64, Option<OffsetDateTime>> = BTreeMap::new();
    for attempt in attempts {
        if attempt.delivery.channel != Channel::Webhook {
            continue;
        }
        let failed_at = (attempt.outcome != AttemptOutcome::Success).then_some(attempt.at);
        let known = health
            .entry(attempt.delivery.subscription)
            .or_insert(failed_at);
        *known = (*known).and(failed_at).and(*known);
    }
    let list = |failed: bool| {
        let of = health.iter().filter(move |of| of.1.is_some() == failed);
        let rows = of.map(|(number, at)| json!({ "number": number, "at": at.map(millis) }));
        rows.collect::<Vec<Value>>()
    };
    let statements = [
        (
            format!(
                "update subscription set failing_since = coalesce(failing_since, element.at), failed_at = element.at \
                 from {} where subscription.number = element.number",
                tx.rows(1, &["number", "at"], &[]),
            ),
            list(true),
        ),
        (
            format!(
                "update subscription set failing_since = null from {} \
                 where subscription.number = element.number and failing_since is not null",
                tx.rows(1, &["number"], &[]),
            ),
            list(false),
        ),
    ];
    for (sql, rows) in statements {
        if rows.is_empty() {
            continue;
        }
        on!(&mut *tx, |tx| sqlx::query(AssertSqlSafe(sql))
            .bind(Value::from(rows).to_string())
            .execute(&mut **tx)
            .await
            .map(drop))?;
    }
    Ok(())
}
