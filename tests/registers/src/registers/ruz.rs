//! `/ruz`: the register of financial statements (`https://www.registeruz.sk/cruz-public`).

use std::sync::Arc;

use axum::Router;

use crate::World;

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new()
}
