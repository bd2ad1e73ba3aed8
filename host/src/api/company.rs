//! One company: `/company/ico/{ico}`, `/company/id/{orsr_id}`, `/company/{id}`.

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::App;
use super::auth::Caller;
use super::charging::Call;
use super::error::{ApiError, ErrorBody};
use super::openapi::CompanyAnswer;
use super::query::Parameters;
use crate::companies::{AllowedScopes, CompanyKey, Ico, Source};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(company_by_ico))
        .routes(routes!(company_by_orsr_id))
        .route(
            "/v1/company/id/{orsr_id}/{court}",
            axum::routing::get(company_by_orsr_id_and_court),
        )
        // The slash with nothing behind it, see `orsr_key`.
        .route(
            "/v1/company/id/{orsr_id}/",
            axum::routing::get(company_by_orsr_id),
        )
        .routes(routes!(company_by_id))
}

type PathText<T> = Result<Path<T>, PathRejection>;

/// One company by its registration number.
#[utoipa::path(
    get,
    path = "/v1/company/ico/{ico}",
    tag = "Companies",
    params(
        ("ico" = String, Path, description = "Registration number, 8 digits.", example = "99999901"),
        ("scope" = Option<String>, Query, description = "Sections wanted: names separated by commas, or `all` for every one of the plan. Without it only base data are returned."),
    ),
    responses(
        (status = 200, description = "The company.", body = CompanyAnswer),
        (status = 304, description = "Nothing changed since the answer whose `ETag` was sent as `If-None-Match`."),
        (status = 401, description = "No key, or an invalid one.", body = ErrorBody),
        (status = 402, description = "No credits are left; what is in memory is answered all the same.", body = ErrorBody),
        (status = 403, description = "The plan lacks a scope that was named.", body = ErrorBody),
        (status = 404, description = "No register knows the company.", body = ErrorBody),
        (status = 422, description = "A parameter is wrong.", body = ErrorBody),
        (status = 503, description = "The company is not known here yet and its register could not be read.", body = ErrorBody),
    ),
    security(("bearer" = []), ("api_key" = []))
)]
async fn company_by_ico(
    State(app): State<App>,
    caller: Caller,
    path: PathText<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let ico = path.ok().and_then(|Path(text)| Ico::parse(&text).ok());
    let ico =
        ico.ok_or_else(|| ApiError::invalid("ico", crate::companies::InvalidIco.to_string()))?;
    answer(
        &app,
        &caller,
        "company/ico",
        &CompanyKey::Ico(ico),
        query.as_deref(),
        &headers,
    )
    .await
}

/// One company by the commercial register's id.
#[utoipa::path(
    get,
    path = "/v1/company/id/{orsr_id}",
    tag = "Companies",
    params(
        ("orsr_id" = String, Path, description = "Digits, or digits, a slash (plain or percent-encoded) and the court's number, as in `346/2`.", example = "346"),
        ("scope" = Option<String>, Query, description = "As for `/v1/company/ico/{ico}`."),
    ),
    responses(
        (status = 200, description = "The company.", body = CompanyAnswer),
        (status = 401, body = ErrorBody, description = "No key, or an invalid one."),
        (status = 402, body = ErrorBody, description = "No credits are left."),
        (status = 404, body = ErrorBody, description = "No register knows the id."),
        (status = 422, body = ErrorBody, description = "A parameter is wrong, or the id alone means several companies."),
        (status = 503, body = ErrorBody, description = "The register could not be read."),
    ),
    security(("bearer" = []), ("api_key" = []))
)]
async fn company_by_orsr_id(
    State(app): State<App>,
    caller: Caller,
    path: PathText<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let id = path.map(|Path(id)| id).unwrap_or_default();
    answer(
        &app,
        &caller,
        "company/id",
        &orsr_key(&id)?,
        query.as_deref(),
        &headers,
    )
    .await
}

