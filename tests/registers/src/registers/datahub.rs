//! `/datahub`: a mirror of registers (`https://datahub.ekosystem.slovensko.digital`), limited to the commercial
//! bulletin.
//!
//! `GET /datahub/api/data/ov/raw_issues/sync?since=…&last_id=…` returns the files of the bulletin ordered by last
//! change and id, a hundred per page. The `Link` to the next page has values in single quotes and the public address.
//! `/{id}` returns one file. The path `or_podanie_issues` returns the parsed entries of the commercial register in the
//! same way.

mod content;
mod entry;
mod rows;

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::World;
use rows::Table;

/// The public address of the service.
const PUBLIC: &str = "https://datahub.ekosystem.slovensko.digital/api/data/ov";
/// Rows of a page.
const PAGE: usize = 100;
/// The allowed requests per minute in headers. The simulator does not enforce it.
const ALLOWED: &str = "60";

pub(crate) fn router() -> Router<Arc<World>> {
    let table = |table: Table| {
        let path = format!("/datahub/api/data/ov/{}", table.name());
        let many = get(move |world, asked| sync(world, asked, table));
        let single = get(move |world, id| one(world, id, table));
        Router::new()
            .route(&format!("{path}/sync"), many)
            .route(&format!("{path}/{{id}}"), single)
    };
    table(Table::Files).merge(table(Table::Entries))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SyncQuery {
    since: String,
    last_id: Option<u64>,
    only_ids: Option<String>,
}

async fn sync(
    State(world): State<Arc<World>>,
    Query(asked): Query<SyncQuery>,
    table: Table,
) -> Response {
    let page = tokio::task::spawn_blocking(move || page(&world, table, &asked)).await;
    let Ok((rows, next)) = page else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let mut headers = rate();
    if let Some(next) = next.and_then(|next| HeaderValue::from_str(&next).ok()) {
        headers.insert(header::LINK, next);
    }
    (headers, Json(rows)).into_response()
}

fn page(world: &World, table: Table, asked: &SyncQuery) -> (Vec<Value>, Option<String>) {
    let public = format!("{PUBLIC}/{}", table.name());
    let behind = rows::behind(world, table, &asked.since, asked.last_id, PAGE + 1);
    let next = behind.get(PAGE - 1).filter(|_| behind.len() > PAGE);
    let next = next.map(|last| {
        let since = last.updated_at().replace(':', "%3A");
        format!(
            "<{public}/sync?last_id={}&since={since}>; rel='next'",
            last.id
        )
    });
    let rows = behind.iter().take(PAGE).map(|row| {
        if asked.only_ids.as_deref() == Some("true") {
            json!({"id": row.id, "updated_at": row.updated_at(), "resource_url": format!("{public}/{}", row.id)})
        } else {
            row.written(world)
        }
    });
    (rows.collect(), next)
}

async fn one(State(world): State<Arc<World>>, Path(id): Path<u64>, table: Table) -> Response {
    let found = tokio::task::spawn_blocking(move || {
        rows::of_id(&world, table, id).map(|row| row.written(&world))
    })
    .await;
    match found {
        Ok(Some(row)) => (rate(), Json(row)).into_response(),
        Ok(None) => (StatusCode::NOT_FOUND, Json(json!({"error": "not_found"}))).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

fn rate() -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in [
        ("x-ratelimit-limit", ALLOWED),
        ("x-ratelimit-remaining", "59"),
        ("x-ratelimit-reset", "4102444800"),
    ] {
        headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    headers
}
