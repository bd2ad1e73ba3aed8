//! Claims deliveries of the queues that have been due longest.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

use super::Deliveries;
use super::queues::next_of_queues;
use crate::StoreError;
use crate::db::{Either, Millis, Tx, list, millis, on, text_enum};

/// How a delivery reaches its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    Webhook,
    Email,
}

text_enum!(Channel {
    Webhook: "webhook",
    Email: "email",
});

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedDelivery {
    pub number: i64,
    pub id: String,
    pub subscription: i64,
    pub channel: Channel,
    pub target: String,
    /// The key of its queue.
    pub endpoint: String,
    /// Attempts before this one: `attempts` in total, `tried` since the delivery was last sent again.
    pub attempts: i64,
    pub tried: i64,
    /// Number of this claim; only the newest may write the outcome.
    pub lease: i64,
    pub created_at: OffsetDateTime,
    pub event: DeliveredEvent,
    /// For e-mail: all events that the message announces, in order. Otherwise empty.
    pub email_events: Vec<DeliveredEvent>,
}

/// The event that is delivered.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct DeliveredEvent {
    pub number: i64,
    pub id: String,
    pub ico: String,
    pub kind: String,
    /// JSON text, byte-identical for every attempt.
    pub payload: String,
    /// JSON text of the finding, including members that only e-mails show.
    pub content: String,
}

#[derive(sqlx::FromRow)]
struct Row {
    number: i64,
    id: String,
    event: i64,
    subscription: i64,
    #[sqlx(try_from = "String")]
    channel: Channel,
    target: String,
    endpoint: String,
    attempts: i64,
    round: i64,
    lease: i64,
    /// JSON array of the numbers of the events in an e-mail.
    #[sqlx(rename = "letter")]
    email_events: Option<String>,
    #[sqlx(try_from = "Millis")]
    created_at: OffsetDateTime,
}

impl Row {
    /// Numbers of the events in an e-mail.
    fn email_events(&self) -> Vec<i64> {
        let numbers = self.email_events.as_deref();
        numbers
            .and_then(|numbers| serde_json::from_str(numbers).ok())
            .unwrap_or_default()
    }
}

impl Deliveries<'_> {
    /// Claims due deliveries for `lease`, from at most `queues` queues, longest due first. `room` returns how many
    /// deliveries of a queue may be claimed. Queues in `full` are skipped.
    pub async fn claim(
        &self,
        full: &[&str],
        queues: u32,
        room: &(dyn Fn(&str) -> u32 + Sync),
        lease: Duration,
        now: OffsetDateTime,
    ) -> Result<Vec<ClaimedDelivery>, StoreError> {
        let due = format!(
            "select key from endpoint where due_at <= $1 and (resting_until is null or resting_until <= $1) \
             and not ({}) order by due_at, key limit $3",
            self.store.writes.is_listed("key", 2)
        );
        let full = list(full.iter().copied());
        // Most polls find nothing. Check with a read first, so that polling never takes the write lock.
        let waiting: Vec<String> = on!(&self.store.reads, |pool| sqlx::query_scalar(
            AssertSqlSafe(due.as_str())
        )
        .bind(millis(now))
        .bind(&full)
        .bind(i64::from(queues))
        .fetch_all(pool)
        .await)?;
        if waiting.is_empty() {
            return Ok(Vec::new());
        }
        let mut tx = self.store.writes.begin().await?;
        let locked = format!("{due}{}", tx.skipping_locked());
        let keys: Vec<String> = on!(&mut tx, |tx| sqlx::query_scalar(AssertSqlSafe(locked))
            .bind(millis(now))
            .bind(&full)
            .bind(i64::from(queues))
            .fetch_all(&mut **tx)
            .await)?;
        if keys.is_empty() {
            // Another host has claimed them meanwhile.
            return Ok(Vec::new());
        }
        let rooms: Vec<(&str, u32)> = keys.iter().map(|key| (key.as_str(), room(key))).collect();
        let claimed = claim_queues(&mut tx, &rooms, lease, now).await?;
        let events = events(&mut tx, &claimed).await?;
        tx.commit().await?;
        Ok(claimed
            .into_iter()
            .filter_map(|row| {
                let event = events.get(&row.event)?.clone();
                let in_email = row.email_events();
                let in_email = in_email.iter().filter_map(|number| events.get(number));
                Some(ClaimedDelivery {
                    email_events: in_email.cloned().collect(),
                    number: row.number,
                    id: row.id,
                    subscription: row.subscription,
                    channel: row.channel,
                    target: row.target,
                    endpoint: row.endpoint,
                    attempts: row.attempts,
                    tried: row.attempts - row.round,
                    lease: row.lease,
                    created_at: row.created_at,
                    event,
                })
            })
            .collect())
    }
}

