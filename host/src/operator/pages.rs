//! Pages for operators: problems, queues, imports under way, sources, workers, and what can be done about them.
//!
//! They show what the other addresses of the operator return as JSON. On a loopback address they need no key.

mod accounts;
mod audit;
mod guard;
mod ledger;
mod lists;
mod overview;
mod own_lists;
mod problem;
mod queue_plots;
mod source;
mod texts;
mod versions;

use askama::Template;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use time::OffsetDateTime;

use super::state::{CircuitState, ConnectorState, ServingState};
use super::{MACHINE, OperatorState};
use crate::changes::Writer;
use crate::clock::rfc3339;
use crate::handlers::{any_handler, get, post};
use crate::language::Language;
use crate::web;
use crate::web::{Reader, number};
use problem::Problem;
use texts::{Texts, texts};

/// The pages, behind the check of the key and of the origin of forms.
pub(super) fn routes(state: &OperatorState) -> Router<OperatorState> {
    Router::new()
        .route("/", get(overview::overview))
        .route("/sources/{id}", get(source::source))
        .merge(of_source())
        .route("/accounts", get(accounts::accounts))
        .route("/accounts/{id}", get(accounts::account))
        .route("/ledger", get(ledger::ledger))
        .route("/audit", get(audit::audit))
        .route("/audit.csv", get(audit::csv))
        .route("/actions/reload", post(overview::reload))
        .route("/actions/clock", post(overview::confirm_clock))
        .route("/actions/ledger", post(ledger::start))
        .route("/actions/workers/{name}", post(overview::restart))
        .fallback(any_handler(problem::no_such_page))
        .layer(axum::middleware::from_fn(web::refuse_cross_site))
        .layer(axum::middleware::from_fn_with_state(
            state.clone(),
            guard::check_key,
        ))
        .layer(axum::middleware::from_fn(problem::pages))
        .layer(axum::middleware::map_response(web::with_headers))
        .route("/assets/{name}", get(web::asset))
}

/// The forms of a source.
fn of_source() -> Router<OperatorState> {
    let of_list = |action: &str| format!("/sources/{{id}}/lists/{{dataset}}{action}");
    Router::new()
        .route(&of_list(""), post(lists::send))
        // The form with a file has a limit of its own.
        .layer(DefaultBodyLimit::disable())
        .route(&of_list("/take"), post(lists::take))
        .route(&of_list("/discard"), post(lists::discard))
        .route(&of_list("/previous"), post(lists::take_back))
        .route("/sources/{id}/version/take-back", post(versions::take_back))
        .route("/sources/{id}/version/release", post(versions::release))
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
            machine: MACHINE.as_str(),
            version: env!("CARGO_PKG_VERSION"),
            started: time_of(state.started_at, language),
            now: time_of(state.context.now(), language),
            ..Self::bare(reader, title)
        }
    }

    /// The frame of a page that says nothing about the host.
    fn bare(reader: &Reader, title: &str) -> Self {
        // The answer to a form has no address of its own; the overview is the same for every form.
        let switch = match reader.switch.split_once('?') {
            Some((path, query)) if !path.is_empty() => format!("/?{query}"),
            _ => reader.switch.clone(),
        };
        Self {
            t: texts(reader.language),
            title: title.to_owned(),
            switch,
            machine: "",
            version: "",
            started: String::new(),
            now: String::new(),
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

fn whole(count: u64, language: Language) -> String {
    number(i64::try_from(count).unwrap_or(i64::MAX), language)
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
