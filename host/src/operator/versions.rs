//! JSON calls that roll the version of a connector back and release it.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};

use super::actions::Actor;
use super::{OperatorState, reply, with_header};
use crate::connectors::reload::TakeBackError;

/// Lets the version of a connector before serve again.
pub(super) async fn take_back(
    State(state): State<OperatorState>,
    Path(id): Path<String>,
    actor: Actor,
    headers: HeaderMap,
) -> Response {
    if let Err(refused) = with_header(&headers, "taking a version back") {
        return *refused;
    }
    match state.take_back_by(&actor, &id).await {
        Ok(taken) => Json(taken).into_response(),
        Err(error) => version_unchanged(error),
    }
}

/// Releases the version of a connector that was taken back, and loads it.
pub(super) async fn release(
    State(state): State<OperatorState>,
    Path(id): Path<String>,
    actor: Actor,
    headers: HeaderMap,
) -> Response {
    if let Err(refused) = with_header(&headers, "releasing a version") {
        return *refused;
    }
    match state.release_by(&actor, &id).await {
        Ok(reloaded) => Json(reloaded).into_response(),
        Err(error) => version_unchanged(error),
    }
}

fn version_unchanged(error: TakeBackError) -> Response {
    let (status, code) = match error {
        TakeBackError::NotServing
        | TakeBackError::NoEarlierVersion
        | TakeBackError::Changed
        | TakeBackError::NotHeld
        | TakeBackError::TooManyHeld => (StatusCode::CONFLICT, "conflict"),
        TakeBackError::NotSaved => (StatusCode::INSUFFICIENT_STORAGE, "not_saved"),
    };
    reply(status, code, &error.to_string())
}
