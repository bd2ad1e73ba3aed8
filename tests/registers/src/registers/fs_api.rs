//! `/fs-api`: the tax authority's API (`https://iz.opendata.financnasprava.sk/api`).
//!
//! A page that does not exist and a search without results both return 404 with the same body.

use std::sync::Arc;

use axum::extract::{Path, Query, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::fold::fold;
use super::fs::{List, Row, foreign_rows, rows};
use crate::World;
use crate::population::calendar::Iso;
use crate::population::identifiers::VatOwner;

const KEY: &str = "demo-key";
const PAGE: usize = 1_000;
const SHORTEST_SEARCH: usize = 5;

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new()
        .route("/fs-api/lists", get(lists))
        .route("/fs-api/lists/{slug}", get(list))
        .route("/fs-api/data/{slug}", get(page))
        .route("/fs-api/data/{slug}/search", get(search))
        .route_layer(middleware::from_fn(with_key))
}

async fn with_key(request: Request, next: Next) -> Response {
    let key = request
        .headers()
        .get("key")
        .and_then(|key| key.to_str().ok());
    if key == Some(KEY) {
        next.run(request).await
    } else {
        failure(StatusCode::UNAUTHORIZED, "Invalid API key")
    }
}

fn failure(status: StatusCode, message: &str) -> Response {
    let body = json!({"status": "error", "code": status.as_str(), "message": message});
    (status, Json(body)).into_response()
}

fn miss() -> Response {
    failure(StatusCode::NOT_FOUND, "Page doesn't exists")
}

fn description(world: &World, list: List) -> Value {
    json!({
        "name": list.title(),
        "slug": list.slug(),
        "url": format!("https://report.financnasprava.sk/{}.zip", list.slug()),
        "update_date": format!("{} 05:30:02", Iso(world.clock.today())),
        "searchable": list.searchable(),
    })
}

async fn lists(State(world): State<Arc<World>>) -> Json<Vec<Value>> {
    Json(
        List::ALL
            .into_iter()
            .map(|list| description(&world, list))
            .collect(),
    )
}

