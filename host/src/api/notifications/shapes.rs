//! Response bodies of the notification endpoints.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::api::search::ListMeta;
use crate::changes::WebhookEvent;
use crate::clock::rfc3339;
use crate::store::{
    EmailEnd, LoggedEvent, ShownAttempt, ShownDelivery, State, StoredChange, SubscribedEmail,
    Subscription, WebhookStatus,
};

/// A subscription to the changes of one company.
#[derive(Debug, Serialize, ToSchema)]
pub struct SubscriptionAnswer {
    /// Id of the subscription, as in the paths of this API.
    pub(super) id: String,
    /// `active`, or `historical` once it has ended.
    pub(super) status: &'static str,
    /// Registration number (IČO) of the watched company.
    pub(super) ico: String,
    /// URL to which webhooks are posted; null if there is none.
    #[schema(required)]
    pub(super) webhook_url: Option<String>,
    /// E-mail addresses of the recipients.
    pub(super) notification_emails: Vec<String>,
    /// Event kinds that are sent; `updated` means all.
    pub(super) events: Vec<String>,
    /// When it was created, RFC 3339.
    pub(super) created_at: String,
    /// When it was last changed.
    pub(super) updated_at: String,
    /// When it ended; null while it is active.
    #[schema(required)]
    pub(super) ended_at: Option<String>,
    /// State of the webhook; null if there is none.
    #[schema(required)]
    pub(super) webhook: Option<WebhookState>,
    /// Addresses that no longer get e-mails.
    pub(super) ended_emails: Vec<EndedEmail>,
    /// Addresses in `notification_emails` that get no e-mails yet because their owners have not confirmed.
    pub(super) unconfirmed_emails: Vec<String>,
    /// Secret that signs webhooks. Shown only once, when it is created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) secret: Option<String>,
}

/// State of a webhook.
#[derive(Debug, Serialize, ToSchema)]
pub struct WebhookState {
    /// `active`; `paused` by the account, or after every attempt failed for days; `ended` after the receiver responded with 410.
    #[schema(value_type = String)]
    state: WebhookStatus,
    /// Why it is not active; null if it is.
    #[schema(required)]
    reason: Option<String>,
}

/// An address that no longer gets e-mails.
#[derive(Debug, Serialize, ToSchema)]
pub struct EndedEmail {
    address: String,
    /// When e-mails to it ended, RFC 3339.
    ended_at: String,
    /// `unsubscribed`, or the response of the mail server.
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
                        reason: email.reason.map(EmailEnd::into_text),
                    })
                })
                .collect(),
            secret: None,
        }
    }
}

/// A subscription in the list.
#[derive(Debug, Serialize, ToSchema)]
pub struct ListedSubscription {
    #[serde(flatten)]
    pub(super) subscription: SubscriptionAnswer,
    /// Business name of the company, as stored; null if the company is not stored.
    #[schema(required)]
    pub(super) name: Option<String>,
}

/// One page of subscriptions, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct Subscriptions {
    pub(super) data: Vec<ListedSubscription>,
    pub(super) meta: ListMeta,
}

/// A delivery: one event that is sent to one target.
#[derive(Debug, Serialize, ToSchema)]
pub struct Delivery {
    /// Delivery id, the same for every attempt. Sent in the header `X-Webhook-Delivery-Id`.
    id: String,
    /// How the event is sent: `webhook` or `email`.
    channel: &'static str,
    /// `waiting`, `delivered`, `failed`, `cancelled`, or `held` while the webhook is paused.
    status: &'static str,
    /// Number of attempts made.
    attempts: i64,
    /// URL or e-mail address.
    target: String,
    /// Kind of the event, such as `officers.changed`.
    event: String,
    /// Event id, as in the payload.
    event_id: String,
    /// Subscription that the delivery belongs to.
    subscription_id: String,
    /// Registration number (IČO) of the company.
    ico: String,
    created_at: String,
    /// When the next attempt is due; null if none is planned or one is in progress.
    #[schema(required)]
    next_attempt_at: Option<String>,
    /// When it was delivered or given up; null while it waits.
    #[schema(required)]
    finished_at: Option<String>,
    /// All attempts, the first one first.
    attempt_log: Vec<Attempt>,
}