/// Claims the due deliveries of locked queues, of each at most as many as stand beside its key.
async fn claim_queues(
    tx: &mut Tx,
    queues: &[(&str, u32)],
    lease: Duration,
    now: OffsetDateTime,
) -> Result<Vec<Row>, StoreError> {
    let rooms: Vec<Value> = queues
        .iter()
        .map(|(key, most)| json!({ "key": key, "most": most }))
        .collect();
    let due = due_of_queues(tx, queues.len());
    let mut due: Vec<(i64, bool)> = on!(&mut *tx, |tx| sqlx::query_as(AssertSqlSafe(due))
        .bind(Value::from(rooms).to_string())
        .bind(millis(now))
        .fetch_all(&mut **tx)
        .await)?;
    let expired: Vec<i64> = due.iter().filter(|due| due.1).map(|due| due.0).collect();
    if !expired.is_empty() {
        let abandoned = lock_abandoned(tx, &expired, now).await?;
        write_unknown(tx, &abandoned, now).await?;
        due.retain(|(number, leased)| !leased || abandoned.binary_search(number).is_ok());
    }
    let claim = format!(
        "update delivery set lease = lease + 1, leased = true, due_at = $2 where {} \
         returning number, id, event, subscription, channel, target, endpoint, attempts, round, lease, \
         letter, created_at",
        tx.is_numbered("number", 1)
    );
    let numbers = Value::from_iter(due.iter().map(|due| due.0)).to_string();
    let mut claimed: Vec<Row> = on!(&mut *tx, |tx| sqlx::query_as(AssertSqlSafe(claim))
        .bind(numbers)
        .bind(millis(now + lease))
        .fetch_all(&mut **tx)
        .await)
    .map_err(StoreError::reading("delivery"))?;
    claimed.sort_by_key(|row| row.number);
    let keys: Vec<&str> = queues.iter().map(|(key, _)| *key).collect();
    next_of_queues(tx, &keys).await?;
    Ok(claimed)
}

/// SQL of the due deliveries of several queues, longest due first: `$1` is a JSON array of `{key, most}` with at most
/// this many elements, `$2` the time. Reads no more of a queue than `most` rows, however many are due.
fn due_of_queues(tx: &Tx, queues: usize) -> String {
    let due = |key: &str, most: &str| {
        format!(
            "select number, leased from delivery where endpoint = {key} and due_at <= $2 \
             order by due_at, number limit {most}"
        )
    };
    match tx {
        // It has no lateral joins, and a limit cannot depend on a row.
        Either::Sqlite(_) => {
            let of = |index| {
                let member = |name| format!("json_extract($1, '$[{index}].{name}')");
                let most = format!("ifnull({}, 0)", member("most"));
                format!("select * from ({})", due(&member("key"), &most))
            };
            // Few different texts, because a connection keeps a limited number of prepared statements.
            let parts = queues.next_power_of_two();
            (0..parts).map(of).collect::<Vec<_>>().join(" union all ")
        }
        Either::Postgres(_) => {
            let queue = due("element.key", "element.most");
            format!(
                "select due.number, due.leased from {} cross join lateral ({queue}) due",
                tx.rows(1, &["most"], &["key"])
            )
        }
    }
}

/// Locks those of these deliveries whose claim has expired without an outcome, and returns them. Leaves out those whose
/// outcome is being recorded.
async fn lock_abandoned(
    tx: &mut Tx,
    expired: &[i64],
    now: OffsetDateTime,
) -> Result<Vec<i64>, StoreError> {
    let sql = format!(
        "select number from delivery where {} and leased and due_at <= $2 order by number{}",
        tx.is_numbered("number", 1),
        tx.skipping_locked()
    );
    Ok(on!(tx, |tx| sqlx::query_scalar(AssertSqlSafe(sql))
        .bind(Value::from_iter(expired.iter().copied()).to_string())
        .bind(millis(now))
        .fetch_all(&mut **tx)
        .await)?)
}

async fn write_unknown(
    tx: &mut Tx,
    numbers: &[i64],
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let insert = format!(
        "insert into attempt (delivery, attempt, at, duration_ms, outcome, next_at) \
         select number, attempts + 1, due_at, 0, 'unknown', $2 from delivery where {} on conflict do nothing",
        tx.is_numbered("number", 1)
    );
    let count = format!(
        "update delivery set attempts = attempts + 1 where {}",
        tx.is_numbered("number", 1)
    );
    let numbers = Value::from_iter(numbers.iter().copied()).to_string();
    on!(tx, |tx| {
        sqlx::query(AssertSqlSafe(insert))
            .bind(&numbers)
            .bind(millis(now))
            .execute(&mut **tx)
            .await?;
        sqlx::query(AssertSqlSafe(count))
            .bind(&numbers)
            .execute(&mut **tx)
            .await
            .map(drop)
    })?;
    Ok(())
}

async fn events(tx: &mut Tx, claimed: &[Row]) -> Result<HashMap<i64, DeliveredEvent>, StoreError> {
    let sql = format!(
        "select number, id, ico, kind, payload, content from event where payload is not null and {}",
        tx.is_numbered("number", 1)
    );
    let in_emails = claimed.iter().flat_map(Row::email_events);
    let mut numbers: Vec<i64> = claimed
        .iter()
        .map(|row| row.event)
        .chain(in_emails)
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    let events: Vec<DeliveredEvent> = on!(tx, |tx| sqlx::query_as(AssertSqlSafe(sql))
        .bind(Value::from_iter(numbers).to_string())
        .fetch_all(&mut **tx)
        .await)
    .map_err(StoreError::reading("event"))?;
    Ok(events
        .into_iter()
        .map(|event| (event.number, event))
        .collect())
}
