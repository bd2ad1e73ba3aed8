//! `/obcan-justice/…/spravca`: the ministry's list of insolvency administrators, in the assumed format.
//!
//! It shares the quirks of the ministry's other services: pages count from 1, contain fewer rows than
//! requested, and the answer's page number is one lower. Marks and IČO contain spaces in some rows, and unknown
//! values are left out.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::World;
use crate::population::Holder;
use crate::population::calendar::Dotted;
use crate::population::proceedings::{Administrator, listed};

/// Maximum number of rows on a page, whatever the request says.
const MAX_ROWS: usize = 10;

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new().route(
        "/obcan-justice/pilot/api/ress-isu-service/v1/spravca",
        get(list),
    )
}

#[derive(Debug, Deserialize)]
#[serde(default)]
struct Question {
    page: usize,
    size: usize,
}

impl Default for Question {
    fn default() -> Self {
        Self { page: 1, size: 20 }
    }
}

async fn list(State(world): State<Arc<World>>, Query(question): Query<Question>) -> Response {
    let answer = tokio::task::spawn_blocking(move || answer(&world, &question)).await;
    answer.map_or_else(
        |_| StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        |answer| Json(answer).into_response(),
    )
}

fn answer(world: &World, question: &Question) -> Value {
    let all = listed(&world.population, world.clock.day());
    let size = question.size.clamp(1, MAX_ROWS);
    let page = question.page.saturating_sub(1);
    let rows: Vec<Value> = all.iter().skip(page * size).take(size).map(row).collect();
    json!({
        "numFound": all.len(),
        "page": page,
        "size": size,
        "updateDate": Dotted(world.clock.today()).to_string(),
        "spravcaList": rows,
    })
}

fn row(one: &Administrator) -> Value {
    let is_odd = one.mark.ends_with(['1', '3', '5']);
    let mark = if is_odd {
        one.mark.replacen('S', "S ", 1)
    } else {
        one.mark.clone()
    };
    let spaced = |ico: &str| format!("{} {} {}", &ico[..2], &ico[2..5], &ico[5..]);
    let ico = one
        .ico()
        .map(|ico| if is_odd { spaced(ico) } else { ico.to_owned() });
    let (person, company) = match &one.holder {
        Holder::Person(person) => (Some(person), None),
        Holder::Company { name, .. } => (None, Some(name.clone())),
    };
    let titles = |titles: &[&str]| Some(titles.join(" ")).filter(|titles| !titles.is_empty());
    let state = match one.struck_off {
        Some(_) => "vyčiarknutý",
        None => "zapísaný",
    };
    let office = &one.office;
    let known = [
        ("znacka", Some(mark)),
        ("meno", person.map(|person| person.given.clone())),
        ("priezvisko", person.map(|person| person.family.clone())),
        (
            "titulPred",
            person.and_then(|person| titles(&person.prefixes)),
        ),
        (
            "titulZa",
            person.and_then(|person| titles(&person.postfixes)),
        ),
        ("obchodneMeno", company),
        ("ico", ico),
        ("datumZapisu", one.entered.map(|on| Dotted(on).to_string())),
        ("stav", Some(state.to_owned())),
        (
            "datumVyciarknutia",
            one.struck_off.map(|on| Dotted(on).to_string()),
        ),
    ];
    let mut row: Map<String, Value> = known
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?.into())))
        .collect();
    let address = json!({
        "ulica": office.street_line(),
        "obec": office.city,
        "psc": office.spaced_postal_code(),
    });
    row.insert("adresa".to_owned(), address);
    Value::Object(row)
}
