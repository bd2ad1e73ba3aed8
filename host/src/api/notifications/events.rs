//! The event log: the events that webhooks carry, in pages, by long poll or as a stream.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use futures_util::Stream;
use futures_util::stream;
use tokio::sync::watch;
use tokio::time::Instant;
use utoipa_axum::router::OpenApiRouter;

use super::scopes_of;
use super::shapes::{EventLog, EventLogMeta, EventOfLog};
use crate::api::App;
use crate::api::auth::Caller;
use crate::api::error::{ApiError, Code, ErrorBody};
use crate::api::parameters::types::{Cursor, Whole};
use crate::api::parameters::{Query, parameters};
use crate::handlers::routes;
use crate::store::{AccountId, LogPosition, LoggedEvent, ScopeName, StoreError};

/// Maximum wait of a long poll, in seconds.
const MAX_WAIT_SECONDS: u64 = 25;

/// Interval at which a waiting reader polls for events of other hosts.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Maximum duration of a stream. Clients reconnect, which validates their key again.
const MAX_STREAM: Duration = Duration::from_secs(15 * 60);

/// Interval of the comments that keep an idle stream open.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Batch size of a stream's reads.
const AT_ONCE: u32 = 100;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(event_log))
        .routes(routes!(event_stream))
}

/// A client's position in the event log.
struct Reader {
    app: App,
    caller: Caller,
    account: AccountId,
    scopes: Vec<ScopeName>,
    at: i64,
    written: watch::Receiver<i64>,
    ending: watch::Receiver<bool>,
}

impl Reader {
    /// Opens the log at a cursor: an event number, `latest`, or `None` for the beginning.
    async fn open(
        app: App,
        caller: &Caller,
        name: &str,
        cursor: Option<&str>,
    ) -> Result<Self, ApiError> {
        // Subscribe before reading the position, so that no event in between is missed.
        let written = app.context.store.signals().logged.subscribe();
        let position = app.context.store.events().position().await?;
        let at = begin(name, cursor, position)?;
        Ok(Self {
            scopes: scopes_of(&app, caller),
            account: caller.account_id,
            caller: caller.clone(),
            ending: app.ending.subscribe(),
            app,
            at,
            written,
        })
    }

    /// Reads the next events and advances.
    async fn read(&mut self, limit: u32) -> Result<Vec<LoggedEvent>, StoreError> {
        let events = self.app.context.store.events();
        let (found, reached) = events
            .logged_after(self.account, &self.scopes, self.at, limit)
            .await?;
        self.at = reached;
        Ok(found)
    }

    /// Like [`Self::read`], but waits for events until a time. `None`: the key was revoked or has expired, or the host
    /// stops.
    async fn read_until(
        &mut self,
        limit: u32,
        until: Instant,
    ) -> Result<Option<Vec<LoggedEvent>>, StoreError> {
        loop {
            if !self.caller.is_still_valid(&self.app).await {
                return Ok(None);
            }
            self.written.mark_unchanged();
            let found = self.read(limit).await?;
            if !found.is_empty() || Instant::now() >= until {
                return Ok(Some(found));
            }
            if *self.ending.borrow() {
                return Ok(None);
            }
            let look = until.min(Instant::now() + POLL_INTERVAL);
            tokio::select! {
                _ = self.written.changed() => {}
                _ = self.ending.changed() => {}
                () = tokio::time::sleep_until(look) => {}
            }
        }
    }
}

fn begin(name: &str, cursor: Option<&str>, position: LogPosition) -> Result<i64, ApiError> {
    let Some(cursor) = cursor.map(str::trim).filter(|cursor| !cursor.is_empty()) else {
        return Ok(position.swept);
    };
    if cursor == "latest" {
        return Ok(position.last);
    }
    let is_number = cursor.bytes().all(|byte| byte.is_ascii_digit());
    let number: Option<i64> = cursor.parse().ok().filter(|_| is_number);
    match number.filter(|number| *number <= position.last) {
        None => Err(ApiError::invalid(name, "it is not a cursor of this log")),
        Some(number) if number < position.swept => Err(ApiError::new(
            Code::CursorExpired,
            format!(
                "what was behind this cursor is deleted; the log begins behind {}",
                position.swept
            ),
        )),
        Some(number) => Ok(number),
    }
}

parameters! {
    struct LogQuery in Query {
        /// Cursor: `meta.cursor` of the previous page, or `latest` for events from now on. The default is the beginning
        /// of the log.
        after: Cursor,
        /// Cursor: `meta.cursor` of the previous page, or `latest` for the newest events. The page has the events before
        /// it, newest first, and only those after `after` if it is given. `wait` has no effect then.
        before: Cursor,
        /// Maximum number of events, 1 to 1000. Default 100.
        limit: Whole<1, 1_000, 100>,
        /// Seconds to wait for events if there are none yet, 0 to 25. Default 0.
        wait: Whole<0, MAX_WAIT_SECONDS, 0>,
    }
}

parameters! {
    struct StreamQuery in Query {
        /// Cursor after which to start. `Last-Event-ID` takes precedence.
        after: Cursor,
    }
}

