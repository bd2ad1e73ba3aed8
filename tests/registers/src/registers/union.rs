//! `/union`: the API behind a health insurer's debtor list (`https://portal.unionzp.sk`).
//!
//! It requires the portal's credentials, which are `demo` and `demo` in the simulator.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};

use super::fold::fold;
use crate::World;
use crate::population::{Company, DebtorList};
use crate::selections::Selection;

/// The credentials `demo:demo` in Base64.
const CREDENTIALS: &str = "Basic ZGVtbzpkZW1v";
const MAX_ROWS: usize = 1_000;

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new().route("/union/ehip-server/rest/debtors", post(debtors))
}

#[derive(Debug, Deserialize)]
struct SearchQuery {
    #[serde(default)]
    start: usize,
    count: usize,
    #[serde(default, rename = "vyhladavaciRetazec")]
    text: String,
}

async fn debtors(State(world): State<Arc<World>>, headers: HeaderMap, body: Bytes) -> Response {
    let given = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok());
    if given != Some(CREDENTIALS) {
        return (
            StatusCode::UNAUTHORIZED,
            [(header::WWW_AUTHENTICATE, "Basic realm=\"ehip\"")],
        )
            .into_response();
    }
    let Ok(asked) = serde_json::from_slice::<SearchQuery>(&body) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let answer = tokio::task::spawn_blocking(move || answer(&world, &asked)).await;
    answer.map_or_else(
        |_| StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        |answer| Json(answer).into_response(),
    )
}

fn answer(world: &World, asked: &SearchQuery) -> Value {
    let indexes = world
        .selections
        .get(world, Selection::Debtors(DebtorList::Union));
    let day = world.clock.day();
    let part = fold(asked.text.trim());
    let company = |index: &u32| world.population.company(*index, day);
    let (all, page): (usize, Vec<Company>) = if part.is_empty() {
        let rest = indexes.get(asked.start..).unwrap_or_default();
        (
            indexes.len(),
            rest.iter()
                .take(asked.count.min(MAX_ROWS))
                .map(company)
                .collect(),
        )
    } else {
        let is_hit = |company: &Company| {
            company.ico == part
                || fold(company.name()).contains(&part)
                || fold(company.seat().city).contains(&part)
        };
        let hits: Vec<Company> = indexes.iter().map(company).filter(is_hit).collect();
        (
            hits.len(),
            hits.into_iter()
                .skip(asked.start)
                .take(asked.count.min(MAX_ROWS))
                .collect(),
        )
    };
    json!({"totalRows": all, "rows": page.iter().filter_map(row).collect::<Vec<_>>()})
}

/// The amount is a text with a comma in some rows and a number in others.
fn row(company: &Company) -> Option<Value> {
    let amount = company.debt(DebtorList::Union)?;
    let seat = company.seat();
    let number = amount
        .number()
        .parse::<serde_json::Number>()
        .ok()
        .filter(|_| company.index % 4 == 2);
    Some(json!({
        "dlznikId": 500 + company.index,
        "rplNazov": company.name(),
        "rplIco": company.ico,
        "suma": number.map_or_else(|| Value::from(amount.comma(' ')), Value::Number),
        "typZs": if company.index.is_multiple_of(2) { "Plný rozsah" } else { "Neodkladná ZS" },
        "obec": seat.city,
        "pscCislo": seat.postal_code(),
        "ulicaCislo": seat.street_line(),
    }))
}
