//! Taking the version of a connector back, and releasing it.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};

use super::{Problem, source};
use crate::operator::OperatorState;
use crate::operator::actions::Actor;

/// `POST /sources/{id}/version/take-back`.
pub(super) async fn take_back(
    State(state): State<OperatorState>,
    Path(id): Path<String>,
    actor: Actor,
) -> Result<Response, Problem> {
    state.take_back_by(&actor, &id).await?;
    Ok(Redirect::to(&source::address(&id, "taken-back")).into_response())
}

/// `POST /sources/{id}/version/release`.
pub(super) async fn release(
    State(state): State<OperatorState>,
    Path(id): Path<String>,
    actor: Actor,
) -> Result<Response, Problem> {
    state.release_by(&actor, &id).await?;
    Ok(Redirect::to(&source::address(&id, "released")).into_response())
}
