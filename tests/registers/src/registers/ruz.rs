//! `/ruz`: the register of financial statements (`https://www.registeruz.sk/cruz-public`).
//!
//! Lists of ids, objects by id, templates and classifiers, and files. Members without a value are left out,
//! their order differs between objects, and an empty list has no member for the ids. An unknown id is a 404 of
//! JSON type without a body; an unknown path returns a page.

mod cells;
mod classifiers;
mod forms;
mod lists;
mod objects;
mod templates;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;
use serde_json::Value;

use crate::World;

const JSON: &str = "application/json; charset=UTF-8";

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new()
        .route("/ruz/api/uctovna-jednotka", get(unit))
        .route("/ruz/api/uctovna-zavierka", get(statement))
        .route("/ruz/api/uctovny-vykaz", get(report))
        .route("/ruz/api/vyrocna-sprava", get(annual_report))
        .route("/ruz/api/sablona", get(template))
        .route("/ruz/api/sablony", get(templates))
        .route("/ruz/api/{list}", get(list))
        .route("/ruz/api/zostavajuce-id/{list}", get(lists::remaining))
        .route("/ruz/domain/financialreport/{kind}/{id}", get(file))
}

/// Lists of ids and classifiers share one path level.
async fn list(
    State(world): State<Arc<World>>,
    Path(name): Path<String>,
    query: Query<lists::Question>,
) -> Response {
    match classifiers::classifier(&name) {
        Some(classifier) => json(&classifier),
        None => lists::ids(world, &name, query.0).await,
    }
}

#[derive(Debug, Deserialize)]
struct ById {
    id: Option<u64>,
}

async fn unit(State(world): State<Arc<World>>, Query(by): Query<ById>) -> Response {
    by_id(by.id, |id| objects::unit(&world, id))
}

async fn statement(State(world): State<Arc<World>>, Query(by): Query<ById>) -> Response {
    by_id(by.id, |id| objects::statement(&world, id))
}

async fn report(State(world): State<Arc<World>>, Query(by): Query<ById>) -> Response {
    by_id(by.id, |id| objects::report(&world, id))
}

/// No unit has filed an annual report.
async fn annual_report(Query(by): Query<ById>) -> Response {
    by_id(by.id, |_| None)
}

async fn template(Query(by): Query<ById>) -> Response {
    by_id(by.id, templates::template)
}

async fn templates() -> Response {
    json(&templates::all())
}

fn by_id(id: Option<u64>, object: impl FnOnce(u64) -> Option<Value>) -> Response {
    let Some(id) = id else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    match object(id) {
        Some(object) => json(&object),
        None => (StatusCode::NOT_FOUND, [(header::CONTENT_TYPE, JSON)]).into_response(),
    }
}

fn json(value: &Value) -> Response {
    ([(header::CONTENT_TYPE, JSON)], value.to_string()).into_response()
}

/// A placeholder for a printed or attached file.
async fn file(Path((kind, id)): Path<(String, u64)>) -> Response {
    if kind != "pdf" && kind != "attachment" {
        return unknown_path();
    }
    let text = format!("%PDF-1.4\n% {kind} {id}\n%%EOF\n");
    ([(header::CONTENT_TYPE, "application/pdf")], text).into_response()
}

/// The page for unknown paths.
fn unknown_path() -> Response {
    let page = "<!DOCTYPE html><html><body><h1>404</h1></body></html>";
    (StatusCode::NOT_FOUND, axum::response::Html(page)).into_response()
}
