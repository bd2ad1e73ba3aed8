//! Pages of an account: sign-in, and what its people and keys may see and do.
//!
//! A page takes a [`session::Session`], calls the API for it with [`session::Session::get`] and
//! [`session::Session::send`], and answers with [`session::Session::page`] or, after a change,
//! [`session::Session::redirect`]. The API decides what the session may do.

mod answer;
mod attempt;
mod cookie;
mod deliveries;
mod delivery_log;
mod files;
mod form;
mod frame;
mod imports;
mod keys;
mod ledger;
mod overview;
mod people;
mod plan;
pub(super) mod session;
mod shown;
mod sign_in;
mod texts;
mod texts_log;
mod upload;
mod watched;
mod watching;

use axum::Router;
use axum::extract::DefaultBodyLimit;

pub(crate) use form::refuse_cross_site;
pub(crate) use shown::number;

use super::Web;
use crate::context::Context;
use crate::handlers::{get, post};
use crate::worker::{self, SWEEP_BATCH};

/// The routes below `/account`. Requests from other sites change nothing.
pub(super) fn routes() -> Router<Web> {
    Router::new()
        .route("/account", get(overview::overview))
        .route("/account/alerts", post(overview::set_alerts))
        .route("/account/language", post(overview::set_language))
        .merge(keys_and_people())
        .merge(watching_and_files())
        .route("/account/ledger", get(ledger::ledger))
        .route("/account/ledger.csv", get(ledger::csv))
        .route("/account/plan", get(plan::plan))
        .route(
            "/account/plan/credits",
            get(plan::compare).merge(post(plan::move_to_credits)),
        )
        .route(
            "/account/try",
            get(attempt::form).merge(post(attempt::call)),
        )
        .route("/account/sign-in", get(sign_in::form))
        .route("/account/sign-in/email", post(sign_in::by_email))
        .route("/account/sign-in/key", post(sign_in::by_key))
        .route(
            "/account/sign-in/link",
            get(sign_in::link).merge(post(sign_in::by_link)),
        )
        .route(
            "/account/choose",
            get(sign_in::choices).merge(post(sign_in::choose)),
        )
        .route("/account/sign-out", post(sign_in::sign_out))
        .route(
            "/account/sign-out/everywhere",
            post(sign_in::sign_out_everywhere),
        )
        .layer(axum::middleware::from_fn(refuse_cross_site))
}

fn keys_and_people() -> Router<Web> {
    Router::new()
        .route("/account/keys", get(keys::list).merge(post(keys::create)))
        .route(
            "/account/keys/{key_id}",
            get(keys::show).merge(post(keys::change)),
        )
        .route("/account/keys/{key_id}/rotate", post(keys::rotate))
        .route("/account/keys/{key_id}/revoke", post(keys::revoke))
        .route(
            "/account/people",
            get(people::list).merge(post(people::invite)),
        )
        .route("/account/people/{member_id}", post(people::change))
        .route("/account/people/{member_id}/remove", post(people::remove))
        .route(
            "/account/people/{member_id}/invitation",
            post(people::invite_again),
        )
}

fn watching_and_files() -> Router<Web> {
    let of_company = |action: &str| format!("/account/watching/{{ico}}/{action}");
    // Forms with files have limits of their own.
    let uploads = Router::new()
        .route(
            "/account/watching",
            get(watching::list).merge(post(watching::watch)),
        )
        .route("/account/files", get(files::list).merge(post(files::send)))
        .layer(DefaultBodyLimit::disable());
    Router::new()
        .merge(uploads)
        .route("/account/watching/test", post(watching::test))
        .route("/account/watching/imports/{import_id}", get(imports::show))
        .route(
            "/account/watching/imports/{import_id}/report.csv",
            get(imports::csv),
        )
        .route(
            "/account/watching/{ico}",
            get(watched::show).merge(post(watched::change)),
        )
        .route(&of_company("end"), post(watched::end))
        .route(&of_company("pause"), post(watched::pause))
        .route(&of_company("resume"), post(watched::resume))
        .route(&of_company("secret"), post(watched::rotate))
        .route(&of_company("resend"), post(watched::resend))
        .route("/account/deliveries", get(delivery_log::list))
        .route("/account/deliveries/resend", post(delivery_log::resend))
        .route("/account/deliveries/{delivery_id}", get(deliveries::show))
        .route(
            "/account/deliveries/{delivery_id}/resend",
            post(deliveries::resend),
        )
        .route("/account/events", get(deliveries::events))
        .route("/account/files/{batch_id}", get(files::show))
        .route("/account/files/{batch_id}/results", get(files::results))
}

/// Worker loop that deletes expired sessions and links.
pub async fn sweep_sessions(context: Context) {
    let context = &context;
    worker::sweep("expired sessions", move || async move {
        let now = context.now();
        let since = session::used_since(&context.config().web, now);
        let sessions = context.store.sessions();
        sessions.sweep(SWEEP_BATCH, since, now).await
    })
    .await;
}
