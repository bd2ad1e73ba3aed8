//! Rotation of the secret that signs a subscription's webhooks.

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use time::Duration;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;

use super::SubscriptionPath;
use super::shapes::SubscriptionAnswer;
use crate::accounts::Action;
use crate::api::App;
use crate::api::auth::Caller;
use crate::api::body::Fields;
use crate::api::error::{ApiError, Code, ErrorBody};
use crate::api::parameters::{NoQuery, Path};
use crate::handlers::routes;
use crate::notifications::new_secret;

/// Maximum grace period of a former secret, in hours.
const MAX_GRACE_HOURS: u64 = 30 * 24;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(rotate_secret))
}

/// Options of a rotation.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes a body that `Fields` reads")]
struct RotationBody {
    /// Hours for which the former secret keeps signing beside the new one, 0 to 720. The default is a setting of the
    /// service.
    #[schema(example = 24)]
    grace_hours: Option<u64>,
}

/// Rotate the webhook secret of a subscription.
///
/// During the grace period, `webhook-signature` contains signatures with both secrets, so that receivers can switch
/// without losing webhooks.
#[utoipa::path(
    post,
    path = "/v1/notifications/{subscription_id}/secret",
    tag = "Notifications",
    params(SubscriptionPath),
    request_body = RotationBody,
    responses(
        (status = 200, description = "The subscription with its new secret.", body = SubscriptionAnswer),
        (status = 404, description = "The account has no such active subscription with a webhook.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn rotate_secret(
    State(app): State<App>,
    caller: Caller,
    _query: NoQuery,
    Path(path): Path<SubscriptionPath>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<SubscriptionAnswer>, ApiError> {
    caller.ensure(Action::ChangeWatches)?;
    let default = u64::from(app.config.notifications.former_secret_hours);
    let mut fields = Fields::read_if_any(&headers, body, app.body_bounds()).await?;
    let hours = fields
        .whole_number("grace_hours", 0..=MAX_GRACE_HOURS)
        .unwrap_or(default);
    fields.end(&["grace_hours"])?;
    let no_such = || {
        ApiError::new(
            Code::NotFound,
            "there is no such active subscription with a webhook",
        )
    };
    let id = path.subscription_id;
    let of_account = app.context.store.subscriptions_of(caller.account_id);
    let found = of_account.find_by_id(&id).await?;
    let found = found.filter(|found| found.active && found.webhook_url.is_some());
    found.ok_or_else(no_such)?;
    let (secret, now) = (new_secret(), app.context.now());
    let until = now + Duration::hours(i64::try_from(hours).unwrap_or_default());
    let sealed = app.notifier.seal(&secret);
    if !of_account.rotate(&id, &sealed, until, now).await? {
        return Err(no_such());
    }
    let stored = of_account.find_by_id(&id).await?.ok_or_else(no_such)?;
    let mut answer = SubscriptionAnswer::of(stored);
    answer.secret = Some(secret.reveal().to_owned());
    Ok(Json(answer))
}