/// As [`company_by_orsr_id`], with the slash plain in the path.
async fn company_by_orsr_id_and_court(
    State(app): State<App>,
    caller: Caller,
    path: PathText<(String, String)>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let id = path
        .map(|Path((id, court))| format!("{id}/{court}"))
        .unwrap_or_default();
    answer(
        &app,
        &caller,
        "company/id",
        &orsr_key(&id)?,
        query.as_deref(),
        &headers,
    )
    .await
}

/// One company by the id of this database.
#[utoipa::path(
    get,
    path = "/v1/company/{id}",
    tag = "Companies",
    params(
        ("id" = i64, Path, description = "The integer in `data.id`."),
        ("scope" = Option<String>, Query, description = "As for `/v1/company/ico/{ico}`."),
    ),
    responses(
        (status = 200, description = "The company.", body = CompanyAnswer),
        (status = 401, body = ErrorBody, description = "No key, or an invalid one."),
        (status = 402, body = ErrorBody, description = "No credits are left."),
        (status = 404, body = ErrorBody, description = "There is no such id."),
        (status = 422, body = ErrorBody, description = "A parameter is wrong."),
    ),
    security(("bearer" = []), ("api_key" = []))
)]
async fn company_by_id(
    State(app): State<App>,
    caller: Caller,
    path: PathText<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let id = path
        .ok()
        .filter(|Path(text)| text.bytes().all(|byte| byte.is_ascii_digit()));
    let id: Option<i64> = id.and_then(|Path(text)| text.parse().ok());
    let id = id.ok_or_else(|| ApiError::invalid("id", "an id is a whole number"))?;
    answer(
        &app,
        &caller,
        "company",
        &CompanyKey::Id(id),
        query.as_deref(),
        &headers,
    )
    .await
}

fn orsr_key(id: &str) -> Result<CompanyKey, ApiError> {
    let digits = |part: &str| {
        !part.is_empty() && part.len() <= 12 && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    // A slash with nothing behind it is how some clients write the bare number.
    let id = id.strip_suffix('/').unwrap_or(id);
    let fits = match id.split_once('/') {
        Some((number, court)) => digits(number) && digits(court),
        None => digits(id),
    };
    if fits {
        Ok(CompanyKey::OrsrId(id.to_owned()))
    } else {
        Err(ApiError::invalid(
            "orsr_id",
            "digits, or digits with a slash and the court's number, as in 346/2",
        ))
    }
}

async fn answer(
    app: &App,
    caller: &Caller,
    endpoint: &'static str,
    key: &CompanyKey,
    query: Option<&str>,
    headers: &HeaderMap,
) -> Result<Response, ApiError> {
    let parameters = Parameters::read(query, &["scope"])?;
    let catalogue = app.companies.connectors().catalogue();
    let scopes = AllowedScopes::of_request(parameters.get("scope"), &caller.plan, &catalogue)?;
    let call = Call::new(app, caller, endpoint);
    let remembered = app.companies.remembered(key, &scopes);
    let (profile, source) = match remembered {
        Some(profile) => (profile, Source::Cache),
        None => {
            call.afford().await?;
            app.companies.profile(key, &scopes).await?
        }
    };
    let body = if source == Source::Cache {
        profile.cached_body.clone()
    } else {
        profile.body.clone()
    };
    let unchanged = headers
        .get(header::IF_NONE_MATCH)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| {
            // RFC 9110, 13.1.2: compared weakly.
            let weak = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
            let current = weak(&profile.etag);
            value
                .split(',')
                .any(|tag| weak(tag) == current || tag.trim() == "*")
        });
    if source == Source::Cache {
        call.remembered();
    } else if unchanged {
        call.for_nothing();
    } else {
        call.charge().await?;
    }
    let mut response = if unchanged {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        (
            [(
                header::CONTENT_TYPE,
                HeaderValue::from_static("application/json"),
            )],
            body,
        )
            .into_response()
    };
    let own = response.headers_mut();
    if let Ok(etag) = HeaderValue::from_str(&profile.etag) {
        own.insert(header::ETAG, etag);
    }
    own.insert(
        header::CACHE_CONTROL,
        HeaderValue::from_static("private, no-cache"),
    );
    Ok(response)
}