/// One attempt of a delivery.
#[derive(Debug, Serialize, ToSchema)]
pub struct Attempt {
    /// Number of the attempt, counted from 1.
    attempt: i64,
    /// When the attempt started, RFC 3339.
    at: String,
    duration_ms: i64,
    /// `success`, `http_error`, `timeout`, `dns`, `connect`, `tls`, `blocked`, `reset`, `refused`, or `unknown` if the
    /// host stopped before it stored the result.
    outcome: &'static str,
    /// HTTP status of the response; null if none arrived.
    #[schema(required)]
    status: Option<i64>,
    /// Beginning of the response body, or the reason why no response arrived.
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
            subscription_id: stored.subscription_id,
            ico: stored.ico,
            created_at: rfc3339(stored.created_at),
            next_attempt_at: stored.due_at.filter(|_| waits).map(rfc3339),
            finished_at: stored.finished_at.map(rfc3339),
            attempt_log: stored.tries.into_iter().map(Attempt::of).collect(),
        }
    }
}

/// A delivery with its payload.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeliveryAnswer {
    #[serde(flatten)]
    delivery: Delivery,
    /// The event, as in webhooks; null until it is published. An e-mail says the same in words.
    #[schema(required, value_type = Option<WebhookEvent>)]
    payload: Option<Value>,
}

impl DeliveryAnswer {
    pub(super) fn of(stored: ShownDelivery, payload: Option<&str>) -> Self {
        Self {
            delivery: Delivery::of(stored),
            payload: payload.and_then(|payload| serde_json::from_str(payload).ok()),
        }
    }
}

/// One page of deliveries, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct Deliveries {
    pub(super) data: Vec<Delivery>,
    pub(super) meta: ListMeta,
}

/// Result of resending deliveries.
#[derive(Debug, Serialize, ToSchema)]
pub struct Resent {
    /// Number of deliveries queued again.
    pub(super) resent: usize,
    /// Number of deliveries left for a later call because of the limits.
    pub(super) left: usize,
}

/// A difference between two readings of a register.
#[derive(Debug, Serialize, ToSchema)]
pub struct Change {
    /// Name of the changed field, as in `data` of the company.
    field: String,
    /// `added`, `removed` or `updated`.
    change_type: &'static str,
    /// JSON pointer into `data`.
    path: String,
    /// Former value; null if there was none.
    #[schema(required, value_type = Value)]
    old_value: Option<Value>,
    /// Current value; null if there is none.
    #[schema(required, value_type = Value)]
    new_value: Option<Value>,
    /// Connector that read it.
    source: String,
    /// Scope of the section; null for base data and details.
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
            source: stored.connector.to_string(),
            scope: stored.scope.map(|scope| scope.to_string()),
            detected_at: rfc3339(stored.detected_at),
        }
    }
}

/// One page of a company's changes, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct Changes {
    pub(super) data: Vec<Change>,
    pub(super) meta: HistoryMeta,
}

/// The position of this page in the list.
#[derive(Debug, Serialize, ToSchema)]
pub struct HistoryMeta {
    #[serde(flatten)]
    pub(super) list: ListMeta,
    /// Since when the account has watched the company; null if it does not. Companies without a subscription are
    /// compared only when they are requested.
    #[schema(required)]
    pub(super) watched_since: Option<String>,
}

/// Result of a test.
#[derive(Debug, Serialize, ToSchema)]
pub struct TestAnswer {
    /// How the example was sent: `webhook` or `email`.
    pub(super) channel: &'static str,
    pub(super) target: String,
    /// Whether the target accepted the example.
    pub(super) delivered: bool,
    pub(super) sent: TestSent,
    pub(super) received: TestReceived,
}

/// The example as it was sent.
#[derive(Debug, Serialize, ToSchema)]
pub struct TestSent {
    pub(super) delivery_id: String,
    /// Headers of the webhook that identify and sign it.
    #[schema(value_type = Object)]
    pub(super) headers: Value,
    /// Body, byte for byte.
    pub(super) body: String,
    /// Secret that signed this one webhook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) secret: Option<String>,
}

/// The response to the example.
#[derive(Debug, Serialize, ToSchema)]
pub struct TestReceived {
    /// Outcome, as in the attempts of deliveries.
    pub(super) outcome: &'static str,
    #[schema(required)]
    pub(super) status: Option<u16>,
    /// Beginning of the response body, or the reason why no response arrived.
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
    /// Cursor of this event, for the parameters `after` and `before`.
    cursor: String,
    /// Payload, as in webhooks.
    #[schema(value_type = WebhookEvent)]
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

/// Position of the next page.
#[derive(Debug, Serialize, ToSchema)]
pub struct EventLogMeta {
    /// Cursor for the next request: for the parameter `before` if this request had it, otherwise for `after`.
    pub(super) cursor: String,
    /// Whether the log continues after this page. The next page may be empty, but its cursor is newer.
    pub(super) more: bool,
}
