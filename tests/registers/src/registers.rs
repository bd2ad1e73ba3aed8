//! The registers, each under a prefix of its own and in a file of its own.

mod crz;
mod data_portal;
mod datahub;
mod dovera;
mod fold;
pub(crate) mod fs;
mod fs_api;
mod fs_reports;
pub(crate) mod json;
mod licences;
mod nbs;
mod obcan_justice;
mod orsr;
mod replik;
mod rpo;
mod rpo_dumps;
mod rpvs;
mod ruz;
mod sheets;
mod socpoist;
mod union;
mod uvo;
mod vies;
mod vszp;

use std::sync::Arc;

use axum::Router;
use time::OffsetDateTime;
use time::macros::format_description;

use crate::World;

/// All registers.
pub(crate) fn router() -> Router<Arc<World>> {
    Router::new()
        .merge(rpo::router())
        .merge(rpo_dumps::router())
        .merge(orsr::router())
        .merge(fs_reports::router())
        .merge(fs_api::router())
        .merge(vies::router())
        .merge(socpoist::router())
        .merge(vszp::router())
        .merge(union::router())
        .merge(dovera::router())
        .merge(licences::router())
        .merge(crz::router())
        .merge(data_portal::router())
        .merge(datahub::router())
        .merge(rpvs::router())
        .merge(obcan_justice::router())
        .merge(nbs::router())
        .merge(ruz::router())
        .merge(replik::router())
        .merge(uvo::router())
}

/// A date as headers have it.
fn http_date(moment: OffsetDateTime) -> String {
    let format = format_description!(
        "[weekday repr:short], [day] [month repr:short] [year] [hour]:[minute]:[second] GMT"
    );
    moment
        .format(&format)
        .expect("every part of the date is known")
}
