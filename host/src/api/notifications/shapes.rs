//! Response bodies of the notification endpoints.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::api::search::ListMeta;
use crate::clock::rfc3339;
use crate::store::{
    LoggedEvent, ShownAttempt, ShownDelivery, State, StoredChange, SubscribedEmail, Subscription,
};

/// A subscription.
#[derive(Debug, Serialize, ToSchema)]
pub struct SubscriptionAnswer {
    /// Its id.
    pub(super) id: String,
    /// `active`, or `historical` once it was deleted.
    pub(super) status: &'static str,
    /// The watched company.
    pub(super) ico: String,
    /// Where webhooks go.
    #[schema(required)]
    pub(super) webhook_url: Option<String>,
    /// The addresses that get e-mail.
    pub(super) notification_emails: Vec<String>,
    /// The kinds that are told; `updated` for every one.
    pub(super) events: Vec<String>,
    /// When it was created, RFC 3339.
    pub(super) created_at: String,
    /// When it was last changed.
    pub(super) updated_at: String,
    /// When it was deleted.
    #[schema(required)]
    pub(super) ended_at: Option<String>,
    /// How the webhook stands; null where there is none.
    #[schema(required)]
    pub(super) webhook: Option<WebhookState>,
    /// Addresses that get nothing any more.
    pub(super) ended_emails: Vec<EndedEmail>,
    /// Those of `notification_emails` that get nothing yet: they were asked by a letter to confirm.
    pub(super) unconfirmed_emails: Vec<String>,
    /// What webhooks are signed with: shown once, when it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) secret: Option<String>,
}

/// How a webhook stands.
#[derive(Debug, Serialize, ToSchema)]
pub struct WebhookState {
    /// `active`; `paused`, where every attempt had failed for days; `ended`, where the receiver answered 410.
    state: String,
    /// Why it is not active.
    #[schema(required)]
    reason: Option<String>,
}

/// An address that gets nothing any more.
#[derive(Debug, Serialize, ToSchema)]
pub struct EndedEmail {
    address: String,
    /// When it ended.
    ended_at: String,
    /// `unsubscribed`, or what the mail server said.
    #[schema(required)]
    reason: Option<String>,
}

impl SubscriptionAnswer {
    pub(super) fn of(stored: Subscription) -> Self {
        let (ended, wanted): (Vec<SubscribedEmail>, Vec<SubscribedEmail>) = stored
            .emails
            .into_iter()
            .partition(|email| email.ended_at.is_some());
        let events = stored.kinds.as_deref().map_or_else(
            || vec!["updated".to_owned()],
            |kinds| {
                kinds
                    .trim_matches(',')
                    .split(',')
                    .map(str::to_owned)
                    .collect()
            },
        );
        Self {
            id: stored.id,
            status: if stored.active {
                "active"
            } else {
                "historical"
            },
            ico: stored.ico,
            webhook: stored.webhook_state.map(|state| WebhookState {
                state,
                reason: stored.webhook_reason,
            }),
            webhook_url: stored.webhook_url,
            unconfirmed_emails: wanted
                .iter()
                .filter(|email| email.waiting)
                .map(|email| email.address.clone())
                .collect(),
            notification_emails: wanted.into_iter().map(|email| email.address).collect(),
            events,
            created_at: rfc3339(stored.created_at),
            updated_at: rfc3339(stored.updated_at),
            ended_at: stored.ended_at.map(rfc3339),
            ended_emails: ended
                .into_iter()
                .filter_map(|email| {
                    Some(EndedEmail {
                        ended_at: rfc3339(email.ended_at?),
                        address: email.address,
                        reason: email.reason,
                    })
                })
                .collect(),
            secret: None,
        }
    }
}

/// Subscriptions, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct Subscriptions {
    pub(super) data: Vec<SubscriptionAnswer>,
    pub(super) meta: ListMeta,
}

/// A delivery: one event on its way to one target.
#[derive(Debug, Serialize, ToSchema)]
pub struct Delivery {
    /// Its id, the same for every attempt and in the header `X-Webhook-Delivery-Id`.
    id: String,
    /// `webhook` or `email`.
    channel: &'static str,
    /// `waiting`, `delivered`, `failed`, `cancelled`, or `held` while the webhook is paused.
    status: &'static str,
    /// How many attempts were made.
    attempts: i64,
    /// The address.
    target: String,
    /// The event's kind.
    event: String,
    /// The event's id, as in what is sent.
    event_id: String,
    created_at: String,
    /// When it is tried next; null where it is not, or is being tried now.
    #[schema(required)]
    next_attempt_at: Option<String>,
    /// When it arrived or was given up.
    #[schema(required)]
    finished_at: Option<String>,
    /// Every attempt.
    attempt_log: Vec<Attempt>,
}

/// One attempt.
#[derive(Debug, Serialize, ToSchema)]
pub struct Attempt {
    /// Counted from 1.
    attempt: i64,
    /// When it began.
    at: String,
    duration_ms: i64,
    /// `success`, `http_error`, `timeout`, `dns`, `connect`, `tls`, `blocked`, `reset`, `refused`, or `unknown` where
    /// the host that made it did not live to write what became of it.
    outcome: &'static str,
    /// The status of the answer.
    #[schema(required)]
    status: Option<i64>,
    /// The beginning of the answer, or why there is none.
    #[schema(required)]
    answer: Option<String>,
}

