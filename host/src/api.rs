//! HTTP API: one file per group of resources, thin over the domain modules, without SQL.
//!
//! Every error response has the form of [`error::ApiError`], including those for unknown paths and methods.

mod accept;
mod account;
pub mod auth;
pub mod batch;
pub mod body;
pub mod charging;
mod collections;
pub mod company;
mod conditional;
mod docs;
pub mod error;
mod exchange;
mod files;
mod head;
pub mod idempotency;
pub mod metrics;
mod notifications;
pub mod openapi;
pub mod other_calls;
mod parameters;
pub mod protocol_errors;
mod query;
pub mod sandbox;
pub mod search;
pub mod status;

pub(crate) use files::{CSV, download};

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use time::OffsetDateTime;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::CorsLayer;
use tracing::Instrument;
use utoipa_axum::router::OpenApiRouter;

use crate::accounts::ApiCalls;
use crate::batches::Batches;
use crate::billing::Ledger;
use crate::collections::Collections;
use crate::companies::Companies;
use crate::config::Config;
use crate::context::Context;
use crate::disk::Disk;
use crate::handlers::{any_handler, get};
use crate::notifications::Notifier;
use crate::sandbox_companies::Sandbox;
use crate::sealing::Sealer;
use crate::search::Search;
use crate::watch_lists::WatchLists;
use crate::worker::Workers;
use body::BodyBounds;
use error::{ApiError, Code};
use exchange::Exchange;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Shared state of the handlers. Cloned for every request, so it is a single pointer.
#[derive(Clone)]
pub struct App(Arc<AppParts>);

impl App {
    #[must_use]
    pub fn new(parts: AppParts) -> Self {
        Self(Arc::new(parts))
    }
}

impl App {
    /// Maximum size of a request body, and the time within which it must arrive.
    #[must_use]
    pub fn body_bounds(&self) -> BodyBounds {
        BodyBounds {
            bytes: self.config.requests.body_bytes,
            time: Duration::from_secs(self.config.connections.body_seconds),
        }
    }
}

impl App {
    /// Maximum size of a file in a request body, and the time within which it must arrive.
    #[must_use]
    pub fn file_bounds(&self) -> BodyBounds {
        BodyBounds {
            bytes: self.config.files.most_mib.saturating_mul(1 << 20),
            ..self.body_bounds()
        }
    }
}

impl std::ops::Deref for App {
    type Target = AppParts;

    fn deref(&self) -> &AppParts {
        &self.0
    }
}

pub struct AppParts {
    pub context: Context,
    /// Companies; also give access to the connectors.
    pub companies: Companies,
    pub batches: Batches,
    pub search: Search,
    /// Lists of registers' subjects.
    pub collections: Collections,
    pub ledger: Ledger,
    /// Notifies subscribers of changes.
    pub notifier: Notifier,
    /// Imports of watch lists.
    pub watch_lists: WatchLists,
    pub disk: Disk,
    pub config: Arc<Config>,
    pub sandbox: Arc<Sandbox>,
    pub sealer: Arc<Sealer>,
    /// Cache of keys validated within the last second.
    pub keys: auth::ValidatedKeys,
    /// Rate limit of calls that are not look-ups.
    pub other_calls: other_calls::OtherCalls,
    /// `ETag`s of responses that accounts paid for.
    pub paid_tags: charging::PaidTags,
    /// `true` once this host shuts down. Long polls and streams then end.
    pub ending: tokio::sync::watch::Sender<bool>,
    pub metrics: metrics::ApiMetrics,
    /// Supervises the background workers.
    pub workers: Workers,
    pub started_at: OffsetDateTime,
}

/// The API with its documentation. `pages` are further routes that get the same request ids, limits and metrics.
pub fn router(app: App, pages: Router<App>) -> Router {
    let (api, _) = documented_routes().split_for_parts();
    let body_limit = app.config.requests.body_bytes;
    Router::new()
        .merge(api)
        .route("/v1/openapi.json", get(openapi::document))
        .merge(docs::router())
        .merge(openapi::reference())
        .merge(pages)
        .fallback(any_handler(collections::fallback))
        .method_not_allowed_fallback(any_handler(wrong_method))
        .layer(DefaultBodyLimit::max(body_limit))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(axum::middleware::from_fn_with_state(
            app.clone(),
            request_middleware,
        ))
        .layer(tower::util::option_layer(cross_origin(
            &app.config.requests.origins,
        )))
        .with_state(app)
}

