//! Company search: `/search/autocomplete`, `/search/name`, `/search/ico`, `/search/advanced`.

mod queries;
mod shapes;

use std::borrow::Cow;
use std::collections::HashMap;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};

use super::App;
use super::charging::{Call, charged_as};
use super::error::{ApiError, ErrorBody};
use super::head;
use super::parameters::Query;
use crate::companies::base_json;
use crate::handlers::routes;
use crate::search::SearchCriteria;
pub(super) use queries::TypingQuery;
use queries::{AdvancedQuery, IcoQuery, NameQuery, page_of};
use shapes::CompanyList;
pub use shapes::{ListMeta, Suggestions};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(autocomplete).layer(charged_as("search/autocomplete")))
        .routes(routes!(by_name).layer(charged_as("search/name")))
        .routes(routes!(by_ico).layer(charged_as("search/ico")))
        .routes(routes!(advanced).layer(charged_as("search/advanced")))
}

/// Autocomplete company names.
///
/// Diacritics, case, word order and the spelling of the legal form are ignored; the last word may be incomplete. Exact
/// names and names that begin with the first word come first, active companies before terminated ones. Companies that
/// had such a name before follow, with `matched_former_name`. If there are few results, names with one letter added,
/// missing, changed or swapped follow. The response has the format of the select box Select2, and the parameters that
/// Select2 adds (`term`, `_type`, `page`) are accepted.
#[utoipa::path(
    get,
    path = "/v1/search/autocomplete",
    tag = "Search",
    params(TypingQuery),
    responses(
        (status = 200, description = "The best matches.", body = Suggestions),
        (status = 503, description = "The index is being built.", body = ErrorBody),
    ),
    security(("bearer" = []), ("api_key" = []))
)]
async fn autocomplete(
    State(app): State<App>,
    call: Call,
    method: Method,
    Query(query): Query<TypingQuery>,
) -> Result<Response, ApiError> {
    if method == Method::HEAD {
        return Ok(head::of_search(call));
    }
    call.ensure_credit().await?;
    let (criteria, page) = query.search();
    let found = app.search.suggestions(criteria, page).await?;
    call.charge().await?;
    Ok(Json(Suggestions::from(found)).into_response())
}

/// Search companies by name.
///
/// Companies that had such a name before come after those that have it now, with `matched_former_name`.
#[utoipa::path(
    get,
    path = "/v1/search/name",
    tag = "Search",
    params(NameQuery),
    responses(
        (status = 200, description = "The companies, best match first.", body = CompanyList),
        (status = 503, description = "The index is being built.", body = ErrorBody),
    ),
    security(("bearer" = []), ("api_key" = [])),
    extensions(("x-implementation-defined" = json!(true)))
)]
async fn by_name(
    State(app): State<App>,
    call: Call,
    method: Method,
    Query(query): Query<NameQuery>,
) -> Result<Response, ApiError> {
    let criteria = SearchCriteria {
        name: Some(query.q),
        exact: query.exact,
        ..SearchCriteria::default()
    };
    list(&app, call, &method, criteria, (query.limit, query.offset)).await
}

/// Search companies by part of the registration number.
///
/// Numbers that begin with the digits come first.
#[utoipa::path(
    get,
    path = "/v1/search/ico",
    tag = "Search",
    params(IcoQuery),
    responses(
        (status = 200, description = "The companies whose numbers begin with the digits, then the others, each group in the order of their numbers.", body = CompanyList),
        (status = 503, description = "The index is being built.", body = ErrorBody),
    ),
    security(("bearer" = []), ("api_key" = [])),
    extensions(("x-implementation-defined" = json!(true)))
)]
async fn by_ico(
    State(app): State<App>,
    call: Call,
    method: Method,
    Query(query): Query<IcoQuery>,
) -> Result<Response, ApiError> {
    let criteria = SearchCriteria {
        ico: Some(query.q),
        ..SearchCriteria::default()
    };
    list(&app, call, &method, criteria, (query.limit, query.offset)).await
}

/// Search companies by several filters.
///
/// A company must match all of them. At least one filter is required.
#[utoipa::path(
    get,
    path = "/v1/search/advanced",
    tag = "Search",
    params(AdvancedQuery),
    responses(
        (status = 200, description = "The companies, best match first.", body = CompanyList),
        (status = 422, description = "A parameter is invalid, or no filter was given.", body = ErrorBody),
        (status = 503, description = "The index is being built.", body = ErrorBody),
    ),
    security(("bearer" = []), ("api_key" = [])),
    extensions(("x-implementation-defined" = json!(true)))
)]
async fn advanced(
    State(app): State<App>,
    call: Call,
    method: Method,
    Query(query): Query<AdvancedQuery>,
) -> Result<Response, ApiError> {
    let part = (query.limit, query.offset);
    list(&app, call, &method, query.criteria(), part).await
}

/// The JSON of a company with the former name by which it was found.
fn with_former_name(company: &str, name: &str) -> String {
    let name = serde_json::to_string(name).expect("a text always becomes JSON");
    let members = company.strip_suffix('}').unwrap_or(company);
    format!("{members},\"matched_former_name\":{name}}}")
}

/// The index selects and orders the companies; the store provides their data.
async fn list(
    app: &App,
    call: Call,
    method: &Method,
    criteria: SearchCriteria,
    (limit, offset): (u64, u64),
) -> Result<Response, ApiError> {
    if method == Method::HEAD {
        return Ok(head::of_search(call));
    }
    call.ensure_credit().await?;
    let found = app.search.numbers(criteria, page_of(limit, offset)).await?;
    let icos: Vec<String> = found.hits.iter().map(|hit| hit.ico.clone()).collect();
    let stored = if icos.is_empty() {
        Vec::new()
    } else {
        app.context.store.companies().find_by_icos(&icos).await?
    };
    let by_ico: HashMap<&str, String> = stored
        .iter()
        .map(|company| (company.base.ico.as_str(), base_json(company)))
        .collect();
    let companies: Vec<Cow<'_, str>> = found
        .hits
        .iter()
        .filter_map(|hit| {
            let company = by_ico.get(hit.ico.as_str())?;
            Some(match &hit.former_name {
                Some(name) => Cow::Owned(with_former_name(company, name)),
                None => Cow::Borrowed(company.as_str()),
            })
        })
        .collect();
    let meta = ListMeta {
        total: found.total,
        limit,
        offset,
        more: found.more,
    };
    let meta = serde_json::to_string(&meta).expect("numbers always become JSON");
    let body = format!("{{\"data\":[{}],\"meta\":{meta}}}", companies.join(","));
    call.charge().await?;
    let json = HeaderValue::from_static("application/json");
    Ok(([(header::CONTENT_TYPE, json)], body).into_response())
}
