//! `/replik`: the register of insolvencies (`https://replik-ws.justice.sk`).

use std::sync::Arc;

use axum::Router;

use crate::World;

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new()
}
