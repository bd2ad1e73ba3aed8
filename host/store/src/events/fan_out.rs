//! Publishes events: assigns the number, freezes the payload and creates a delivery per target, in one transaction.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

use super::Events;
use crate::db::{MaybeWord, Millis, Tx, list, millis, on};
use crate::deliveries::wake_endpoints;
use crate::rows::insert;
use crate::{Channel, ScopeName, State, StoreError, WebhookStatus};

/// An event that has not been published yet.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct PendingEvent {
    pub number: i64,
    pub id: String,
    pub ico: String,
    pub kind: String,
    pub scope: Option<ScopeName>,
    /// The reading that raised the event; all events of one reading share it.
    pub reading: String,
    /// JSON text of the finding.
    pub content: String,
    #[sqlx(try_from = "Millis")]
    pub detected_at: OffsetDateTime,
    /// The payload to be sent, once it is rendered.
    #[sqlx(default)]
    pub payload: Option<String>,
}

/// A subscription to the company of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscriber {
    pub number: i64,
    pub plan: String,
    /// Comma-separated kinds, with a comma at both ends. `None`: every kind.
    pub kinds: Option<String>,
    /// The webhook's address and whether it is paused. `None`: no webhook, or it has ended.
    pub webhook: Option<(String, bool)>,
    /// Addresses that receive e-mail.
    pub emails: Vec<String>,
    /// Events detected before this time are not sent. Set only for subscriptions of an old version that did not record
    /// the log position. All other subscriptions were created before any waiting event gets its number.
    pub since: Option<OffsetDateTime>,
}

/// A delivery to be created: an event for one target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDelivery {
    pub id: String,
    pub event: i64,
    pub subscription: i64,
    pub channel: Channel,
    pub target: String,
    /// The key of its queue.
    pub endpoint: String,
    /// Held until the webhook is resumed.
    pub held: bool,
    /// For e-mail: the numbers of all events in the message, in order.
    pub email_events: Option<Vec<i64>>,
}

/// Selects the deliveries of one reading's events for one subscriber.
pub type Choosing<'a> = dyn Fn(&[&PendingEvent], &Subscriber) -> Vec<NewDelivery> + Sync + 'a;

#[derive(sqlx::FromRow)]
struct Row {
    number: i64,
    ico: String,
    plan: String,
    kinds: Option<String>,
    webhook_url: Option<String>,
    #[sqlx(try_from = "MaybeWord")]
    webhook_state: Option<WebhookStatus>,
    since_seq: Option<i64>,
    #[sqlx(try_from = "Millis")]
    created_at: OffsetDateTime,
}

impl Events<'_> {
    /// Unpublished events, oldest first: the first `limit` and all others of the same readings.
    pub async fn unpublished(&self, limit: u32) -> Result<Vec<PendingEvent>, StoreError> {
        const WAITING: &str = "with oldest as \
            (select number, reading from event where seq is null order by number limit $1) \
            select number, id, ico, kind, scope, coalesce(reading, id) as reading, content, detected_at from event \
            where seq is null and (number in (select number from oldest) or reading in (select reading from oldest)) \
            order by number";
        on!(&self.store.reads, |pool| sqlx::query_as(WAITING)
            .bind(i64::from(limit))
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading("event"))
    }

    /// Publishes events: assigns numbers, stores the payloads, and writes the deliveries that `chosen` returns for each
    /// reading and subscriber. Returns the number of deliveries. Skips events that another host has published
    /// meanwhile.
    pub async fn publish(
        &self,
        events: &[PendingEvent],
        chosen: &Choosing<'_>,
        now: OffsetDateTime,
    ) -> Result<usize, StoreError> {
        let mut tx = self.store.writes.begin().await?;
        let last = lock_numbers(&mut tx).await?;
        let waiting = still_waiting(&mut tx, events).await?;
        let events: Vec<&PendingEvent> = events
            .iter()
            .filter(|event| waiting.contains(&event.number))
            .collect();
        if events.is_empty() {
            return Ok(0);
        }
        let reached = number_events(&mut tx, &events, last).await?;
        let subscribers = subscribers(&mut tx, &events).await?;
        let no_subscribers = Vec::new();
        let deliveries: Vec<NewDelivery> = readings(&events)
            .iter()
            .flat_map(|reading| {
                let ico = reading.first().map(|event| &event.ico);
                let of_company = ico
                    .and_then(|ico| subscribers.get(ico))
                    .unwrap_or(&no_subscribers);
                of_company
                    .iter()
                    .flat_map(|subscriber| chosen(reading, subscriber))
            })
            .collect();
        add_deliveries(&mut tx, &deliveries, now).await?;
        tx.commit().await?;
        self.store.signals.logged.send_replace(reached);
        if !deliveries.is_empty() {
            self.store.signals.deliveries.notify_one();
        }
        Ok(deliveries.len())
    }
}

