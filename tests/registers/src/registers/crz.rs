//! `/crz`: the register of contracts (`https://www.crz.gov.sk`).

use std::sync::Arc;

use axum::Router;

use crate::World;

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new()
}
