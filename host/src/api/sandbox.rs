//! The sandbox: demo companies for everyone, without a key.

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::App;
use super::error::{ApiError, Code, ErrorBody};
use super::openapi::CompanyAnswer;
use super::query::Parameters;
use crate::clock::rfc3339;
use crate::companies::Ico;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(companies))
        .routes(routes!(company))
}

/// The demo companies in short.
#[derive(Debug, Serialize, ToSchema)]
pub struct DemoCompanies {
    data: Vec<DemoCompany>,
    meta: DemoTotal,
}

/// One demo company in short.
#[derive(Debug, Serialize, ToSchema)]
pub struct DemoCompany {
    /// Registration number.
    ico: String,
    /// Business name.
    name: String,
    /// Legal form.
    legal_form: String,
    /// City of the seat.
    city: String,
    /// `active`, `terminated` or `deleted`.
    status: String,
}

/// How many there are.
#[derive(Debug, Serialize, ToSchema)]
pub struct DemoTotal {
    total: usize,
}

/// The ten demo companies.
#[utoipa::path(
    get,
    path = "/v1/sandbox/companies",
    tag = "Sandbox",
    responses((status = 200, description = "The demo companies; all invented.", body = DemoCompanies))
)]
async fn companies(
    State(app): State<App>,
    RawQuery(query): RawQuery,
) -> Result<Json<DemoCompanies>, ApiError> {
    Parameters::read(query.as_deref(), &[])?;
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

/// One demo company with every scope.
#[utoipa::path(
    get,
    path = "/v1/sandbox/company/ico/{ico}",
    tag = "Sandbox",
    params(
        ("ico" = String, Path, description = "Registration number of a demo company.", example = "99100118"),
        ("scope" = Option<String>, Query, description = "Accepted and without effect: the sandbox always answers with every scope."),
    ),
    responses(
        (status = 200, description = "The complete profile.", body = CompanyAnswer),
        (status = 404, description = "No demo company has this number.", body = ErrorBody),
        (status = 422, description = "A parameter is wrong.", body = ErrorBody),
    )
)]
async fn company(
    State(app): State<App>,
    path: Result<Path<String>, PathRejection>,
    RawQuery(query): RawQuery,
) -> Result<Json<Value>, ApiError> {
    Parameters::read(query.as_deref(), &["scope"])?;
    let ico = path.ok().and_then(|Path(text)| Ico::parse(&text).ok());
    let ico =
        ico.ok_or_else(|| ApiError::invalid("ico", crate::companies::InvalidIco.to_string()))?;
    let company = app
        .sandbox
        .company(&ico)
        .ok_or_else(|| ApiError::new(Code::NotFound, "company not found"))?;
    let now = rfc3339(app.companies.now());
    let synced = company
        .get("orsr_id")
        .is_some_and(|id| !id.is_null())
        .then(|| now.clone());
    Ok(Json(serde_json::json!({
        "data": company,
        "meta": {
            "rpo_updated_at": now,
            "orsr_synced_at": synced,
            "enriched_at": now,
            "profile_built_at": now,
            "source": "database",
            "cached": false,
            "stale": false,
            "sandbox": true,
        },
    })))
}