/// Groups events by reading, in number order.
fn readings<'a>(events: &[&'a PendingEvent]) -> Vec<Vec<&'a PendingEvent>> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut found: Vec<Vec<&PendingEvent>> = Vec::new();
    for event in events {
        let place = *places.entry(&event.reading).or_insert(found.len());
        match found.get_mut(place) {
            Some(reading) => reading.push(event),
            None => found.push(vec![event]),
        }
    }
    found
}

/// Locks the event counter for writing until the transaction ends and returns the last assigned number.
async fn lock_numbers(tx: &mut Tx) -> Result<i64, StoreError> {
    const LOCK: &str = "update counter set value = value where name = 'event_seq' returning value";
    Ok(on!(tx, |tx| sqlx::query_scalar(LOCK)
        .fetch_one(&mut **tx)
        .await)?)
}

/// Locks the event counter for reading and returns the last assigned number. No event gets a number until this
/// transaction ends.
pub(crate) async fn hold_numbers(tx: &mut Tx) -> Result<i64, StoreError> {
    let sql = format!(
        "select value from counter where name = 'event_seq'{}",
        tx.locking_shared_of("counter")
    );
    Ok(on!(tx, |tx| sqlx::query_scalar(AssertSqlSafe(sql))
        .fetch_one(&mut **tx)
        .await)?)
}

async fn still_waiting(tx: &mut Tx, events: &[PendingEvent]) -> Result<BTreeSet<i64>, StoreError> {
    let sql = format!(
        "select number from event where seq is null and {}",
        tx.is_numbered("number", 1)
    );
    let numbers = Value::from_iter(events.iter().map(|event| event.number)).to_string();
    let waiting: Vec<i64> = on!(tx, |tx| sqlx::query_scalar(AssertSqlSafe(sql))
        .bind(numbers)
        .fetch_all(&mut **tx)
        .await)?;
    Ok(waiting.into_iter().collect())
}

/// Assigns consecutive numbers after `last` and returns the last one.
async fn number_events(
    tx: &mut Tx,
    events: &[&PendingEvent],
    last: i64,
) -> Result<i64, StoreError> {
    const REACHED: &str = "update counter set value = $1 where name = 'event_seq'";
    let rows: Vec<Value> = events
        .iter()
        .zip(last + 1..)
        .map(|(event, seq)| json!({ "number": event.number, "seq": seq, "payload": event.payload }))
        .collect();
    let reached = last + i64::try_from(rows.len()).unwrap_or_default();
    let sql = format!(
        "update event set seq = element.seq, payload = element.payload from {} where event.number = element.number",
        tx.rows(1, &["number", "seq"], &["payload"]),
    );
    on!(tx, |tx| {
        sqlx::query(AssertSqlSafe(sql))
            .bind(Value::from(rows).to_string())
            .execute(&mut **tx)
            .await?;
        sqlx::query(REACHED)
            .bind(reached)
            .execute(&mut **tx)
            .await
            .map(drop)
    })?;
    Ok(reached)
}

