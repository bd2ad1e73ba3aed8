//! Deliveries: listing, resending, and testing a target.

mod of_account;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;

use super::shapes::{
    Deliveries, Delivery, DeliveryAnswer, Resent, TestAnswer, TestReceived, TestSent,
};
use super::targets::webhook;
use super::{Limit, Offset, Page, SubscriptionPath};
use crate::accounts::Action;
use crate::api::App;
use crate::api::auth::Caller;
use crate::api::body::Fields;
use crate::api::error::{ApiError, Code, ErrorBody};
use crate::api::parameters::types::{Id, OneOf, Words};
use crate::api::parameters::{NoQuery, Path, Query, parameters};
use crate::handlers::routes;
use crate::notifications::Target;
use crate::store::{Channel, DeliveryFilter, DeliveryStates, State as DeliveryState, Subscription};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(deliveries))
        .routes(routes!(delivery))
        .routes(routes!(resend_delivery))
        .routes(routes!(resend_deliveries))
        .routes(routes!(test_target))
        .merge(of_account::routes())
}

/// The caller's subscription with an id.
async fn subscription(
    app: &App,
    caller: &Caller,
    path: &SubscriptionPath,
) -> Result<Subscription, ApiError> {
    let of_account = app.context.store.subscriptions_of(caller.account_id);
    let found = of_account.find_by_id(&path.subscription_id).await?;
    found.ok_or_else(|| ApiError::new(Code::NotFound, "there is no such subscription"))
}

struct DeliveryStatus;

impl Words for DeliveryStatus {
    type Value = DeliveryStates;
    const WORDS: &'static [(&'static str, DeliveryStates)] = &[
        ("waiting", DeliveryStates::One(DeliveryState::Waiting)),
        ("delivered", DeliveryStates::One(DeliveryState::Delivered)),
        ("failed", DeliveryStates::One(DeliveryState::Failed)),
        ("cancelled", DeliveryStates::One(DeliveryState::Cancelled)),
        ("held", DeliveryStates::One(DeliveryState::Held)),
        ("missed", DeliveryStates::Missed),
    ];
}

parameters! {
    struct DeliveriesQuery in Query {
        /// Status: `waiting`, `delivered`, `failed`, `cancelled`, `held`, or `missed` for failed and held ones. By
        /// default, all are listed.
        status: OneOf<DeliveryStatus>,
        /// Maximum number of entries, 1 to 100. Default 50.
        limit: Limit,
        /// Number of entries to skip. Default 0.
        offset: Offset,
    }
}

parameters! {
    struct DeliveryPath in Path {
        /// Id of the delivery, from the list of deliveries.
        delivery_id: Id,
    }
}

