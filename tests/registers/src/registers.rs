//! The registers. Each has its own prefix and its own file.

mod administrators;
mod court_decisions;
mod crp;
mod crz;
mod data_portal;
mod datahub;
mod dovera;
mod eu_fsf;
pub(crate) mod fold;
pub(crate) mod fs;
mod fs_api;
mod fs_reports;
mod gleif;
mod ip;
mod itms21;
pub(crate) mod json;
mod licences;
mod lists;
mod nbs;
mod obcan_justice;
mod ofac;
mod orsr;
mod replik;
mod rpo;
mod rpo_dumps;
mod rpvs;
mod ruz;
mod sanctioned;
mod sheets;
mod socpoist;
mod svps;
mod ted;
mod union;
mod uvo;
mod vies;
mod vszp;

use std::sync::Arc;

use axum::Router;
use time::OffsetDateTime;
use time::macros::format_description;

use crate::World;

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
        .merge(lists::router())
        .merge(crz::router())
        .merge(data_portal::router())
        .merge(datahub::router())
        .merge(rpvs::router())
        .merge(obcan_justice::router())
        .merge(court_decisions::router())
        .merge(crp::router())
        .merge(itms21::router())
        .merge(nbs::router())
        .merge(ruz::router())
        .merge(replik::router())
        .merge(administrators::router())
        .merge(svps::router())
        .merge(ip::router())
        .merge(eu_fsf::router())
        .merge(ofac::router())
        .merge(ted::router())
        .merge(gleif::router())
        .merge(uvo::router())
}

/// A date in the format of HTTP headers.
fn http_date(moment: OffsetDateTime) -> String {
    let format = format_description!(
        "[weekday repr:short], [day] [month repr:short] [year] [hour]:[minute]:[second] GMT"
    );
    moment
        .format(&format)
        .expect("every part of the date is known")
}