impl Attempt {
    fn of(stored: ShownAttempt) -> Self {
        Self {
            attempt: stored.attempt,
            at: rfc3339(stored.at),
            duration_ms: stored.duration_ms,
            outcome: stored.outcome.word(),
            status: stored.status,
            answer: stored.answer,
        }
    }
}

impl Delivery {
    pub(super) fn of(stored: ShownDelivery) -> Self {
        let waits = stored.state == State::Waiting && !stored.leased;
        Self {
            id: stored.id,
            channel: stored.channel.word(),
            status: stored.state.word(),
            attempts: stored.attempts,
            target: stored.target,
            event: stored.kind,
            event_id: stored.event_id,
            created_at: rfc3339(stored.created_at),
            next_attempt_at: stored.due_at.filter(|_| waits).map(rfc3339),
            finished_at: stored.finished_at.map(rfc3339),
            attempt_log: stored.tries.into_iter().map(Attempt::of).collect(),
        }
    }
}

/// Deliveries, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct Deliveries {
    pub(super) data: Vec<Delivery>,
    pub(super) meta: ListMeta,
}

/// What is sent again.
#[derive(Debug, Serialize, ToSchema)]
pub struct Resent {
    /// How many deliveries.
    pub(super) resent: usize,
    /// How many the limits leave for a later call.
    pub(super) left: usize,
}

/// A difference between two readings of a register.
#[derive(Debug, Serialize, ToSchema)]
pub struct Change {
    /// The name of what changed, as in `data` of the company.
    field: String,
    /// `added`, `removed` or `updated`.
    change_type: &'static str,
    /// A JSON pointer into `data`.
    path: String,
    /// What stood there; null where nothing did.
    #[schema(required, value_type = Object)]
    old_value: Option<Value>,
    /// What stands there; null where nothing does.
    #[schema(required, value_type = Object)]
    new_value: Option<Value>,
    /// The connector that read it.
    source: String,
    /// The scope it belongs to; null for base data and details.
    #[schema(required)]
    scope: Option<String>,
    detected_at: String,
}

impl Change {
    pub(super) fn of(stored: StoredChange) -> Self {
        let json = |text: Option<String>| text.and_then(|text| serde_json::from_str(&text).ok());
        Self {
            field: stored.field,
            change_type: match stored.op.as_str() {
                "add" => "added",
                "remove" => "removed",
                _ => "updated",
            },
            path: stored.path,
            old_value: json(stored.old),
            new_value: json(stored.new),
            source: stored.connector,
            scope: stored.scope,
            detected_at: rfc3339(stored.detected_at),
        }
    }
}

/// Changes of a company, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct Changes {
    pub(super) data: Vec<Change>,
    pub(super) meta: HistoryMeta,
}

/// Which part of the changes this is.
#[derive(Debug, Serialize, ToSchema)]
pub struct HistoryMeta {
    #[serde(flatten)]
    pub(super) list: ListMeta,
    /// Since when the account watches the company: what nobody watches is compared only when somebody asks for it.
    #[schema(required)]
    pub(super) watched_since: Option<String>,
}

/// An example that was sent, and what came back.
#[derive(Debug, Serialize, ToSchema)]
pub struct TestAnswer {
    /// `webhook` or `email`.
    pub(super) channel: &'static str,
    pub(super) target: String,
    /// Whether it arrived.
    pub(super) delivered: bool,
    pub(super) sent: TestSent,
    pub(super) received: TestReceived,
}

/// What was sent.
#[derive(Debug, Serialize, ToSchema)]
pub struct TestSent {
    pub(super) delivery_id: String,
    /// The headers of a webhook that sign and name it.
    #[schema(value_type = Object)]
    pub(super) headers: Value,
    /// The text, byte for byte.
    pub(super) body: String,
    /// What this one webhook was signed with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) secret: Option<String>,
}

/// What came back.
#[derive(Debug, Serialize, ToSchema)]
pub struct TestReceived {
    /// As in the attempts of deliveries.
    pub(super) outcome: &'static str,
    #[schema(required)]
    pub(super) status: Option<u16>,
    /// The beginning of the answer, or why there is none.
    #[schema(required)]
    pub(super) answer: Option<String>,
    pub(super) duration_ms: u64,
}

/// A page of the event log.
#[derive(Debug, Serialize, ToSchema)]
pub struct EventLog {
    pub(super) data: Vec<EventOfLog>,
    pub(super) meta: EventLogMeta,
}

/// An event of the log.
#[derive(Debug, Serialize, ToSchema)]
pub struct EventOfLog {
    /// Ask for what is behind it with `after`.
    cursor: String,
    /// What a webhook gets.
    #[schema(value_type = Object)]
    payload: Value,
}

impl EventOfLog {
    pub(super) fn of(logged: &LoggedEvent) -> Self {
        Self {
            cursor: logged.seq.to_string(),
            payload: serde_json::from_str(&logged.payload).unwrap_or_default(),
        }
    }
}

/// Where the next page begins.
#[derive(Debug, Serialize, ToSchema)]
pub struct EventLogMeta {
    /// For `after` of the next request.
    pub(super) cursor: String,
    /// Whether there is more at once.
    pub(super) more: bool,
}