/// List the deliveries of a subscription.
///
/// Newest first, each with all of its attempts.
#[utoipa::path(
    get,
    path = "/v1/notifications/{subscription_id}/deliveries",
    tag = "Notifications",
    params(SubscriptionPath, DeliveriesQuery),
    responses(
        (status = 200, description = "One page of the deliveries.", body = Deliveries),
        (status = 404, description = "The account has no such subscription.", body = ErrorBody),
    ),
    extensions(("x-implementation-defined" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn deliveries(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<DeliveriesQuery>,
    Path(path): Path<SubscriptionPath>,
) -> Result<Json<Deliveries>, ApiError> {
    let page = Page::new(query.limit, query.offset);
    let subscription = subscription(&app, &caller, &path).await?;
    let of_account = app.context.store.deliveries_of(caller.account_id);
    let filter = DeliveryFilter {
        states: query.status.unwrap_or_default(),
        ..DeliveryFilter::of(subscription.number)
    };
    let (found, total) = of_account.list(&filter, page.limit, page.offset).await?;
    Ok(Json(Deliveries {
        meta: page.meta(total, found.len()),
        data: found.into_iter().map(Delivery::of).collect(),
    }))
}

/// Get a delivery with its payload.
#[utoipa::path(
    get,
    path = "/v1/notifications/deliveries/{delivery_id}",
    tag = "Notifications",
    params(DeliveryPath),
    responses(
        (status = 200, description = "The delivery with all of its attempts.", body = DeliveryAnswer),
        (status = 404, description = "The account has no such delivery.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn delivery(
    State(app): State<App>,
    caller: Caller,
    _query: NoQuery,
    Path(path): Path<DeliveryPath>,
) -> Result<Json<DeliveryAnswer>, ApiError> {
    let no_such = || ApiError::new(Code::NotFound, "there is no such delivery");
    let of_account = app.context.store.deliveries_of(caller.account_id);
    let found = of_account.find(&path.delivery_id).await?;
    let found = found.ok_or_else(no_such)?;
    let payload = of_account.payload(found.number).await?;
    Ok(Json(DeliveryAnswer::of(found, payload.as_deref())))
}

/// Resend a delivery.
///
/// The delivery keeps its id and body. It may already have been delivered.
#[utoipa::path(
    post,
    path = "/v1/notifications/deliveries/{delivery_id}/resend",
    tag = "Notifications",
    params(DeliveryPath),
    responses(
        (status = 200, description = "The delivery, queued again.", body = Delivery),
        (status = 404, description = "The account has no such delivery.", body = ErrorBody),
        (status = 422, description = "An attempt is in progress, or the subscription or target has ended.", body = ErrorBody),
        (status = 429, description = "The resend limit of the delivery, its target or the account is reached.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn resend_delivery(
    State(app): State<App>,
    caller: Caller,
    _query: NoQuery,
    Path(path): Path<DeliveryPath>,
) -> Result<Json<Delivery>, ApiError> {
    caller.ensure(Action::ChangeWatches)?;
    let no_such = || ApiError::new(Code::NotFound, "there is no such delivery");
    let id = path.delivery_id;
    let of_account = app.context.store.deliveries_of(caller.account_id);
    let found = of_account.find(&id).await?.ok_or_else(no_such)?;
    let now = app.context.now();
    let once = app.notifier.resend_limit();
    if let Some(until) = found.resendable_at(once, now) {
        return Err(limited(
            "the delivery was sent again as often as the limits allow",
            until,
            now,
        ));
    }
    let target = (found.channel, found.target.as_str());
    let granted = app
        .notifier
        .count_resends(caller.account_id, target, 1)
        .await?;
    if let Some(until) = granted.until {
        return Err(limited(
            "the target or the account was sent to again as often as the limits allow",
            until,
            now,
        ));
    }
    if !of_account.resend(found.number, once, now).await? {
        let why = "it is being tried at this moment, or its subscription or target has ended";
        return Err(ApiError::invalid("delivery_id", why));
    }
    let again = of_account.find(&id).await?.ok_or_else(no_such)?;
    Ok(Json(Delivery::of(again)))
}

/// The error for a rate limit that holds until `until`.
fn limited(why: &str, until: OffsetDateTime, now: OffsetDateTime) -> ApiError {
    let seconds = (until - now).whole_seconds().max(0).unsigned_abs() + 1;
    ApiError::new(Code::RateLimitExceeded, why).retry_after(seconds)
}

/// Selection of the deliveries to resend.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes a body that `Fields` reads")]
struct ResendBody {
    /// Resend deliveries created at or after this time, RFC 3339. Without `from` and `to`, deliveries that never arrived
    /// are resent: those whose attempts were used up or whose webhook was paused.
    #[schema(example = "2026-01-15T08:00:00Z")]
    from: Option<String>,
    /// Resend deliveries created before this time, RFC 3339. Requires `from`. The default is now.
    to: Option<String>,
}

/// Resend deliveries of a subscription.
///
/// Resends all deliveries that never arrived, or all of a time range, oldest first, until a limit is reached. `left` is
/// the number of deliveries left for a later call.
#[utoipa::path(
    post,
    path = "/v1/notifications/{subscription_id}/resend",
    tag = "Notifications",
    params(SubscriptionPath),
    request_body = ResendBody,
    responses(
        (status = 200, description = "The numbers of deliveries that were queued again and that are left.", body = Resent),
        (status = 404, description = "The account has no such subscription.", body = ErrorBody),
        (status = 429, description = "The resend limits currently allow none of them.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn resend_deliveries(
    State(app): State<App>,
    caller: Caller,
    _query: NoQuery,
    Path(path): Path<SubscriptionPath>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Resent>, ApiError> {
    caller.ensure(Action::ChangeWatches)?;
    let mut fields = Fields::read_if_any(&headers, body, app.body_bounds()).await?;
    let from = time_of(&mut fields, "from");
    let to = time_of(&mut fields, "to");
    if from.is_none() && to.is_some() {
        fields.wrong("from", "required if to is given");
    }
    fields.end(&["from", "to"])?;
    let subscription = subscription(&app, &caller, &path).await?;
    let filter = DeliveryFilter {
        states: match from {
            Some(_) => DeliveryStates::All,
            None => DeliveryStates::Missed,
        },
        from,
        to,
        ..DeliveryFilter::of(subscription.number)
    };
    resend_all(&app, &caller, &filter).await
}

/// Resends the deliveries that fit a filter, as many as the limits allow.
async fn resend_all(
    app: &App,
    caller: &Caller,
    filter: &DeliveryFilter<'_>,
) -> Result<Json<Resent>, ApiError> {
    let resent = app.notifier.resend(caller.account_id, filter).await?;
    match resent.until {
        Some(until) if resent.count == 0 => {
            let why = "as many were sent again as the limits allow";
            Err(limited(why, until, app.context.now()))
        }
        Some(_) | None => Ok(Json(Resent {
            resent: resent.count,
            left: resent.left,
        })),
    }
}

fn time_of(fields: &mut Fields, name: &str) -> Option<OffsetDateTime> {
    let text = fields.text(name)?;
    let time = OffsetDateTime::parse(&text, &Rfc3339);
    if time.is_err() {
        fields.wrong(
            name,
            "expected a time of RFC 3339, such as 2026-01-15T08:00:00Z",
        );
    }
    time.ok()
}

/// The target of a test: a webhook or an e-mail address.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes a body that `Fields` reads")]
struct TestBody {
    /// URL to which an example webhook is posted. `url` is an alias.
    #[schema(example = "https://shop.example/hooks/lustra")]
    webhook_url: Option<String>,
    /// Another name of `webhook_url`. If both are given, they must be equal.
    url: Option<String>,
    /// Address to which an example e-mail is sent.
    email: Option<String>,
}

/// Test a notification target.
///
/// Sends a signed example to the target and returns the result. No subscription is created.
#[utoipa::path(
    post,
    path = "/v1/notifications/test",
    tag = "Notifications",
    request_body = TestBody,
    responses(
        (status = 200, description = "What was sent and the result, also if the test failed.", body = TestAnswer),
        (status = 422, description = "The body is invalid, or notifications may not be sent to the target.", body = ErrorBody),
        (status = 429, description = "The test limit of the account or the target is reached.", body = ErrorBody),
    ),
    extensions(("x-implementation-defined" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn test_target(
    State(app): State<App>,
    caller: Caller,
    _query: NoQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<TestAnswer>, ApiError> {
    caller.ensure(Action::ChangeWatches)?;
    let mut fields = Fields::read(&headers, body, app.body_bounds()).await?;
    let webhook = webhook(&app, &mut fields).await;
    let is_wrong = fields.is_wrong("webhook_url") || fields.is_wrong("url");
    let has_webhook = webhook.is_some() || is_wrong;
    let email = fields.text("email").map(|text| text.trim().to_owned());
    if email
        .as_deref()
        .is_some_and(|email| !crate::mail::is_address(email))
    {
        fields.wrong("email", "it is not an e-mail address");
    }
    if has_webhook == email.is_some() {
        fields.wrong("webhook_url", "required without email");
    }
    fields.end(&["webhook_url", "url", "email"])?;
    let target = match (&webhook, &email) {
        (Some(webhook), _) => Target::Webhook(&webhook.url),
        (None, Some(email)) => Target::Email(email),
        (None, None) => return Err(ApiError::invalid("webhook_url", "it is missing")),
    };
    let account = caller.account_id;
    if let Target::Email(address) = target
        && !app.notifier.may_write_to(account, address).await?
    {
        let why = "its owner has unsubscribed, or has not confirmed that it wants e-mails";
        return Err(ApiError::invalid("email", why));
    }
    if let Some(until) = app.notifier.count_test(account, target).await? {
        let why = "the account or the target was tried as often as the limits allow";
        return Err(limited(why, until, app.context.now()));
    }
    let test = app.notifier.test_target(account, target).await?;
    let headers: serde_json::Map<String, Value> = test
        .headers
        .into_iter()
        .map(|(name, value)| (name, Value::from(value)))
        .collect();
    let (channel, target) = match target {
        Target::Webhook(url) => (Channel::Webhook, url),
        Target::Email(email) => (Channel::Email, email),
    };
    Ok(Json(TestAnswer {
        channel: channel.word(),
        target: target.to_owned(),
        delivered: test.delivered,
        sent: TestSent {
            delivery_id: test.delivery_id,
            headers: Value::Object(headers),
            body: test.body,
            secret: test.secret.map(|secret| secret.reveal().to_owned()),
        },
        received: TestReceived {
            outcome: test.outcome,
            status: test.status,
            answer: test.answer,
            duration_ms: u64::try_from(test.took.as_millis()).unwrap_or(u64::MAX),
        },
    }))
}
