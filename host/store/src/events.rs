//! The change history and events: an outbox until the fan-out numbers them, then a log.
//!
//! Changes and events are written in the transaction that writes the changed data. A reader that follows the log by
//! number misses nothing: numbers are assigned in one place, under a lock, in the order in which events become visible.

mod fan_out;
mod log;
mod sweep;

use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

pub(super) use fan_out::hold_numbers;
pub use fan_out::{Choosing, NewDelivery, PendingEvent, Subscriber};
pub use log::{LogPosition, LoggedEvent};

use super::db::{MaybeMillis, Millis, Tx, list, millis, on};
use super::rows::insert;
use super::{ConnectorId, ScopeName, Store, StoreError};

/// A change to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewChange {
    pub ico: String,
    /// The connector that read the data.
    pub connector: ConnectorId,
    /// `None`: the change is in the base record or in details.
    pub scope: Option<ScopeName>,
    /// The name of the changed member of `data`.
    pub field: String,
    /// A JSON pointer into `data`.
    pub path: String,
    /// `add`, `remove`, `replace`, or `rebaseline`.
    pub op: &'static str,
    /// The old value as JSON text.
    pub old: Option<String>,
    /// The new value as JSON text.
    pub new: Option<String>,
    pub detected_at: OffsetDateTime,
}

/// An event to be published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvent {
    /// Deterministic: the same finding always has the same id.
    pub id: String,
    pub ico: String,
    pub kind: String,
    /// The scope that the account's plan must include. `None`: every plan may receive it.
    pub scope: Option<ScopeName>,
    /// The reading that raised the event; all events of one reading share it.
    pub reading: String,
    /// JSON text of the finding.
    pub content: String,
    pub detected_at: OffsetDateTime,
}

/// The changes and events of a comparison.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangeSet {
    pub changes: Vec<NewChange>,
    pub events: Vec<NewEvent>,
}

impl ChangeSet {
    /// Appends the changes and events of another comparison.
    pub fn extend(&mut self, other: Self) {
        self.changes.extend(other.changes);
        self.events.extend(other.events);
    }
}

#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct StoredChange {
    pub id: i64,
    pub connector: ConnectorId,
    pub scope: Option<ScopeName>,
    pub field: String,
    pub path: String,
    pub op: String,
    pub old: Option<String>,
    pub new: Option<String>,
    #[sqlx(try_from = "Millis")]
    pub detected_at: OffsetDateTime,
}

/// The change history and the outbox of events.
#[derive(Debug, Clone, Copy)]
pub struct Events<'a> {
    pub(super) store: &'a Store,
}

/// Stores changes and events within the given transaction.
pub(super) async fn keep(tx: &mut Tx, found: &ChangeSet) -> Result<(), StoreError> {
    let change = |change: &NewChange| {
        json!({
            "ico": change.ico,
            "connector": change.connector,
            "scope": change.scope,
            "field": change.field,
            "path": change.path,
            "op": change.op,
            "old": change.old,
            "new": change.new,
            "detected_at": millis(change.detected_at),
        })
    };
    let event = |event: &NewEvent| {
        json!({
            "id": event.id,
            "ico": event.ico,
            "kind": event.kind,
            "scope": event.scope,
            "reading": event.reading,
            "content": event.content,
            "detected_at": millis(event.detected_at),
        })
    };
    if !found.changes.is_empty() {
        let rows: Vec<Value> = found.changes.iter().map(change).collect();
        let texts = [
            "ico",
            "connector",
            "scope",
            "field",
            "path",
            "op",
            "old",
            "new",
        ];
        insert(tx, "change", &["detected_at"], &texts, "", rows).await?;
    }
    if !found.events.is_empty() {
        let rows: Vec<Value> = found.events.iter().map(event).collect();
        let texts = ["id", "ico", "kind", "scope", "reading", "content"];
        let conflict = "on conflict (id) do nothing";
        insert(tx, "event", &["detected_at"], &texts, conflict, rows).await?;
    }
    Ok(())
}

impl Events<'_> {
    /// One page of a company's changes in the base record, in details and in the given scopes, newest first, and the
    /// total count. Excludes differences that come only from a new connector version.
    pub async fn history(
        &self,
        ico: &str,
        scopes: &[ScopeName],
        limit: u32,
        offset: u32,
    ) -> Result<(Vec<StoredChange>, i64), StoreError> {
        let db = &self.store.reads;
        let of = format!(
            "from change where ico = $1 and op <> 'rebaseline' and (scope is null or {})",
            db.is_listed("scope", 2)
        );
        let scopes = list(scopes.iter().map(ScopeName::as_str));
        let page = format!(
            "select id, connector, scope, field, path, op, old, new, detected_at {of} order by id desc \
             limit $3 offset $4"
        );
        let changes = on!(db, |pool| sqlx::query_as(AssertSqlSafe(page))
            .bind(ico)
            .bind(&scopes)
            .bind(i64::from(limit))
            .bind(i64::from(offset))
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading("change"))?;
        let total = on!(db, |pool| sqlx::query_scalar(AssertSqlSafe(format!(
            "select count(*) {of}"
        )))
        .bind(ico)
        .bind(&scopes)
        .fetch_one(pool)
        .await)?;
        Ok((changes, total))
    }

    /// Number of events that have no number yet.
    pub async fn waiting(&self) -> Result<i64, StoreError> {
        const WAITING: &str = "select count(*) from event where seq is null";
        Ok(on!(&self.store.reads, |pool| sqlx::query_scalar(WAITING)
            .fetch_one(pool)
            .await)?)
    }

    /// Detection time of the oldest event that has no number yet. `None`: no event waits.
    pub async fn oldest_waiting(&self) -> Result<Option<OffsetDateTime>, StoreError> {
        #[derive(sqlx::FromRow)]
        struct Oldest {
            #[sqlx(try_from = "MaybeMillis")]
            at: Option<OffsetDateTime>,
        }
        const OLDEST: &str = "select min(detected_at) as at from event where seq is null";
        let oldest: Oldest = on!(&self.store.reads, |pool| sqlx::query_as(OLDEST)
            .fetch_one(pool)
            .await)
        .map_err(StoreError::reading("event"))?;
        Ok(oldest.at)
    }
}
