//! Deliveries: listing, resending, and testing a target.

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, RawQuery, State};
use axum::http::HeaderMap;
use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::shapes::{Deliveries, Delivery, Resent, TestAnswer, TestReceived, TestSent};
use super::{PathText, meta, page};
use crate::api::App;
use crate::api::auth::Caller;
use crate::api::body::Fields;
use crate::api::error::{ApiError, Code, ErrorBody};
use crate::api::query::Parameters;
use crate::notifications::Target;
use crate::store::{Channel, State as DeliveryState, Subscription, WhichDeliveries};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(deliveries))
        .routes(routes!(resend_delivery))
        .routes(routes!(resend_deliveries))
        .routes(routes!(test_target))
}

/// The caller's subscription with an id.
async fn subscription(
    app: &App,
    caller: &Caller,
    path: PathText,
) -> Result<Subscription, ApiError> {
    let no_such = || ApiError::new(Code::NotFound, "there is no such subscription");
    let Path(id) = path.map_err(|_unread| no_such())?;
    let of_account = app.companies.store().subscriptions_of(caller.account_id);
    of_account.find_by_id(&id).await?.ok_or_else(no_such)
}

/// What was sent for a subscription, newest first, with every attempt.
#[utoipa::path(
    get,
    path = "/v1/notifications/{subscription_id}/deliveries",
    tag = "Notifications",
    params(
        ("subscription_id" = String, Path, description = "The subscription's id."),
        ("status" = Option<String>, Query, description = "`waiting`, `delivered`, `failed`, `cancelled` or `held`."),
        ("limit" = Option<u64>, Query, description = "1 to 100; 50 where it is left out."),
        ("offset" = Option<u64>, Query, description = "How many to leave out."),
    ),
    responses(
        (status = 200, description = "The deliveries.", body = Deliveries),
        (status = 401, description = "No key, or an invalid one.", body = ErrorBody),
        (status = 404, description = "The account has no such subscription.", body = ErrorBody),
        (status = 422, description = "A parameter is wrong.", body = ErrorBody),
    ),
    extensions(("x-implementation-defined" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn deliveries(
    State(app): State<App>,
    caller: Caller,
    path: PathText,
    RawQuery(query): RawQuery,
) -> Result<Json<Deliveries>, ApiError> {
    let mut parameters = Parameters::gather(query.as_deref(), &["status", "limit", "offset"]);
    let page = page(&mut parameters);
    let words = ["waiting", "delivered", "failed", "cancelled", "held"];
    let status = parameters.one_of("status", &words);
    parameters.finish()?;
    let status = status.and_then(|status| DeliveryState::try_from(status).ok());
    let subscription = subscription(&app, &caller, path).await?;
    let of_account = app.companies.store().deliveries_of(caller.account_id);
    let (found, total) = of_account
        .list(subscription.number, status, page.0, page.1)
        .await?;
    Ok(Json(Deliveries {
        meta: meta(total, page, found.len()),
        data: found.into_iter().map(Delivery::of).collect(),
    }))
}

/// Sends a delivery again, arrived or not, under its own id and with the same body.
#[utoipa::path(
    post,
    path = "/v1/notifications/deliveries/{delivery_id}/resend",
    tag = "Notifications",
    params(("delivery_id" = String, Path, description = "The delivery's id.")),
    responses(
        (status = 200, description = "The delivery, which is on its way again.", body = Delivery),
        (status = 401, description = "No key, or an invalid one.", body = ErrorBody),
        (status = 404, description = "The account has no such delivery.", body = ErrorBody),
        (status = 422, description = "It is being tried at this moment, or its subscription or target has ended.", body = ErrorBody),
        (status = 429, description = "The delivery, its target or the account was sent to again as often as the limits allow.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn resend_delivery(
    State(app): State<App>,
    caller: Caller,
    path: PathText,
    RawQuery(query): RawQuery,
) -> Result<Json<Delivery>, ApiError> {
    Parameters::read(query.as_deref(), &[])?;
    let no_such = || ApiError::new(Code::NotFound, "there is no such delivery");
    let Path(id) = path.map_err(|_unread| no_such())?;
    let of_account = app.companies.store().deliveries_of(caller.account_id);
    let found = of_account.find(&id).await?.ok_or_else(no_such)?;
    let now = app.companies.now();
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

/// Which deliveries are sent again.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes a body that `Fields` reads")]
struct ResendBody {
    /// Those created at this time or later, RFC 3339; with `to`. Without either: those that did not arrive, because
    /// their attempts were used up or the webhook was paused.
    #[schema(example = "2026-01-15T08:00:00Z")]
    from: Option<String>,
    /// Those created before this time, RFC 3339; now where it is left out.
    to: Option<String>,
}

/// Sends deliveries of a subscription again: all that did not arrive, or all of a span of time; the oldest first, as many
/// as the limits allow. `left` is how many they leave for a later call.
#[utoipa::path(
    post,
    path = "/v1/notifications/{subscription_id}/resend",
    tag = "Notifications",
    params(("subscription_id" = String, Path, description = "The subscription's id.")),
    request_body = ResendBody,
    responses(
        (status = 200, description = "How many are on their way again.", body = Resent),
        (status = 401, description = "No key, or an invalid one.", body = ErrorBody),
        (status = 404, description = "The account has no such subscription.", body = ErrorBody),
        (status = 422, description = "The body is wrong.", body = ErrorBody),
        (status = 429, description = "The limits allow none of them now.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn resend_deliveries(
    State(app): State<App>,
    caller: Caller,
    path: PathText,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Resent>, ApiError> {
    Parameters::read(query.as_deref(), &[])?;
    let mut fields = Fields::read_if_any(&headers, body, app.body_bounds()).await?;
    let from = time_of(&mut fields, "from");
    let to = time_of(&mut fields, "to");
    if from.is_none() && to.is_some() {
        fields.wrong("from", "it is wanted where to is given");
    }
    fields.end(&["from", "to"])?;
    let now = app.companies.now();
    let which = from.map_or(WhichDeliveries::Missed, |from| {
        WhichDeliveries::Between(from, to.unwrap_or(now + time::Duration::MILLISECOND))
    });
    let subscription = subscription(&app, &caller, path).await?;
    let resent = app
        .notifier
        .resend(caller.account_id, subscription.number, which)
        .await?;
    match resent.until {
        Some(until) if resent.count == 0 => {
            let why = "as many were sent again as the limits allow";
            Err(limited(why, until, now))
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
            "a time of RFC 3339 is wanted, such as 2026-01-15T08:00:00Z",
        );
    }
    time.ok()
}

/// What is tried.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes a body that `Fields` reads")]
struct TestBody {
    /// A webhook is posted there; `url` means the same.
    #[schema(example = "https://shop.example/hooks/lustra")]
    webhook_url: Option<String>,
    /// The other name of `webhook_url`.
    url: Option<String>,
    /// An e-mail is sent there.
    email: Option<String>,
}

/// Tries a target without subscribing to anything: sends a signed example and says what came back.
#[utoipa::path(
    post,
    path = "/v1/notifications/test",
    tag = "Notifications",
    request_body = TestBody,
    responses(
        (status = 200, description = "What was sent and what came back, also where that is an error.", body = TestAnswer),
        (status = 401, description = "No key, or an invalid one.", body = ErrorBody),
        (status = 422, description = "The body is wrong, or the target is none that notices may go to.", body = ErrorBody),
        (status = 429, description = "The account or the target was tried as often as the limits allow.", body = ErrorBody),
    ),
    extensions(("x-implementation-defined" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn test_target(
    State(app): State<App>,
    caller: Caller,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<TestAnswer>, ApiError> {
    Parameters::read(query.as_deref(), &[])?;
    let mut fields = Fields::read(&headers, body, app.body_bounds()).await?;
    let webhook = super::webhook(&app, &mut fields).await;
    let is_wrong = fields.is_wrong("webhook_url") || fields.is_wrong("url");
    let has_webhook = webhook.is_some() || is_wrong;
    let email = fields.text("email").map(|text| text.trim().to_owned());
    if email
        .as_deref()
        .is_some_and(|email| !crate::mail::is_address(email))
    {
        fields.wrong("email", "it is no e-mail address");
    }
    if has_webhook == email.is_some() {
        fields.wrong("webhook_url", "either it or email is wanted");
    }
    fields.end(&["webhook_url", "url", "email"])?;
    let target = match (&webhook, &email) {
        (Some((url, _)), _) => Target::Webhook(url),
        (None, Some(email)) => Target::Email(email),
        (None, None) => return Err(ApiError::invalid("webhook_url", "it is missing")),
    };
    let account = caller.account_id;
    if let Target::Email(address) = target
        && !app.notifier.may_write_to(account, address).await?
    {
        let why = "its owner has unsubscribed, or has not confirmed that it wants letters";
        return Err(ApiError::invalid("email", why));
    }
    if let Some(until) = app.notifier.count_test(account, target).await? {
        let why = "the account or the target was tried as often as the limits allow";
        return Err(limited(why, until, app.companies.now()));
    }
    let trial = app.notifier.try_target(account, target).await?;
    let headers: serde_json::Map<String, Value> = trial
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
        delivered: trial.delivered,
        sent: TestSent {
            delivery_id: trial.delivery_id,
            headers: Value::Object(headers),
            body: trial.body,
            secret: trial.secret.map(|secret| secret.reveal().to_owned()),
        },
        received: TestReceived {
            outcome: trial.outcome,
            status: trial.status,
            answer: trial.answer,
            duration_ms: u64::try_from(trial.took.as_millis()).unwrap_or(u64::MAX),
        },
    }))
}
