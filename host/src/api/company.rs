//! One company: `/company/ico/{ico}`, `/company/id/{orsr_id}`, `/company/{id}`.

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequestParts, Path, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::App;
use super::auth::LookUp;
use super::charging::Call;
use super::error::{ApiError, ErrorBody};
use super::head::without_body;
use super::openapi::CompanyAnswer;
use super::query::Parameters;
use crate::companies::{AllowedScopes, CompanyKey, Ico, Profile, Source};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(company_by_ico))
        .routes(routes!(company_by_orsr_id))
        .route(
            "/v1/company/id/{orsr_id}/{court}",
            axum::routing::get(company_by_orsr_id_and_court),
        )
        // A trailing slash, see `orsr_key`.
        .route(
            "/v1/company/id/{orsr_id}/",
            axum::routing::get(company_by_orsr_id),
        )
        .routes(routes!(company_by_id))
}

type PathText<T> = Result<Path<T>, PathRejection>;

/// One company by its registration number.
///
/// `HEAD` is answered from what is stored, asks no register and costs nothing; it is 404 for a company that is not
/// stored yet.
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
    caller: LookUp,
    path: PathText<String>,
    asked: Asked,
) -> Result<Response, ApiError> {
    let call = Call::new(&app, &caller, "company/ico");
    let ico = path.ok().and_then(|Path(text)| Ico::parse(&text).ok());
    let ico =
        ico.ok_or_else(|| ApiError::invalid("ico", crate::companies::InvalidIco.to_string()))?;
    answer(&app, &caller, call, &CompanyKey::Ico(ico), &asked).await
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
    caller: LookUp,
    path: PathText<String>,
    asked: Asked,
) -> Result<Response, ApiError> {
    let call = Call::new(&app, &caller, "company/id");
    let id = path.map(|Path(id)| id).unwrap_or_default();
    answer(&app, &caller, call, &orsr_key(&id)?, &asked).await
}

/// Like [`company_by_orsr_id`], with an unescaped slash in the path.
async fn company_by_orsr_id_and_court(
    State(app): State<App>,
    caller: LookUp,
    path: PathText<(String, String)>,
    asked: Asked,
) -> Result<Response, ApiError> {
    let call = Call::new(&app, &caller, "company/id");
    let id = path
        .map(|Path((id, court))| format!("{id}/{court}"))
        .unwrap_or_default();
    answer(&app, &caller, call, &orsr_key(&id)?, &asked).await
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
    caller: LookUp,
    path: PathText<String>,
    asked: Asked,
) -> Result<Response, ApiError> {
    let call = Call::new(&app, &caller, "company");
    let id = path
        .ok()
        .filter(|Path(text)| text.bytes().all(|byte| byte.is_ascii_digit()));
    let id: Option<i64> = id.and_then(|Path(text)| text.parse().ok());
    let id = id.ok_or_else(|| ApiError::invalid("id", "an id is a whole number"))?;
    answer(&app, &caller, call, &CompanyKey::Id(id), &asked).await
}

fn orsr_key(id: &str) -> Result<CompanyKey, ApiError> {
    let digits = |part: &str| {
        !part.is_empty() && part.len() <= 12 && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    // Some clients write the bare number with a trailing slash.
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

/// The request's method, query and conditional headers.
struct Asked {
    method: Method,
    query: Option<String>,
    headers: HeaderMap,
}

impl FromRequestParts<App> for Asked {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _app: &App) -> Result<Self, Self::Rejection> {
        Ok(Self {
            method: parts.method.clone(),
            query: parts.uri.query().map(str::to_owned),
            headers: parts.headers.clone(),
        })
    }
}

async fn answer(
    app: &App,
    caller: &LookUp,
    call: Call,
    key: &CompanyKey,
    asked: &Asked,
) -> Result<Response, ApiError> {
    let parameters = Parameters::read(asked.query.as_deref(), &["scope"])?;
    let catalogue = app.companies.connectors().catalogue();
    let scopes = AllowedScopes::of_request(parameters.get("scope"), &caller.plan, &catalogue)?;
    if asked.method == Method::HEAD {
        let profile = app.companies.stored(key, &scopes).await?;
        call.free();
        let unchanged = has_current_tag(&asked.headers, &profile.etag);
        return Ok(response(&profile, unchanged, without_body()));
    }
    let answer = match app.companies.remembered(key, &scopes) {
        Some(answer) => answer,
        None => {
            call.ensure_credit().await?;
            app.companies.answer(key, &scopes).await?
        }
    };
    let (profile, account) = (&answer.profile, caller.account_id);
    let unchanged = has_current_tag(&asked.headers, &profile.etag);
    if answer.source == Source::Cache {
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
    let body = if answer.source == Source::Cache {
        profile.cached_body.clone()
    } else {
        profile.body.clone()
    };
    Ok(response(profile, unchanged, Body::from(body)))
}

fn response(profile: &Profile, unchanged: bool, body: Body) -> Response {
    let mut response = if unchanged {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let json = HeaderValue::from_static("application/json");
        ([(header::CONTENT_TYPE, json)], body).into_response()
    };
    let own = response.headers_mut();
    if let Ok(etag) = HeaderValue::from_str(&profile.etag) {
        own.insert(header::ETAG, etag);
    }
    own.insert(
        header::CACHE_CONTROL,
        HeaderValue::from_static("private, no-cache"),
    );
    response
}

/// Whether `If-None-Match` contains the current tag, by weak comparison (RFC 9110, 13.1.2). `*` matches
/// nothing, because it would also match responses that the client never received.
fn has_current_tag(headers: &HeaderMap, etag: &str) -> bool {
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let current = opaque(etag);
    let sent = headers.get_all(header::IF_NONE_MATCH).iter();
    sent.filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|tag| opaque(tag) == current)
}
