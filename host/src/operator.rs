//! The operator's HTTP address: pages, metrics, the state of connectors, reload.
//!
//! Separate from the API: it needs no keys of accounts. It shows files, digests and reasons that clients do not see,
//! and its pages show accounts without their secrets. It listens on loopback by default. Requests that change something
//! need a header that a web page cannot send without permission.

mod actions;
mod ledger_job;
mod lists;
mod memory;
mod metric;
mod metrics;
mod pages;
mod process;
mod queue_recorder;
pub mod state;
mod store_state;
mod versions;
mod worker_states;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, RawQuery, Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use serde_json::json;
use time::OffsetDateTime;
use tokio::net::TcpListener;

use crate::api::metrics::ApiMetrics;
use crate::billing::Ledger;
use crate::collections::Collections;
use crate::companies::Companies;
use crate::config::Connections;
use crate::context::Context;
use crate::datasets::Importer;
use crate::disk::Disk;
use crate::http_server::{self, Certificates, ConnectionCounts, Refused, Serving};
use crate::reload::{ReloadMode, Reloaded, Reloader};
use crate::search::Search;
use crate::store::StoreError;
use crate::worker::{WorkerState, Workers};
use actions::Actor;
pub use actions::sweep_actions;
use memory::MACHINE;
pub use memory::Memory;
pub use queue_recorder::QueueRecorder;
use state::ConnectorState;

/// Required header of requests that change something. Any value is accepted.
pub const HEADER: &str = "x-lustra-operator";

/// How long `/metrics` waits for the store. Prometheus gives up after 10 s by default.
const STORE_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Clone)]
pub struct OperatorState {
    pub context: Context,
    /// Companies; also give access to the connectors.
    pub companies: Companies,
    /// Reloads components and settings.
    pub reloader: Reloader,
    pub search: Search,
    pub collections: Collections,
    /// Metrics of API requests.
    pub metrics: ApiMetrics,
    pub connections: Listeners,
    /// The certificate of the host, if it has one.
    pub certificates: Option<Certificates>,
    /// Whether this address uses it too.
    pub has_tls: bool,
    /// Host names that requests may be addressed to.
    pub hosts: Arc<[String]>,
    pub disk: Disk,
    pub ledger: Ledger,
    pub workers: Workers,
    pub importer: Importer,
    pub memory: Memory,
    pub started_at: OffsetDateTime,
}

/// The connection counts of both addresses.
#[derive(Clone, Default)]
pub struct Listeners {
    pub api: Arc<ConnectionCounts>,
    pub operator: Arc<ConnectionCounts>,
}

impl OperatorState {
    async fn states(&self) -> Result<Vec<ConnectorState>, StoreError> {
        let mut states = state::all(&self.context.store, &self.companies).await?;
        let mistake = self.reloader.settings_mistake();
        for state in &mut states {
            state.settings_mistake.clone_from(&mistake);
        }
        Ok(states)
    }
}

impl OperatorState {
    /// Reloads in a separate task, so that a disconnecting caller does not interrupt it. `None`: it panicked.
    async fn reload(&self, mode: ReloadMode) -> Option<Reloaded> {
        let reloader = self.reloader.clone();
        match tokio::spawn(async move { reloader.step(mode).await }).await {
            Ok(reloaded) => Some(reloaded),
            Err(error) => {
                tracing::error!(%error, "reload panicked or was cancelled");
                None
            }
        }
    }
}

pub fn router(state: OperatorState) -> Router {
    use crate::handlers::{get, post};
    Router::new()
        .route("/metrics", get(metrics))
        .route("/connectors", get(connectors))
        .route("/connectors/{id}", get(connector))
        .route("/connectors/reload", post(reload))
        .route("/connectors/{id}/take-back", post(versions::take_back))
        .route("/connectors/{id}/release", post(versions::release))
        .route("/clock/confirm", post(confirm_clock))
        .route("/workers", get(workers))
        .route("/workers/{name}/restart", post(restart_worker))
        .merge(pages::routes(&state))
        .layer(axum::middleware::from_fn_with_state(
            state.clone(),
            check_host,
        ))
        .with_state(state)
}

/// Serves the operator's routes until the task is dropped.
pub async fn serve(listener: TcpListener, state: OperatorState, bounds: &Connections) {
    let serving = Serving {
        bounds,
        counts: Arc::clone(&state.connections.operator),
        certificates: state.certificates.clone().filter(|_| state.has_tls),
        refusal: Arc::new(refused),
    };
    let never = std::future::pending();
    let plain = |stream| stream;
    http_server::serve(listener, router(state), serving, plain, never).await;
}

fn refused(why: Refused) -> Response {
    let (status, message) = match why {
        Refused::ClientLimit | Refused::HostLimit => (
            StatusCode::SERVICE_UNAVAILABLE,
            "too many requests are in progress",
        ),
        Refused::Headers => (
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            "the headers are too large",
        ),
    };
    reply(status, why.word(), message)
}

/// Rejects requests with an unknown `Host`. Protects against DNS rebinding, where a web page uses a name that
/// resolves to this address.
async fn check_host(State(state): State<OperatorState>, request: Request, next: Next) -> Response {
    let host = request.headers().get(header::HOST);
    let host = host.and_then(|host| host.to_str().ok());
    if host.is_some_and(|host| is_known_host(host, &state.hosts)) {
        return next.run(request).await;
    }
    reply(
        StatusCode::MISDIRECTED_REQUEST,
        "misdirected_request",
        "unknown host name; add it to operator.hosts in the settings",
    )
}

