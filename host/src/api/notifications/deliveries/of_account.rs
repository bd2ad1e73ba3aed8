//! Deliveries of the whole account: one list with filters, and resending what did not arrive.

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;

use super::{DeliveryStatus, resend_all, subscription, time_of};
use crate::accounts::Action;
use crate::api::App;
use crate::api::auth::Caller;
use crate::api::body::Fields;
use crate::api::error::{ApiError, ErrorBody};
use crate::api::notifications::shapes::{Deliveries, Delivery, Resent};
use crate::api::notifications::{Limit, Offset, Page, SubscriptionPath};
use crate::api::parameters::optional::{IcoIfAny, Time};
use crate::api::parameters::types::{OneOf, Text, findable};
use crate::api::parameters::{NoQuery, Query, parameters};
use crate::changes::all_kinds;
use crate::companies::Ico;
use crate::handlers::routes;
use crate::store::{DeliveryFilter, DeliveryStates};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(account_deliveries))
        .routes(routes!(resend_of_account))
}

parameters! {
    struct AccountDeliveriesQuery in Query {
        /// Status: `waiting`, `delivered`, `failed`, `cancelled`, `held`, or `missed` for failed and held ones. By
        /// default, all are listed.
        status: OneOf<DeliveryStatus>,
        /// Registration number (IČO) of a company, 8 digits.
        ico: IcoIfAny,
        /// Id of a subscription.
        subscription_id: Text,
        /// Kind of the event, such as `officers.changed`.
        event: Text,
        /// Deliveries created at or after this time, RFC 3339.
        from: Time,
        /// Deliveries created before this time, RFC 3339.
        to: Time,
        /// Maximum number of entries, 1 to 100. Default 50.
        limit: Limit,
        /// Number of entries to skip. Default 0.
        offset: Offset,
    }
}

/// The number of a subscription of the caller.
async fn number_of(
    app: &App,
    caller: &Caller,
    subscription_id: Option<String>,
) -> Result<Option<i64>, ApiError> {
    let Some(subscription_id) = subscription_id else {
        return Ok(None);
    };
    let path = SubscriptionPath {
        subscription_id: findable(&subscription_id),
    };
    Ok(Some(subscription(app, caller, &path).await?.number))
}

/// Why a kind of events cannot be a filter. `None`: it is a known kind.
fn unknown_kind(app: &App, kind: &str) -> Option<String> {
    let known = all_kinds(&app.companies.connectors().catalogue());
    if known.contains(kind) {
        return None;
    }
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    Some(format!("unknown; there are {}", known.join(", ")))
}

/// List the deliveries of the account.
///
/// All subscriptions in one list, also ended ones. Newest first, each with all of its attempts. A delivery must match all
/// given filters.
#[utoipa::path(
    get,
    path = "/v1/notifications/deliveries",
    tag = "Notifications",
    params(AccountDeliveriesQuery),
    responses(
        (status = 200, description = "One page of the deliveries.", body = Deliveries),
        (status = 404, description = "The account has no such subscription.", body = ErrorBody),
        (status = 422, description = "A filter is wrong.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn account_deliveries(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<AccountDeliveriesQuery>,
) -> Result<Json<Deliveries>, ApiError> {
    caller.ensure(Action::ReadWatches)?;
    let kind = query.event;
    if let Some(why) = kind.as_deref().and_then(|kind| unknown_kind(&app, kind)) {
        return Err(ApiError::invalid("event", why));
    }
    let page = Page::new(query.limit, query.offset);
    let filter = DeliveryFilter {
        subscription: number_of(&app, &caller, query.subscription_id).await?,
        ico: query.ico.as_ref().map(Ico::as_str),
        kind: kind.as_deref(),
        states: query.status.unwrap_or_default(),
        from: query.from,
        to: query.to,
    };
    let of_account = app.context.store.deliveries_of(caller.account_id);
    let (found, total) = of_account.list(&filter, page.limit, page.offset).await?;
    Ok(Json(Deliveries {
        meta: page.meta(total, found.len()),
        data: found.into_iter().map(Delivery::of).collect(),
    }))
}

/// Selection of the missed deliveries to resend. A delivery must match all given filters.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes a body that `Fields` reads")]
struct ResendOfAccountBody {
    /// Registration number (IČO) of a company, 8 digits.
    ico: Option<String>,
    /// Id of a subscription.
    subscription_id: Option<String>,
    /// Kind of the event, such as `officers.changed`.
    event: Option<String>,
    /// Deliveries created at or after this time, RFC 3339.
    from: Option<String>,
    /// Deliveries created before this time, RFC 3339.
    to: Option<String>,
}

/// Resend missed deliveries of the account.
///
/// Resends the deliveries of all active subscriptions that failed or are held, oldest first for each target, until a
/// limit is reached. Without a filter, all of them. `left` is the number of deliveries left for a later call.
#[utoipa::path(
    post,
    path = "/v1/notifications/deliveries/resend",
    tag = "Notifications",
    request_body = ResendOfAccountBody,
    responses(
        (status = 200, description = "The numbers of deliveries that were queued again and that are left.", body = Resent),
        (status = 404, description = "The account has no such subscription.", body = ErrorBody),
        (status = 422, description = "A filter is wrong.", body = ErrorBody),
        (status = 429, description = "The resend limits currently allow none of them.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn resend_of_account(
    State(app): State<App>,
    caller: Caller,
    _query: NoQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Resent>, ApiError> {
    caller.ensure(Action::ChangeWatches)?;
    let mut fields = Fields::read_if_any(&headers, body, app.body_bounds()).await?;
    let ico = fields.text("ico");
    let ico = ico.and_then(|text| match Ico::parse(&text) {
        Ok(ico) => Some(ico),
        Err(error) => {
            fields.wrong("ico", error.to_string());
            None
        }
    });
    let subscription_id = fields.text("subscription_id");
    let kind = fields.text("event");
    if let Some(why) = kind.as_deref().and_then(|kind| unknown_kind(&app, kind)) {
        fields.wrong("event", why);
    }
    let from = time_of(&mut fields, "from");
    let to = time_of(&mut fields, "to");
    fields.end(&["ico", "subscription_id", "event", "from", "to"])?;
    let filter = DeliveryFilter {
        subscription: number_of(&app, &caller, subscription_id).await?,
        ico: ico.as_ref().map(Ico::as_str),
        kind: kind.as_deref(),
        states: DeliveryStates::Missed,
        from,
        to,
    };
    resend_all(&app, &caller, &filter).await
}
