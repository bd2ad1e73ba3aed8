//! One company: `/company/ico/{ico}`, `/company/id/{orsr_id}`, `/company/{id}`.

use axum::body::Body;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, header};
use axum::response::Response;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt};

use super::App;
use super::charging::{Call, charged_as};
use super::conditional::{has_current_tag, json_response};
use super::error::{ApiError, ErrorBody};
use super::head::without_body;
use super::openapi::CompanyAnswer;
use super::parameters::types::{CompanyId, OrsrId, Text};
use super::parameters::{Path, Query, parameters};
use crate::companies::{AllowedScopes, CompanyKey, Ico, Profile, Source};
use crate::handlers::{get, routes};

pub(super) fn routes() -> OpenApiRouter<App> {
    let by_orsr_id = || get(company_by_orsr_id).layer(charged_as("company/id"));
    OpenApiRouter::new()
        .routes(routes!(company_by_ico).layer(charged_as("company/ico")))
        .routes(routes!(company_by_orsr_id).layer(charged_as("company/id")))
        // An unescaped slash and a trailing slash, see `OrsrId`.
        .route("/v1/company/id/{orsr_id}/{court}", by_orsr_id())
        .route("/v1/company/id/{orsr_id}/", by_orsr_id())
        .routes(routes!(company_by_id).layer(charged_as("company")))
}

parameters! {
    struct IcoPath in Path {
        /// Registration number (IČO), 8 digits.
        ico: Ico = "99999901",
    }
}

parameters! {
    struct OrsrIdPath in Path {
        /// The commercial register's id: digits, or digits, a slash (plain or percent-encoded) and the court's number,
        /// as in `346/2`.
        orsr_id: OrsrId = "346",
    }
}

parameters! {
    struct IdPath in Path {
        /// The company's id in this database, the integer in `data.id`.
        id: CompanyId,
    }
}

parameters! {
    struct ScopeQuery in Query {
        /// Sections to include: scope names separated by commas, or `all` for every scope of the plan. Without it,
        /// the answer has base data and details.
        scope: Text,
    }
}

/// Get a company by registration number.
///
/// `HEAD` is free: it uses stored data only and reads no register. It returns 404 for a company that is not stored yet.
#[utoipa::path(
    get,
    path = "/v1/company/ico/{ico}",
    tag = "Companies",
    params(IcoPath, ScopeQuery),
    responses(
        (status = 200, description = "The company.", body = CompanyAnswer),
        (status = 304, description = "The company has not changed since the response whose `ETag` was sent as `If-None-Match`."),
        (status = 403, description = "The plan does not include a requested scope.", body = ErrorBody),
        (status = 404, description = "No register has the company.", body = ErrorBody),
        (status = 503, description = "The company is not stored yet and its register could not be read.", body = ErrorBody),
    ),
    security(("bearer" = []), ("api_key" = []))
)]
async fn company_by_ico(
    State(app): State<App>,
    call: Call,
    Path(path): Path<IcoPath>,
    Query(query): Query<ScopeQuery>,
    head: RequestHead,
) -> Result<Response, ApiError> {
    answer(&app, call, &CompanyKey::Ico(path.ico), &query, &head).await
}

/// Get a company by the commercial register's id.
#[utoipa::path(
    get,
    path = "/v1/company/id/{orsr_id}",
    tag = "Companies",
    params(OrsrIdPath, ScopeQuery),
    responses(
        (status = 200, description = "The company.", body = CompanyAnswer),
        (status = 404, body = ErrorBody, description = "No register has a company with this id."),
        (status = 422, body = ErrorBody, description = "A parameter is invalid, or several companies have this id in different courts."),
        (status = 503, body = ErrorBody, description = "The register could not be read."),
    ),
    security(("bearer" = []), ("api_key" = []))
)]
async fn company_by_orsr_id(
    State(app): State<App>,
    call: Call,
    Path(path): Path<OrsrIdPath>,
    Query(query): Query<ScopeQuery>,
    head: RequestHead,
) -> Result<Response, ApiError> {
    answer(&app, call, &path.orsr_id, &query, &head).await
}

/// Get a company by its id in this database.
#[utoipa::path(
    get,
    path = "/v1/company/{id}",
    tag = "Companies",
    params(IdPath, ScopeQuery),
    responses(
        (status = 200, description = "The company.", body = CompanyAnswer),
        (status = 404, body = ErrorBody, description = "This database has no company with this id."),
    ),
    security(("bearer" = []), ("api_key" = []))
)]
async fn company_by_id(
    State(app): State<App>,
    call: Call,
    Path(path): Path<IdPath>,
    Query(query): Query<ScopeQuery>,
    head: RequestHead,
) -> Result<Response, ApiError> {
    answer(&app, call, &CompanyKey::Id(path.id), &query, &head).await
}

/// The request's method and conditional headers.
struct RequestHead {
    method: Method,
    headers: HeaderMap,
}

impl FromRequestParts<App> for RequestHead {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _app: &App) -> Result<Self, Self::Rejection> {
        let mut headers = HeaderMap::new();
        for tags in parts.headers.get_all(header::IF_NONE_MATCH) {
            headers.append(header::IF_NONE_MATCH, tags.clone());
        }
        Ok(Self {
            method: parts.method.clone(),
            headers,
        })
    }
}

async fn answer(
    app: &App,
    call: Call,
    key: &CompanyKey,
    query: &ScopeQuery,
    head: &RequestHead,
) -> Result<Response, ApiError> {
    let catalogue = app.companies.connectors().catalogue();
    let requested = query.scope.as_deref();
    let scopes = call.caller().allowed_scopes(requested, &catalogue)?;
    if head.method == Method::HEAD {
        let profile = app.companies.stored(key, &scopes).await?;
        call.free();
        let unchanged = has_current_tag(&head.headers, &profile.etag);
        return Ok(response(&profile, unchanged, without_body()));
    }
    let answer = match app.companies.cached_answer(key, &scopes).await? {
        Some(answer) => answer,
        None => {
            if let Err(refusal) = call.ensure_credit().await {
                let unchanged = unchanged_as_stored(app, call, key, &scopes, head);
                return unchanged.await.ok_or(refusal);
            }
            app.companies.answer(key, &scopes).await?
        }
    };
    let (profile, account) = (&answer.profile, call.caller().account_id);
    let unchanged = has_current_tag(&head.headers, &profile.etag);
    if profile.source == Source::Cache {
        call.cached();
    } else if unchanged {
        // ETags can be shared between accounts, and the cache serves all of them. So only the tag of a response
        // that this account paid for may put the response into the cache.
        if app.paid_tags.contains(account, &profile.etag) {
            app.companies.keep(&answer);
        }
        call.free();
    } else {
        call.charge().await?;
        app.paid_tags.insert(account, &profile.etag);
        app.companies.keep(&answer);
    }
    let body = Body::from(profile.body.clone());
    Ok(response(profile, unchanged, body))
}

/// A 304, which needs no credit, if the client has the stored response. Reads no register.
async fn unchanged_as_stored(
    app: &App,
    call: Call,
    key: &CompanyKey,
    scopes: &AllowedScopes,
    head: &RequestHead,
) -> Option<Response> {
    if !head.headers.contains_key(header::IF_NONE_MATCH) {
        return None;
    }
    let profile = app.companies.stored(key, scopes).await.ok()?;
    let unchanged = has_current_tag(&head.headers, &profile.etag);
    unchanged.then(|| {
        call.free();
        response(&profile, true, Body::empty())
    })
}

fn response(profile: &Profile, unchanged: bool, body: Body) -> Response {
    json_response(&profile.etag, unchanged, body)
}
