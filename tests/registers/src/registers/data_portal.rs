//! `/data-portal`: the national portal of open data (`https://data.slovensko.sk`), as far as it has the procurement journal.

use std::sync::Arc;

use axum::Router;

use crate::World;

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new()
}
