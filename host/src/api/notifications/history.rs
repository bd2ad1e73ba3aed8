//! The changes of a company.

use axum::Json;
use axum::extract::State;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::shapes::{Change, Changes, HistoryMeta};
use super::{Limit, Offset, Page, scopes_of};
use crate::api::App;
use crate::api::auth::Caller;
use crate::api::error::{ApiError, Code, ErrorBody};
use crate::api::parameters::{Path, Query, parameters};
use crate::clock::rfc3339;
use crate::companies::Ico;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(company_history))
}

parameters! {
    struct HistoryPath in Path {
        /// The company, 8 digits.
        ico: Ico = "99999901",
    }
}

parameters! {
    struct HistoryQuery in Query {
        /// 1 to 100; 50 where it is left out.
        limit: Limit,
        /// How many to leave out.
        offset: Offset,
    }
}

/// What changed about a company, newest first, as far as the account's plan has it.
///
/// A company that somebody watches is read again as often as its registers change; one that nobody watches only when it
/// is asked for, so that its changes are noticed later.
#[utoipa::path(
    get,
    path = "/v1/notifications/history/{ico}",
    tag = "Notifications",
    params(HistoryPath, HistoryQuery),
    responses(
        (status = 200, description = "The changes.", body = Changes),
        (status = 404, description = "The company is not known here.", body = ErrorBody),
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
    let store = app.companies.store();
    if store.companies().find_by_ico(ico.as_str()).await?.is_none() {
        return Err(ApiError::new(Code::NotFound, "company not found"));
    }
    let scopes = scopes_of(&app, &caller);
    let scopes: Vec<&str> = scopes.iter().collect();
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
