//! What operators and their monitoring ask, on an address of its own: metrics, the state of connectors, a reload.
//!
//! Not part of the API: no keys, nothing of accounts, but files, digests and reasons that clients do not see. It
//! listens on loopback by default. What changes something wants a header that no web page can send unasked.

mod metrics;
pub mod state;

use std::io;

use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use serde_json::json;
use tokio::net::TcpListener;

use crate::companies::Companies;
use crate::reload::{Order, Reloader};
use crate::search::Search;
use crate::store::StoreError;
use state::ConnectorState;

/// A request that changes something has this header, with any value.
pub const HEADER: &str = "x-lustra-operator";

/// What the operator's routes work with.
#[derive(Clone)]
pub struct Desk {
    /// Companies and, through them, store and connectors.
    pub companies: Companies,
    /// What takes up changes.
    pub reloader: Reloader,
    /// The name index.
    pub search: Search,
}

impl Desk {
    async fn states(&self) -> Result<Vec<ConnectorState>, StoreError> {
        let mut states = state::all(&self.companies).await?;
        let mistake = self.reloader.settings_mistake();
        for state in &mut states {
            state.settings_mistake.clone_from(&mistake);
        }
        Ok(states)
    }
}

/// The operator's routes.
pub fn router(desk: Desk) -> Router {
    use axum::routing::{get, post};
    Router::new()
        .route("/metrics", get(metrics))
        .route("/connectors", get(connectors))
        .route("/connectors/{id}", get(connector))
        .route("/connectors/reload", post(reload))
        .with_state(desk)
}

/// Serves the operator's routes until the task is dropped.
///
/// # Errors
/// The listener failed.
pub async fn serve(listener: TcpListener, desk: Desk) -> io::Result<()> {
    axum::serve(listener, router(desk)).await
}

/// The store is out of reach.
struct Unavailable(StoreError);

impl From<StoreError> for Unavailable {
    fn from(error: StoreError) -> Self {
        Self(error)
    }
}

impl IntoResponse for Unavailable {
    fn into_response(self) -> Response {
        tracing::error!(error = %self.0, "the store is out of reach");
        told(
            StatusCode::SERVICE_UNAVAILABLE,
            "service_unavailable",
            "the store is out of reach",
        )
    }
}

fn told(status: StatusCode, error: &str, message: &str) -> Response {
    (status, Json(json!({ "error": error, "message": message }))).into_response()
}

async fn metrics(State(desk): State<Desk>) -> Result<Response, Unavailable> {
    let states = state::all(&desk.companies).await?;
    let companies = &desk.companies;
    let batches = companies.store().batches().backlog(companies.now()).await?;
    let backlogs = metrics::Backlogs::read(companies).await?;
    let text = metrics::text(
        &states,
        companies.connectors(),
        desk.search.progress(),
        batches,
        backlogs,
    );
    let content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, content_type)], text).into_response())
}

async fn connectors(State(desk): State<Desk>) -> Result<Json<Vec<ConnectorState>>, Unavailable> {
    Ok(Json(desk.states().await?))
}

async fn connector(
    State(desk): State<Desk>,
    Path(id): Path<String>,
) -> Result<Response, Unavailable> {
    let states = desk.states().await?;
    let found = states.into_iter().find(|state| state.id == id);
    Ok(match found {
        Some(state) => Json(state).into_response(),
        None => told(
            StatusCode::NOT_FOUND,
            "not_found",
            "there is no such connector",
        ),
    })
}

/// Takes up what changed, and tries again what was refused.
async fn reload(
    State(desk): State<Desk>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let order = match query.as_deref() {
        None | Some("" | "force=false") => Order::Again,
        Some("force=true") => Order::Force,
        Some(_) => {
            return told(
                StatusCode::UNPROCESSABLE_ENTITY,
                "validation_error",
                "a reload has one parameter: force, true or false",
            );
        }
    };
    if !headers.contains_key(HEADER) {
        let message = format!("a reload wants the header {HEADER}");
        return told(StatusCode::FORBIDDEN, "forbidden", &message);
    }
    // A caller who goes away does not stop it half-way.
    let reloader = desk.reloader.clone();
    match tokio::spawn(async move { reloader.step(order).await }).await {
        Ok(reloaded) => Json(reloaded).into_response(),
        Err(error) => {
            tracing::error!(%error, "the reload ended early");
            told(
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal_error",
                "the reload ended early; the log says why",
            )
        }
    }
}