/// Active subscriptions by company, locked. A transaction that ends one waits for this one and then cancels the
/// deliveries created here.
async fn subscribers(
    tx: &mut Tx,
    events: &[&PendingEvent],
) -> Result<HashMap<String, Vec<Subscriber>>, StoreError> {
    const ACTIVE: &str = "select s.number, s.ico, a.plan, s.kinds, s.webhook_url, s.webhook_state, s.since_seq, \
        s.created_at \
        from subscription s join account a on a.id = s.account_id where s.active and ";
    let icos: BTreeSet<&str> = events.iter().map(|event| event.ico.as_str()).collect();
    let sql = format!(
        "{ACTIVE}{} order by s.number{}",
        tx.is_listed("s.ico", 1),
        tx.locking_shared_of("s")
    );
    let rows: Vec<Row> = on!(&mut *tx, |tx| sqlx::query_as(AssertSqlSafe(sql))
        .bind(list(icos))
        .fetch_all(&mut **tx)
        .await)
    .map_err(StoreError::reading("subscription"))?;
    let mut emails = emails(tx, &rows).await?;
    let mut found: HashMap<String, Vec<Subscriber>> = HashMap::new();
    for row in rows {
        let webhook = match (row.webhook_url, row.webhook_state) {
            (Some(url), Some(WebhookStatus::Active)) => Some((url, false)),
            (Some(url), Some(WebhookStatus::Paused)) => Some((url, true)),
            (Some(_), Some(WebhookStatus::Ended) | None) | (None, _) => None,
        };
        found.entry(row.ico).or_default().push(Subscriber {
            emails: emails.remove(&row.number).unwrap_or_default(),
            number: row.number,
            plan: row.plan,
            kinds: row.kinds,
            webhook,
            since: row.since_seq.is_none().then_some(row.created_at),
        });
    }
    Ok(found)
}

async fn emails(tx: &mut Tx, rows: &[Row]) -> Result<HashMap<i64, Vec<String>>, StoreError> {
    let sql = format!(
        "select subscription, address from subscription_email where ended_at is null and not waiting and {} \
         order by number",
        tx.is_numbered("subscription", 1)
    );
    let numbers = Value::from_iter(rows.iter().map(|row| row.number)).to_string();
    let addresses: Vec<(i64, String)> = on!(tx, |tx| sqlx::query_as(AssertSqlSafe(sql))
        .bind(numbers)
        .fetch_all(&mut **tx)
        .await)?;
    let mut found: HashMap<i64, Vec<String>> = HashMap::new();
    for (subscription, address) in addresses {
        found.entry(subscription).or_default().push(address);
    }
    Ok(found)
}

async fn add_deliveries(
    tx: &mut Tx,
    deliveries: &[NewDelivery],
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    if deliveries.is_empty() {
        return Ok(());
    }
    let row = |delivery: &NewDelivery| {
        let state = if delivery.held {
            State::Held
        } else {
            State::Waiting
        };
        json!({
            "id": delivery.id,
            "event": delivery.event,
            "subscription": delivery.subscription,
            "channel": delivery.channel.word(),
            "target": delivery.target,
            "endpoint": delivery.endpoint,
            "state": state.word(),
            "due_at": (!delivery.held).then(|| millis(now)),
            "letter": delivery.email_events.as_ref().map(|events| json!(events).to_string()),
            "created_at": millis(now),
        })
    };
    let rows: Vec<Value> = deliveries.iter().map(row).collect();
    let numbers = ["event", "subscription", "due_at", "created_at"];
    let texts = ["id", "channel", "target", "endpoint", "state", "letter"];
    let conflict = "on conflict do nothing";
    insert(tx, "delivery", &numbers, &texts, conflict, rows).await?;
    let waiting = deliveries.iter().filter(|delivery| !delivery.held);
    let endpoints = waiting.map(|delivery| (delivery.endpoint.as_str(), millis(now)));
    wake_endpoints(tx, endpoints).await
}
