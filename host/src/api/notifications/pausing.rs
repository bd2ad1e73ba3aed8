//! Pausing and resuming the webhook of a subscription.

use axum::Json;
use axum::extract::State;
use utoipa_axum::router::OpenApiRouter;

use super::SubscriptionPath;
use super::shapes::SubscriptionAnswer;
use crate::accounts::Action;
use crate::api::App;
use crate::api::auth::Caller;
use crate::api::error::{ApiError, Code, ErrorBody};
use crate::api::parameters::{NoQuery, Path};
use crate::handlers::routes;
use crate::store::{Subscription, SubscriptionsOfAccount, WebhookStatus};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(pause_webhook))
        .routes(routes!(resume_webhook))
}

/// Pause the webhook of a subscription.
///
/// Events are still recorded, and their deliveries are held until they are resent. E-mails are still sent. Pausing a
/// paused webhook changes nothing.
#[utoipa::path(
    post,
    path = "/v1/notifications/{subscription_id}/pause",
    tag = "Notifications",
    params(SubscriptionPath),
    responses(
        (status = 200, description = "The subscription.", body = SubscriptionAnswer),
        (status = 404, description = "The account has no such active subscription with a webhook.", body = ErrorBody),
        (status = 422, description = "The receiver has ended the webhook.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn pause_webhook(
    State(app): State<App>,
    caller: Caller,
    _query: NoQuery,
    Path(path): Path<SubscriptionPath>,
) -> Result<Json<SubscriptionAnswer>, ApiError> {
    changed(&app, &caller, &path.subscription_id, true).await
}

/// Resume the webhook of a subscription.
///
/// New events are sent again. Deliveries that were held meanwhile are sent by
/// `POST /v1/notifications/{subscription_id}/resend`. Resuming an active webhook changes nothing.
#[utoipa::path(
    post,
    path = "/v1/notifications/{subscription_id}/resume",
    tag = "Notifications",
    params(SubscriptionPath),
    responses(
        (status = 200, description = "The subscription.", body = SubscriptionAnswer),
        (status = 404, description = "The account has no such active subscription with a webhook.", body = ErrorBody),
        (status = 422, description = "The receiver has ended the webhook.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn resume_webhook(
    State(app): State<App>,
    caller: Caller,
    _query: NoQuery,
    Path(path): Path<SubscriptionPath>,
) -> Result<Json<SubscriptionAnswer>, ApiError> {
    changed(&app, &caller, &path.subscription_id, false).await
}

/// Pauses or resumes the webhook, and returns the subscription after it.
async fn changed(
    app: &App,
    caller: &Caller,
    id: &str,
    is_pause: bool,
) -> Result<Json<SubscriptionAnswer>, ApiError> {
    caller.ensure(Action::ChangeWatches)?;
    let of_account = app.context.store.subscriptions_of(caller.account_id);
    with_webhook(&of_account, id).await?;
    let now = app.context.now();
    if is_pause {
        of_account.pause(id, now).await?;
    } else {
        of_account.resume(id, now).await?;
    }
    let stored = with_webhook(&of_account, id).await?;
    Ok(Json(SubscriptionAnswer::of(stored)))
}

/// The active subscription whose webhook has not ended.
async fn with_webhook(
    of_account: &SubscriptionsOfAccount<'_>,
    id: &str,
) -> Result<Subscription, ApiError> {
    let found = of_account.find_by_id(id).await?;
    let found = found.filter(|found| found.active);
    let state = found.as_ref().and_then(|found| found.webhook_state);
    match (found, state) {
        (Some(_), Some(WebhookStatus::Ended)) => Err(ApiError::invalid(
            "subscription_id",
            "the receiver ended the webhook; POST /v1/notifications begins it again",
        )),
        (Some(found), Some(WebhookStatus::Active | WebhookStatus::Paused)) => Ok(found),
        _ => Err(ApiError::new(
            Code::NotFound,
            "there is no such active subscription with a webhook",
        )),
    }
}
