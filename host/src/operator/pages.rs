//! Pages for operators: problems, queues, imports under way, sources, workers, and what can be done about them.
//!
//! They show what the other addresses of the operator return as JSON. On a loopback address they need no key.

mod accounts;
mod guard;
mod overview;
mod source;
mod texts;

use std::sync::LazyLock;

use askama::Template;
use axum::Router;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use time::OffsetDateTime;

use super::OperatorState;
use super::state::{CircuitState, ConnectorState, ServingState};
use crate::changes::Writer;
use crate::clock::rfc3339;
use crate::language::Language;
use crate::store::StoreError;
use crate::web;
use crate::web::Reader;
use texts::{Texts, texts};

/// The name of this machine; empty if it is unknown.
static MACHINE: LazyLock<String> = LazyLock::new(|| {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname");
    name.map_or_else(|_unknown| String::new(), |name| name.trim().to_owned())
});

/// The pages, behind the check of the key and of the origin of forms.
pub(super) fn routes(state: &OperatorState) -> Router<OperatorState> {
    Router::new()
        .route("/", get(overview::overview))
        .route("/sources/{id}", get(source::source))
        .route("/accounts", get(accounts::accounts))
        .route("/accounts/{id}", get(accounts::account))
        .route("/actions/reload", post(overview::reload))
        .route("/actions/clock", post(overview::confirm_clock))
        .route("/actions/workers/{name}", post(overview::restart))
        .layer(axum::middleware::from_fn(web::refuse_cross_site))
        .layer(axum::middleware::from_fn_with_state(
            state.clone(),
            guard::check_key,
        ))
        .layer(axum::middleware::map_response(web::with_headers))
        .route("/assets/{name}", get(web::asset))
}

/// What all pages have in common.
struct Frame {
    t: &'static Texts,
    title: String,
    /// Address of the page in the other language.
    switch: String,
    machine: &'static str,
    version: &'static str,
    started: String,
    now: String,
}

impl Frame {
    fn new(state: &OperatorState, reader: &Reader, title: &str) -> Self {
        let language = reader.language;
        Self {
            t: texts(language),
            title: title.to_owned(),
            switch: reader.switch.clone(),
            machine: MACHINE.as_str(),
            version: env!("CARGO_PKG_VERSION"),
            started: time_of(state.started_at, language),
            now: time_of(state.context.now(), language),
        }
    }

    fn style(&self) -> &'static str {
        &web::ASSETS.style
    }

    fn icon(&self) -> &'static str {
        &web::ASSETS.icon
    }

    fn live(&self) -> &'static str {
        &web::ASSETS.live
    }
}

/// Renders a page, which is stored nowhere.
fn page(reader: &Reader, status: StatusCode, template: &impl Template) -> Response {
    let rendered = web::page(status, template, reader.cookie());
    ([(header::CACHE_CONTROL, "no-store")], rendered).into_response()
}

/// The state of a connector in words, and whether it answers calls.
fn state_of(connector: &ConnectorState, t: &'static Texts) -> (&'static str, bool) {
    match connector.state {
        ServingState::Serving if connector.breaker == Some(CircuitState::Open) => {
            (t.circuit_open, false)
        }
        ServingState::Serving => (t.serving, true),
        ServingState::NotEnabled => (t.not_enabled, false),
        ServingState::Refused => (t.refused, false),
    }
}

/// A time for people, in UTC.
fn time_of(at: OffsetDateTime, language: Language) -> String {
    time_text(&rfc3339(at), language)
}

/// The same for a time as the API writes it; the text itself if it is none.
fn time_text(at: &str, language: Language) -> String {
    match (Writer { language }).date(at) {
        Some(text) => format!("{text} UTC"),
        None => at.to_owned(),
    }
}

/// Why there is no page.
enum Problem {
    NoSuchSource,
    NoSuchWorker,
    NoSuchAccount,
    ReloadFailed,
    Store(StoreError),
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let (status, message) = match self {
            Self::NoSuchSource => (StatusCode::NOT_FOUND, "there is no such connector"),
            Self::NoSuchWorker => (StatusCode::NOT_FOUND, "there is no such worker"),
            Self::NoSuchAccount => (StatusCode::NOT_FOUND, "there is no such account"),
            Self::ReloadFailed => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "the reload failed; see the log",
            ),
            Self::Store(error) => {
                tracing::error!(%error, "a page for operators failed: the store is unavailable");
                (
                    StatusCode::SERVICE_UNAVAILABLE,
                    "the store is unavailable; see the log and /metrics",
                )
            }
        };
        (status, message).into_response()
    }
}
