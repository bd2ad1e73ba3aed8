//! `/data-portal`: the national portal of open data (`https://data.slovensko.sk`), limited to the procurement journal.
//!
//! `POST /datasets/search` lists a publisher's datasets in pages, newest first. `GET /download?id=…` returns the file
//! of an issue, which it declares as CSV. File addresses are those of the real portal, in one of two members. Files
//! with even numbers begin with a byte order mark.

mod notice;
mod xml;

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::World;
use crate::population::calendar::Iso;
use crate::population::tenders::{self, Issue};

const PUBLISHER: &str = "https://data.gov.sk/id/legal-subject/31797903";
const ADDRESS: &str = "https://data.slovensko.sk";

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new()
        .route("/data-portal/datasets/search", post(search))
        .route("/data-portal/download", get(download))
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Question {
    page: usize,
    page_size: usize,
    #[serde(default)]
    query: String,
    #[serde(default)]
    filters: Filters,
}

#[derive(Debug, Default, Deserialize)]
struct Filters {
    #[serde(default)]
    publishers: Vec<String>,
}

async fn search(State(world): State<Arc<World>>, Json(question): Json<Question>) -> Response {
    if question.page == 0 || question.page_size == 0 {
        let error = json!({ "error": "page and pageSize begin with 1" });
        return (StatusCode::BAD_REQUEST, Json(error)).into_response();
    }
    let is_meant = question.query == "Vestník"
        && question
            .filters
            .publishers
            .iter()
            .any(|publisher| publisher == PUBLISHER);
    let mut all: Vec<Value> = Vec::new();
    if is_meant {
        let issues = tenders::issues(&world.population, world.clock.day());
        all.extend(issues.iter().rev().map(dataset));
        // The publisher has other datasets too.
        all.insert(3.min(all.len()), other());
    }
    let total = all.len();
    let page: Vec<Value> = all
        .into_iter()
        .skip((question.page - 1).saturating_mul(question.page_size))
        .take(question.page_size)
        .collect();
    Json(json!({ "items": page, "totalCount": total })).into_response()
}

fn dataset(issue: &Issue) -> Value {
    let name = format!("Vestník {}/{}", issue.number, issue.published.year());
    let url = format!("{ADDRESS}/download?id={}", file_id(issue));
    let member = if issue.number.is_multiple_of(7) {
        "accessUrl"
    } else {
        "downloadUrl"
    };
    json!({ "id": format!("vestnik-{}", file_id(issue)), "name": name, "distributions": [{ member: url }] })
}

fn other() -> Value {
    json!({
        "id": "ciselnik",
        "name": "Číselník foriem oznámení",
        "distributions": [{ "downloadUrl": format!("{ADDRESS}/download?id=ciselnik") }],
    })
}

fn file_id(issue: &Issue) -> String {
    format!(
        "00000000-0000-4000-9000-{:04}{:08}",
        issue.published.year(),
        issue.number
    )
}

#[derive(Debug, Deserialize)]
struct File {
    id: String,
}

async fn download(State(world): State<Arc<World>>, Query(file): Query<File>) -> Response {
    let issues = tenders::issues(&world.population, world.clock.day());
    let Some(issue) = issues.iter().find(|issue| file_id(issue) == file.id) else {
        return (StatusCode::NOT_FOUND, "Not Found").into_response();
    };
    let text = written(&world, issue).to_string();
    let mark = if issue.number.is_multiple_of(2) {
        "\u{feff}"
    } else {
        ""
    };
    let headers = [(header::CONTENT_TYPE, "text/csv")];
    (headers, format!("{mark}{text}")).into_response()
}

fn written(world: &World, issue: &Issue) -> Value {
    let notices = tenders::notices(&world.population, issue);
    let items: Vec<Value> = notices
        .iter()
        .map(|notice| {
            let text = if notice.is_xml {
                xml::written(&world.population, notice, issue)
            } else {
                notice::written(&world.population, notice, issue).to_string()
            };
            json!({ "itemData": text })
        })
        .collect();
    json!({
        "bulletinPublishDate": format!("{}T00:00:00", Iso(issue.published)),
        "year": issue.published.year(),
        "number": issue.number,
        "bulletinItemList": items,
    })
}
