//! `/datahub`: a mirror of registers (`https://datahub.ekosystem.slovensko.digital`), as far as it has the commercial bulletin.

use std::sync::Arc;

use axum::Router;

use crate::World;

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new()
}