/// The API for the pages of this process; a request acts for the session in its extensions.
#[must_use]
pub fn calls(app: &App) -> ApiCalls {
    let (api, _) = documented_routes().split_for_parts();
    auth::calls(app, api.fallback(any_handler(collections::fallback)))
}

/// The CORS layer for these origins; `None` if there are none.
fn cross_origin(origins: &[String]) -> Option<CorsLayer> {
    let origins: Vec<HeaderValue> = origins
        .iter()
        .filter_map(|origin| HeaderValue::from_str(origin).ok())
        .collect();
    (!origins.is_empty()).then(|| {
        CorsLayer::new()
            .allow_origin(origins)
            .allow_methods([
                Method::GET,
                Method::HEAD,
                Method::POST,
                Method::PATCH,
                Method::DELETE,
            ])
            .allow_headers([
                header::ACCEPT,
                header::AUTHORIZATION,
                header::CONTENT_TYPE,
                header::IF_NONE_MATCH,
                auth::API_KEY,
                idempotency::KEY,
            ])
            .expose_headers([
                header::ETAG,
                header::RETRY_AFTER,
                REQUEST_ID,
                batch::BATCH_ID,
                charging::CHARGED,
                charging::OVERAGE,
                charging::REMAINING,
                charging::LIMIT_MINUTE,
                charging::REMAINING_MINUTE,
                charging::LIMIT_DAILY,
                charging::REMAINING_DAILY,
                idempotency::REPLAYED,
            ])
            .max_age(Duration::from_secs(3_600))
    })
}

/// The routes that the OpenAPI document describes.
pub(crate) fn documented_routes() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(openapi::base())
        .merge(company::routes())
        .merge(batch::routes())
        .merge(search::routes())
        .merge(account::routes())
        .merge(notifications::routes())
        .merge(status::routes())
        .merge(sandbox::routes())
}

fn unknown_path() -> ApiError {
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
    tracing::error!(why, "request handler panicked");
    ApiError::internal().into_response()
}

/// Middleware of every request: assigns a request id for the response and the logs, limits the query's length,
/// and enforces the response timeout.
async fn request_middleware(State(app): State<App>, request: Request, next: Next) -> Response {
    let exchange = Exchange::new(app.context.now());
    let mut request = request;
    collections::resolve(&app, &mut request);
    request.extensions_mut().insert(exchange.clone());
    let id = exchange.id();
    let counted = app.metrics.start(&request);
    let headers = request.headers();
    let headers = app.config.telemetry.traceparent.then_some(headers);
    let traced = crate::trace::request(request.method(), counted.route(), id, headers);
    let span = traced.in_scope(|| {
        tracing::info_span!("request", request.id = %id, method = %request.method(), path = %request.uri().path())
    });
    let started = Instant::now();
    let mut response = with_timeout(&app, request, next)
        .instrument(span.clone())
        // Both are entered: a span of traces finds its parent among the entered ones only.
        .instrument(traced.clone())
        .await;
    span.in_scope(|| {
        let (status, millis) = (response.status(), started.elapsed().as_secs_f64() * 1_000.0);
        if status >= StatusCode::INTERNAL_SERVER_ERROR {
            tracing::warn!(status = status.as_u16(), millis, "answered {status}");
        } else {
            tracing::debug!(status = status.as_u16(), millis, "answered {status}");
        }
    });
    traced.record("http.response.status_code", response.status().as_u16());
    if response.status().is_server_error() {
        traced.record("otel.status_code", "ERROR");
    }
    exchange.finish(response.headers_mut());
    if let Ok(value) = HeaderValue::from_str(id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    counted.end(&response, started.elapsed());
    response
}

async fn with_timeout(app: &App, request: Request, next: Next) -> Response {
    let most = app.config.requests.query_bytes;
    let query = request.uri().query().unwrap_or_default();
    if query.len() > most {
        let why = format!("the query is longer than {most} bytes");
        return ApiError::invalid(&query::longest_name(query), why).into_response();
    }
    let timeout = Duration::from_secs(app.config.requests.timeout_seconds);
    match tokio::time::timeout(timeout, next.run(request)).await {
        Ok(response) => response,
        Err(_elapsed) => {
            tracing::error!("request timed out after {} s", timeout.as_secs());
            ApiError::new(Code::ServiceUnavailable, "the answer took too long")
                .retry_after(5)
                .into_response()
        }
    }
}