async fn list(State(world): State<Arc<World>>, Path(slug): Path<String>) -> Response {
    match List::parse(&slug) {
        Some(list) => Json(description(&world, list)).into_response(),
        None => failure(StatusCode::NOT_FOUND, "List not found"),
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SearchQuery {
    page: Option<String>,
    column: Option<String>,
    search: Option<String>,
}

impl SearchQuery {
    /// The page, counted from 1.
    fn page(&self) -> Option<usize> {
        self.page
            .as_deref()
            .map_or(Some(1), |page| page.parse().ok().filter(|page| *page > 0))
    }
}

async fn page(
    State(world): State<Arc<World>>,
    Path(slug): Path<String>,
    Query(asked): Query<SearchQuery>,
) -> Response {
    let Some(list) = List::parse(&slug) else {
        return failure(StatusCode::NOT_FOUND, "List not found");
    };
    let Some(number) = asked.page() else {
        return failure(StatusCode::BAD_REQUEST, "Page must be a number");
    };
    blocking(move || answer_page(&world, list, number)).await
}

/// Pages count rows, and a company with several accounts has several rows.
fn answer_page(world: &World, list: List, number: usize) -> Response {
    let companies = list.companies(world);
    let foreign = if list == List::Registered {
        foreign_rows(&world.population)
    } else {
        Vec::new()
    };
    let company_rows = |index: &u32| {
        rows(
            list,
            &world.population.company(*index, world.clock.day()),
            world.population.seed(),
        )
    };
    let wanted = (number - 1) * PAGE..number * PAGE;
    let mut data = Vec::new();
    let count = if list.has_several_rows() {
        let mut count = 0;
        for row in companies.iter().flat_map(company_rows) {
            if wanted.contains(&count) {
                data.push(row);
            }
            count += 1;
        }
        count
    } else {
        let own = companies.len();
        let from_companies = wanted.start.min(own)..wanted.end.min(own);
        data.extend(companies[from_companies].iter().flat_map(company_rows));
        let all = own + foreign.len();
        let from_foreign = wanted.start.clamp(own, all) - own..wanted.end.clamp(own, all) - own;
        data.extend_from_slice(&foreign[from_foreign]);
        all
    };
    if data.is_empty() {
        miss()
    } else {
        envelope(list, number, count, &data)
    }
}

async fn search(
    State(world): State<Arc<World>>,
    Path(slug): Path<String>,
    Query(asked): Query<SearchQuery>,
) -> Response {
    let Some(list) = List::parse(&slug) else {
        return failure(StatusCode::NOT_FOUND, "List not found");
    };
    let (Some(number), Some(column), Some(text)) = (asked.page(), asked.column, asked.search)
    else {
        return failure(
            StatusCode::BAD_REQUEST,
            "Parameters column and search are required",
        );
    };
    if !list
        .searchable()
        .split(',')
        .any(|searchable| searchable == column)
    {
        return failure(StatusCode::BAD_REQUEST, "Column is not searchable");
    }
    if text.chars().count() < SHORTEST_SEARCH {
        return failure(
            StatusCode::BAD_REQUEST,
            "Search must have at least 5 characters",
        );
    }
    blocking(move || answer_search(&world, list, &column, &text, number)).await
}

fn answer_search(world: &World, list: List, column: &str, text: &str, number: usize) -> Response {
    let population = &world.population;
    let company_rows = |index: u32| {
        rows(
            list,
            &population.company(index, world.clock.day()),
            population.seed(),
        )
    };
    let found: Vec<Row> = match column {
        "ico" => population
            .by_ico(text)
            .map(company_rows)
            .unwrap_or_default(),
        "ic_dph" => match population.vat_owner(text.trim_start_matches("SK")) {
            Some(VatOwner::Company(index) | VatOwner::Group(index)) => company_rows(index),
            Some(VatOwner::Foreign(_)) if list == List::Registered => foreign_rows(population),
            Some(VatOwner::Foreign(_)) | None => Vec::new(),
        },
        _ => list
            .companies(world)
            .iter()
            .flat_map(|index| company_rows(*index))
            .collect(),
    };
    let place = list
        .columns()
        .iter()
        .position(|name| name.eq_ignore_ascii_case(column))
        .unwrap_or(0);
    let is_hit = |row: &Row| {
        let value = row[place].as_deref().unwrap_or_default();
        if list == List::Debtors {
            fold(value).contains(&fold(text))
        } else {
            value == text
        }
    };
    let hits: Vec<Row> = found.into_iter().filter(is_hit).collect();
    let page: Vec<Row> = hits
        .iter()
        .skip((number - 1) * PAGE)
        .take(PAGE)
        .cloned()
        .collect();
    if page.is_empty() {
        miss()
    } else {
        envelope(list, number, hits.len(), &page)
    }
}

fn envelope(list: List, page: usize, count: usize, rows: &[Row]) -> Response {
    let keys: Vec<String> = list
        .columns()
        .iter()
        .map(|column| column.to_lowercase())
        .collect();
    let object = |row: &Row| {
        Value::Object(
            keys.iter()
                .cloned()
                .zip(row.iter().cloned().map(Value::from))
                .collect::<Map<_, _>>(),
        )
    };
    let data: Vec<Value> = rows.iter().map(object).collect();
    Json(json!({
        "page": page,
        "pages": count.div_ceil(PAGE),
        "itemsCount": count,
        "itemsPerPage": PAGE,
        "data": data,
    }))
    .into_response()
}

async fn blocking(answer: impl FnOnce() -> Response + Send + 'static) -> Response {
    let answer = tokio::task::spawn_blocking(answer).await;
    answer.unwrap_or_else(|_| {
        (
            StatusCode::INTERNAL_SERVER_ERROR,
            [(header::CONNECTION, "close")],
        )
            .into_response()
    })
}
