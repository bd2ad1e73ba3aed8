//! The changes of a company.

use axum::Json;
use axum::extract::State;
use utoipa_axum::router::OpenApiRouter;

use super::shapes::{Change, Changes, HistoryMeta};
use super::{Limit, Offset, Page, scopes_of};
use crate::api::App;
use crate::api::auth::Caller;
use crate::api::error::{ApiError, Code, ErrorBody};
use crate::api::parameters::{Path, Query, parameters};
use crate::clock::rfc3339;
use crate::companies::Ico;
use crate::handlers::routes;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(company_history))
}

parameters! {
    struct HistoryPath in Path {
        /// Registration number (IČO) of the company, 8 digits.
        ico: Ico = "99999901",
    }
}

parameters! {
    struct HistoryQuery in Query {
        /// Maximum number of entries, 1 to 100. Default 50.
        limit: Limit,
        /// Number of entries to skip. Default 0.
        offset: Offset,
    }
}

/// List the changes of a company.
///
/// Newest first, limited to the scopes of the account's plan. Watched companies are refreshed as often as their registers
/// change. Other companies are refreshed only on request, so their changes are detected later.
#[utoipa::path(
    get,
    path = "/v1/notifications/history/{ico}",
    tag = "Notifications",
    params(HistoryPath, HistoryQuery),
    responses(
        (status = 200, description = "One page of the changes.", body = Changes),
        (status = 404, description = "The company is not stored.", body = ErrorBody),
    ),
    extensions(("x-implementation-defined" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn company_history(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<HistoryQuery>,
    Path(path): Path<HistoryPath>,
) -> Result<Json<Changes>, ApiError> {
    let page = Page::new(query.limit, query.offset);
    let ico = path.ico;
    let store = &app.context.store;
    if store.companies().find_by_ico(ico.as_str()).await?.is_none() {
        return Err(ApiError::new(Code::NotFound, "company not found"));
    }
    let scopes = scopes_of(&app, &caller);
    let (found, total) = store
        .events()
        .history(ico.as_str(), &scopes, page.limit, page.offset)
        .await?;
    let watched = store.subscriptions_of(caller.account_id);
    let watched = watched.find(ico.as_str()).await?;
    Ok(Json(Changes {
        meta: HistoryMeta {
            list: page.meta(total, found.len()),
            watched_since: watched.map(|watched| rfc3339(watched.created_at)),
        },
        data: found.into_iter().map(Change::of).collect(),
    }))
}