fn is_known_host(header: &str, names: &[String]) -> bool {
    let Ok(uri) = header.parse::<Uri>() else {
        return false;
    };
    let Some(host) = uri.host() else {
        return false;
    };
    let address = host.trim_start_matches('[').trim_end_matches(']');
    address.parse::<IpAddr>().is_ok()
        || host.eq_ignore_ascii_case("localhost")
        || names.iter().any(|name| name.eq_ignore_ascii_case(host))
}

struct Unavailable(StoreError);

impl From<StoreError> for Unavailable {
    fn from(error: StoreError) -> Self {
        Self(error)
    }
}

impl IntoResponse for Unavailable {
    fn into_response(self) -> Response {
        tracing::error!(error = %self.0, "operator request failed: the store is unavailable");
        reply(
            StatusCode::SERVICE_UNAVAILABLE,
            "service_unavailable",
            "the store is unavailable",
        )
    }
}

fn reply(status: StatusCode, error: &str, message: &str) -> Response {
    (status, Json(json!({ "error": error, "message": message }))).into_response()
}

/// The metrics. While the store is unavailable, only those in this process's memory.
async fn metrics(State(state): State<OperatorState>) -> Response {
    let reading = metrics::Stored::read(&state.context);
    let stored = match tokio::time::timeout(STORE_TIMEOUT, reading).await {
        Ok(Ok(stored)) => Some(stored),
        Ok(Err(error)) => {
            tracing::warn!(%error, "the store is unavailable: /metrics omits stored values");
            None
        }
        Err(_elapsed) => {
            tracing::warn!(
                "the store did not answer within {} s: /metrics omits stored values",
                STORE_TIMEOUT.as_secs()
            );
            None
        }
    };
    let text = metrics::text(&state, stored);
    let content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, content_type)], text).into_response()
}

async fn connectors(
    State(state): State<OperatorState>,
) -> Result<Json<Vec<ConnectorState>>, Unavailable> {
    Ok(Json(state.states().await?))
}

async fn connector(
    State(state): State<OperatorState>,
    Path(id): Path<String>,
) -> Result<Response, Unavailable> {
    let states = state.states().await?;
    let found = states.into_iter().find(|state| state.id == id);
    Ok(match found {
        Some(state) => Json(state).into_response(),
        None => reply(
            StatusCode::NOT_FOUND,
            "not_found",
            "there is no such connector",
        ),
    })
}

/// Accepts the host's clock on the operator's confirmation.
async fn confirm_clock(
    State(state): State<OperatorState>,
    actor: Actor,
    headers: HeaderMap,
) -> Result<Response, Unavailable> {
    if let Err(refused) = with_header(&headers, "confirming the clock") {
        return Ok(*refused);
    }
    if state.confirm_clock_by(&actor).await? {
        return Ok(Json(state.ledger.clock_state()).into_response());
    }
    Ok(reply(
        StatusCode::CONFLICT,
        "contradicted",
        "the database's clock disagrees and takes precedence: set this host's clock",
    ))
}

/// The state of every background worker.
async fn workers(State(state): State<OperatorState>) -> Json<Vec<WorkerState>> {
    Json(state.workers.states())
}

/// Interrupts and restarts a background worker.
async fn restart_worker(
    State(state): State<OperatorState>,
    Path(name): Path<String>,
    actor: Actor,
    headers: HeaderMap,
) -> Response {
    if let Err(refused) = with_header(&headers, "restarting a worker") {
        return *refused;
    }
    if state.restart_by(&actor, &name).await {
        return Json(state.workers.states()).into_response();
    }
    reply(
        StatusCode::NOT_FOUND,
        "not_found",
        "there is no such worker",
    )
}

/// Reloads changed components and settings, and retries refused components.
async fn reload(
    State(state): State<OperatorState>,
    RawQuery(query): RawQuery,
    actor: Actor,
    headers: HeaderMap,
) -> Response {
    let mode = match query.as_deref() {
        None | Some("" | "force=false") => ReloadMode::RetryRefused,
        Some("force=true") => ReloadMode::Force,
        Some(_) => {
            return reply(
                StatusCode::UNPROCESSABLE_ENTITY,
                "validation_error",
                "the only parameter of a reload is force: true or false",
            );
        }
    };
    if let Err(refused) = with_header(&headers, "a reload") {
        return *refused;
    }
    match state.reload_by(&actor, mode).await {
        Some(reloaded) => Json(reloaded).into_response(),
        None => reply(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal_error",
            "the reload failed; see the log",
        ),
    }
}

/// Refuses a request without the header that web pages cannot send.
fn with_header(headers: &HeaderMap, what: &str) -> Result<(), Box<Response>> {
    if headers.contains_key(HEADER) {
        return Ok(());
    }
    let message = format!("{what} requires the header {HEADER}");
    Err(Box::new(reply(
        StatusCode::FORBIDDEN,
        "forbidden",
        &message,
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_host_names_are_answered() {
        let names = ["lustra.internal".to_owned()];
        for known in [
            "127.0.0.1:8081",
            "localhost",
            "LOCALHOST:8081",
            "[::1]:8081",
            "10.1.2.3",
            "lustra.internal:8081",
        ] {
            assert!(is_known_host(known, &names), "{known}");
        }
        for other in [
            "",
            "evil.example:8081",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "lustra.internal.evil.example",
            "a b",
        ] {
            assert!(!is_known_host(other, &names), "{other}");
        }
    }
}
