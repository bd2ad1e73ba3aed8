//! `/nbs`: the subjects that the national bank supervises (`https://subjekty.nbs.sk`).

use std::sync::Arc;

use axum::Router;

use crate::World;

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new()
}
