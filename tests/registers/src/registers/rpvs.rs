//! `/rpvs`: the register of public sector partners (`https://rpvs.gov.sk/opendatav2`).

use std::sync::Arc;

use axum::Router;

use crate::World;

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new()
}
