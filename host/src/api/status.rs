//! Public resources about the service: `/status` and `/health`.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;

use super::App;
use super::error::{ApiError, Code, ErrorBody};
use super::parameters::NoQuery;
use crate::handlers::routes;
use crate::status::{Incidents, Status};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(status))
        .routes(routes!(incidents))
        .routes(routes!(health))
}

/// Get the state of the service and its sources.
#[utoipa::path(
    get,
    path = "/v1/status",
    tag = "Service",
    responses((status = 200, description = "The state.", body = Status), (status = 503, description = "The store is unavailable.", body = ErrorBody))
)]
async fn status(State(app): State<App>, _query: NoQuery) -> Result<Json<Status>, ApiError> {
    let status = Status::read(&app.context, &app.companies, app.started_at).await?;
    Ok(Json(status))
}

/// Get the recorded incidents of the sources.
///
/// An incident is a time in which a source was not operational or an import was late. A source that was never asked
/// has no incidents.
#[utoipa::path(
    get,
    path = "/v1/status/incidents",
    tag = "Service",
    responses((status = 200, description = "The incidents.", body = Incidents), (status = 503, description = "The store is unavailable.", body = ErrorBody))
)]
async fn incidents(State(app): State<App>, _query: NoQuery) -> Result<Json<Incidents>, ApiError> {
    let status = Status::read(&app.context, &app.companies, app.started_at).await?;
    Ok(Json(Incidents::read(&app.context, &status).await?))
}

/// Health of the service, for monitoring.
#[derive(Debug, Serialize, ToSchema)]
pub struct Health {
    /// Always `ok`; an unhealthy service responds with 503.
    status: &'static str,
    /// Conditions that an operator should look at: `disk_space_low`. Absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<&'static str>,
}

/// Check the health of the service.
#[utoipa::path(
    get,
    path = "/v1/health",
    tag = "Service",
    responses((status = 200, description = "The service is healthy.", body = Health), (status = 503, description = "The store is unavailable, or a background worker keeps failing.", body = ErrorBody))
)]
async fn health(State(app): State<App>) -> Result<Json<Health>, ApiError> {
    let failing = app.workers.failing();
    if !failing.is_empty() {
        let message = format!("background workers keep failing: {}", failing.join(", "));
        return Err(ApiError::new(Code::ServiceUnavailable, message).retry_after(5));
    }
    match app.context.store.ping().await {
        Ok(()) => {
            let low = app.disk.is_low().then_some("disk_space_low");
            Ok(Json(Health {
                status: "ok",
                warnings: low.into_iter().collect(),
            }))
        }
        Err(error) => {
            tracing::error!(%error, "health check failed: the store is unavailable");
            Err(ApiError::new(Code::ServiceUnavailable, "the store is out of reach").retry_after(5))
        }
    }
}