/// Read the event log.
///
/// Returns the events after or before a cursor that the account's subscriptions select. Each has the same id as in
/// webhooks.
#[utoipa::path(
    get,
    path = "/v1/notifications/events",
    tag = "Notifications",
    params(LogQuery),
    responses(
        (status = 200, description = "The events, oldest first; with `before`, newest first.", body = EventLog),
        (status = 410, description = "The cursor is too old: events after it have been deleted.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn event_log(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<LogQuery>,
) -> Result<Json<EventLog>, ApiError> {
    let limit = u32::try_from(query.limit).unwrap_or(u32::MAX);
    let before = query.before.as_deref().map(str::trim);
    if let Some(before) = before.filter(|before| !before.is_empty()) {
        let after = query.after.as_deref();
        return newest_first(&app, &caller, (after, before), limit).await;
    }
    let mut reader = Reader::open(app, &caller, "after", query.after.as_deref()).await?;
    let until = Instant::now() + Duration::from_secs(query.wait);
    let found = reader.read_until(limit, until).await?.unwrap_or_default();
    let position = reader.app.context.store.events().position().await?;
    Ok(Json(EventLog {
        data: found.iter().map(EventOfLog::of).collect(),
        meta: EventLogMeta {
            cursor: reader.at.to_string(),
            more: reader.at < position.last,
        },
    }))
}

/// The events between two cursors, newest first.
async fn newest_first(
    app: &App,
    caller: &Caller,
    (after, before): (Option<&str>, &str),
    limit: u32,
) -> Result<Json<EventLog>, ApiError> {
    let events = app.context.store.events();
    let position = events.position().await?;
    let first = begin("after", after, position)?;
    let end = match before {
        "latest" => Some(position.last + 1),
        number => number.parse().ok(),
    };
    let end = end.filter(|end| (0..=position.last + 1).contains(end));
    let end = end.ok_or_else(|| ApiError::invalid("before", "it is not a cursor of this log"))?;
    let scopes = scopes_of(app, caller);
    let (found, next) = events
        .logged_between(caller.account_id, &scopes, (first, end), limit)
        .await?;
    Ok(Json(EventLog {
        data: found.iter().map(EventOfLog::of).collect(),
        meta: EventLogMeta {
            cursor: next.unwrap_or(first + 1).to_string(),
            more: next.is_some(),
        },
    }))
}

/// Stream events (Server-Sent Events).
///
/// `id` is a cursor, `event` the event kind, and `data` the payload of webhooks. The stream starts with new events, or
/// after the cursor in `Last-Event-ID` or `after`. It ends after 15 minutes; a client that reconnects with the last id
/// misses no events. A message without `data` only has a newer `id`.
#[utoipa::path(
    get,
    path = "/v1/notifications/stream",
    tag = "Notifications",
    params(
        StreamQuery,
        ("Last-Event-ID" = Option<String>, Header, description = "The `id` of the last event that the client received."),
    ),
    responses(
        (status = 200, description = "The stream of events.", content_type = "text/event-stream", body = String),
        (status = 410, description = "The cursor is too old: events after it have been deleted.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn event_stream(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<StreamQuery>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    let last = headers.get("last-event-id");
    let last = last.map(|last| last.to_str().unwrap_or("?").to_owned());
    let (name, cursor) = match (&last, query.after.as_deref()) {
        (Some(last), _) => ("Last-Event-ID", last.as_str()),
        (None, Some(after)) => ("after", after),
        (None, None) => ("after", "latest"),
    };
    let reader = Reader::open(app, &caller, name, Some(cursor)).await?;
    let messages = Messages {
        sent: reader.at,
        reader,
        read: VecDeque::new(),
        end: Instant::now() + MAX_STREAM,
        is_open: true,
    };
    let stream = stream::unfold(messages, async |mut messages| {
        let next = messages.next().await?;
        Some((Ok(next), messages))
    });
    Ok(Sse::new(stream).keep_alive(KeepAlive::new().interval(HEARTBEAT)))
}

/// The messages of a stream.
struct Messages {
    reader: Reader,
    read: VecDeque<LoggedEvent>,
    /// The last id that the client received.
    sent: i64,
    end: Instant,
    is_open: bool,
}

impl Messages {
    /// The next event, or an id alone: the cursor up to which there are no further events. Without it, a client of few
    /// events would resume at a cursor that is deleted.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.read.pop_front() {
                self.sent = event.seq;
                return Some(sse(&event));
            }
            if !self.is_open {
                return None;
            }
            let until = self.end.min(Instant::now() + HEARTBEAT);
            match self.reader.read_until(AT_ONCE, until).await {
                Ok(Some(found)) => self.read.extend(found),
                Ok(None) => self.is_open = false,
                Err(error) => {
                    tracing::warn!(%error, "event stream ends early");
                    self.is_open = false;
                }
            }
            self.is_open &= Instant::now() < self.end;
            if self.read.is_empty() && self.reader.at > self.sent {
                self.sent = self.reader.at;
                return Some(Event::default().id(self.sent.to_string()));
            }
        }
    }
}

fn sse(event: &LoggedEvent) -> Event {
    Event::default()
        .id(event.seq.to_string())
        .event(&event.kind)
        // JSON text contains no raw line break; one would end the field.
        .data(event.payload.replace(['\r', '\n'], " "))
}
