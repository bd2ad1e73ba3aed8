//! HTTP: one file a group of resources, thin over the domain folders, no SQL.
//!
//! Every answer that is an error has the form of [`error::ApiError`], unknown paths and methods too.

pub mod auth;
pub mod company;
pub mod error;
pub mod openapi;
pub mod query;
pub mod sandbox;
pub mod status;

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use time::OffsetDateTime;
use tower_http::catch_panic::CatchPanicLayer;
use tracing::Instrument;
use utoipa_axum::router::OpenApiRouter;

use crate::companies::Companies;
use crate::config::Config;
use crate::sandbox::Sandbox;
use error::{ApiError, Code};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What handlers work with.
#[derive(Clone)]
pub struct App {
    /// Companies and, through them, store and connectors.
    pub companies: Companies,
    /// The settings.
    pub config: Arc<Config>,
    /// The demo companies.
    pub sandbox: Arc<Sandbox>,
    /// Keys seen in the last second.
    pub keys: auth::KnownKeys,
    /// When this host started.
    pub started_at: OffsetDateTime,
}

/// All routes of the API.
pub fn router(app: App) -> Router {
    let (api, _) = documented_routes().split_for_parts();
    let timeout = Duration::from_secs(app.config.requests.timeout_seconds);
    let body_limit = app.config.requests.body_bytes;
    Router::new()
        .merge(api)
        .route("/v1/openapi.json", axum::routing::get(openapi::document))
        .merge(openapi::reference())
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(body_limit))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(axum::middleware::from_fn_with_state(app.clone(), bounded))
        .layer(axum::middleware::from_fn(move |request, next| {
            in_time(timeout, request, next)
        }))
        .layer(axum::middleware::from_fn(identified))
        .with_state(app)
}

/// The routes that the OpenAPI document describes.
pub(crate) fn documented_routes() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(openapi::base())
        .merge(company::routes())
        .merge(status::routes())
        .merge(sandbox::routes())
}

async fn unknown_path() -> ApiError {
    ApiError::new(Code::NotFound, "there is nothing at this path")
}

async fn wrong_method() -> ApiError {
    ApiError::new(
        Code::MethodNotAllowed,
        "this path does not take this method",
    )
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the shape that the layer wants"
)]
fn panicked(panic: Box<dyn Any + Send + 'static>) -> Response {
    let why = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    tracing::error!(why, "a handler panicked");
    ApiError::new(
        Code::InternalError,
        "something went wrong here; the request id finds it in the log",
    )
    .into_response()
}

/// Refuses a query that is longer than any real one.
async fn bounded(State(app): State<App>, request: Request, next: Next) -> Response {
    let length = request.uri().query().map_or(0, str::len);
    let most = app.config.requests.query_bytes;
    if length > most {
        let longest = query::longest_name(request.uri().query().unwrap_or_default());
        return ApiError::invalid(&longest, format!("the query is longer than {most} bytes"))
            .into_response();
    }
    next.run(request).await
}

async fn in_time(timeout: Duration, request: Request, next: Next) -> Response {
    match tokio::time::timeout(timeout, next.run(request)).await {
        Ok(response) => response,
        Err(_elapsed) => {
            tracing::error!("no answer within {} s", timeout.as_secs());
            ApiError::new(Code::ServiceUnavailable, "the answer took too long")
                .retry_after(5)
                .into_response()
        }
    }
}

/// Gives every answer an id that stands in its log lines too.
async fn identified(request: Request, next: Next) -> Response {
    let id = uuid::Uuid::new_v4().simple().to_string();
    let path = request.uri().path().to_owned();
    let span = tracing::info_span!("request", request.id = %id, method = %request.method(), path);
    let started = std::time::Instant::now();
    let mut response = next.run(request).instrument(span.clone()).await;
    let millis = started.elapsed().as_secs_f64() * 1_000.0;
    span.in_scope(|| {
        let status = response.status().as_u16();
        if response.status() >= StatusCode::INTERNAL_SERVER_ERROR {
            tracing::warn!(status, millis, "answered {status}");
        } else {
            tracing::debug!(status, millis, "answered {status}");
        }
    });
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    response
}
