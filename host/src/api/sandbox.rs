//! The sandbox: demo companies, available without a key.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;

use super::App;
use super::auth::SandboxCaller;
use super::error::{ApiError, Code, ErrorBody};
use super::openapi::CompanyAnswer;
use super::parameters::types::Text;
use super::parameters::{NoQuery, Path, Query, parameters};
use super::search::{Suggestions, TypingQuery};
use crate::companies::Ico;
use crate::handlers::routes;
use crate::search::SearchError;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(companies))
        .routes(routes!(company))
        .routes(routes!(sandbox_autocomplete))
}

/// The demo companies, base data only.
#[derive(Debug, Serialize, ToSchema)]
pub struct DemoCompanies {
    data: Vec<DemoCompany>,
    meta: DemoTotal,
}

/// Base data of one demo company.
#[derive(Debug, Serialize, ToSchema)]
pub struct DemoCompany {
    /// Registration number (IČO), 8 digits.
    ico: String,
    /// Business name of the company.
    name: String,
    /// Legal form in words.
    legal_form: String,
    /// City of the seat.
    city: String,
    /// `active`, `terminated` or `deleted`.
    status: String,
}

/// Metadata of the list.
#[derive(Debug, Serialize, ToSchema)]
pub struct DemoTotal {
    /// Number of demo companies.
    total: usize,
}

/// List the demo companies.
#[utoipa::path(
    get,
    path = "/v1/sandbox/companies",
    tag = "Sandbox",
    responses((status = 200, description = "The demo companies. All of them are fictitious.", body = DemoCompanies))
)]
async fn companies(
    State(app): State<App>,
    _query: NoQuery,
) -> Result<Json<DemoCompanies>, ApiError> {
    let text = |company: &Value, pointer: &str| {
        company
            .pointer(pointer)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let data: Vec<DemoCompany> = app
        .sandbox
        .companies()
        .map(|company| DemoCompany {
            ico: text(company, "/ico"),
            name: text(company, "/name"),
            legal_form: text(company, "/legal_form"),
            city: text(company, "/address/city"),
            status: text(company, "/status"),
        })
        .collect();
    let total = data.len();
    Ok(Json(DemoCompanies {
        data,
        meta: DemoTotal { total },
    }))
}

parameters! {
    struct DemoCompanyPath in Path {
        /// Registration number of a demo company.
        ico: Ico = "99100118",
    }
}

parameters! {
    struct DemoCompanyQuery in Query {
        /// Accepted without effect: the sandbox always includes every scope.
        _scope as "scope": Text,
    }
}

/// Get a demo company with every scope.
#[utoipa::path(
    get,
    path = "/v1/sandbox/company/ico/{ico}",
    tag = "Sandbox",
    params(DemoCompanyPath, DemoCompanyQuery),
    responses(
        (status = 200, description = "The complete profile.", body = CompanyAnswer),
        (status = 404, description = "No demo company has this registration number.", body = ErrorBody),
    )
)]
async fn company(
    State(app): State<App>,
    _query: Query<DemoCompanyQuery>,
    Path(path): Path<DemoCompanyPath>,
) -> Result<Json<Value>, ApiError> {
    let answer = app.sandbox.answer(&path.ico, app.context.now());
    answer
        .map(Json)
        .ok_or_else(|| ApiError::new(Code::NotFound, "company not found"))
}

/// Autocomplete names of demo companies.
///
/// Works like the autocomplete of real companies.
#[utoipa::path(
    get,
    path = "/v1/sandbox/search/autocomplete",
    tag = "Sandbox",
    params(TypingQuery),
    responses(
        (status = 200, description = "The best matches among the demo companies.", body = Suggestions),
        (status = 401, description = "The key is not the published key of the sandbox.", body = ErrorBody),
    ),
    security(("bearer" = []), ("api_key" = []))
)]
async fn sandbox_autocomplete(
    State(app): State<App>,
    _caller: SandboxCaller,
    Query(query): Query<TypingQuery>,
) -> Result<Json<Suggestions>, ApiError> {
    let (wanted, page) = query.search();
    let found = app.sandbox.index().suggestions(&wanted, page);
    let found = found.map_err(SearchError::from)?;
    Ok(Json(Suggestions::from(found)))
}
