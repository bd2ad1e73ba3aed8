//! `/obcan-justice`: the register of execution authorizations (`https://obcan.justice.sk`).

use std::sync::Arc;

use axum::Router;

use crate::World;

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new()
}
