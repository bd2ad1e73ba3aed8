//! `/itms21`: the open data API of European funds (`https://api.itms21.sk`).
//!
//! Lists are paged by `minId` and `limit` (-1: everything); a project and a contract have a detail. Contracts are
//! listed for one procurement only. Moments are milliseconds of local midnights. Members without a value are left out
//! of projects with an even id and null in others. A firewall in front of the API blocks some details. The real
//! register has only announced the lists of irregularities and receivables.

mod debts;
mod procurement;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use time::{Date, Duration, Month, Time};

use crate::World;
use crate::population::funds::{
    Application, Call, FundsProject, applications, by_id, owners, projects,
};
use crate::population::{Company, Money, Population};

const BASE: &str = "/itms21/public/v1";

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new()
        .route(&format!("{BASE}/projekt"), get(project_list))
        .route(&format!("{BASE}/projekt/id/{{id}}"), get(detail))
        .route(&format!("{BASE}/zonfp"), get(application_list))
        .merge(debts::router())
        .merge(procurement::router())
}

/// The parameters of a list.
#[derive(Debug, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Question {
    limit: i64,
    min_id: u64,
}

impl Default for Question {
    fn default() -> Self {
        Self {
            limit: 10,
            min_id: 0,
        }
    }
}

async fn project_list(
    State(world): State<Arc<World>>,
    Query(question): Query<Question>,
) -> Response {
    page(world, question, "results", |population, company| {
        let own = projects(population, company);
        let row = |one: &FundsProject| (u64::from(one.id), project_row(population, company, one));
        own.iter().map(row).collect()
    })
    .await
}

async fn application_list(
    State(world): State<Arc<World>>,
    Query(question): Query<Question>,
) -> Response {
    page(world, question, "results", |population, company| {
        let own = applications(population, company);
        let row =
            |one: &Application| (u64::from(one.id), application_row(population, company, one));
        own.iter().map(row).collect()
    })
    .await
}

/// The page of a list, made from the rows of each company with their ids. Lists differ in the name of the array.
async fn page(
    world: Arc<World>,
    question: Question,
    array: &'static str,
    rows: fn(&Population, &Company) -> Vec<(u64, Value)>,
) -> Response {
    let listed = tokio::task::spawn_blocking(move || {
        let population = &world.population;
        let mut all: Vec<(u64, Value)> = owners(population, world.clock.day())
            .flat_map(|company| rows(population, &company))
            .filter(|(id, _)| *id > question.min_id)
            .collect();
        all.sort_by_key(|(id, _)| *id);
        let size = all.len();
        let limit = usize::try_from(question.limit).unwrap_or(size);
        let results: Vec<Value> = all.into_iter().take(limit).map(|(_, row)| row).collect();
        json!({ "offset": 0, "limit": question.limit, "size": size, array: results })
    });
    listed.await.map_or_else(
        |_| StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        |answer| document(&answer),
    )
}

async fn detail(State(world): State<Arc<World>>, Path(id): Path<u32>) -> Response {
    let population = &world.population;
    match by_id(population, id, world.clock.day()) {
        None => missing(),
        Some((_, one)) if one.is_blocked => blocked(),
        Some((company, one)) => document(&project_detail(population, &company, &one)),
    }
}

fn missing() -> Response {
    let body = document(&json!({ "error": "not found" }));
    (StatusCode::NOT_FOUND, body).into_response()
}

/// The answer of the firewall.
fn blocked() -> Response {
    let body = document(&json!({ "supportID": "1234567890" }));
    (StatusCode::FORBIDDEN, body).into_response()
}

fn document(body: &Value) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json;charset=UTF-8")];
    (headers, body.to_string()).into_response()
}

/// Milliseconds of the midnight with which a day begins in Slovakia.
fn midnight(day: Date) -> i64 {
    let last_sunday = |month| {
        let last =
            Date::from_calendar_date(day.year(), month, 31).expect("both months have 31 days");
        last - Duration::days(i64::from(last.weekday().number_days_from_sunday()))
    };
    // The clocks change after the midnight of that Sunday.
    let is_summer = day > last_sunday(Month::March) && day <= last_sunday(Month::October);
    let hours = if is_summer { 2 } else { 1 };
    let local = day.with_time(Time::MIDNIGHT).assume_utc() - Duration::hours(hours);
    local.unix_timestamp() * 1_000
}

/// The subject with an index. The register does not follow changes after the first day.
fn subject(population: &Population, index: u32) -> Value {
    let company = population.company(index, 0);
    let (id, seat) = (100_000 + index, company.seat());
    json!({
        "id": id, "href": format!("/subjekt/id/{id}"), "nazov": company.name(), "ico": company.ico,
        "platitelDph": company.ic_dph().is_some(),
        "adresa": { "ulica": seat.street, "obec": seat.city, "psc": seat.postal_code },
    })
}

fn foreign_subject(id: u32, name: &str) -> Value {
    json!({ "id": id, "href": format!("/subjekt/id/{id}"), "nazov": name, "icz": "CZ99999999", "platitelDph": false })
}

fn call(call: &Call) -> Value {
    json!({
        "id": call.id, "href": format!("/vyzva/id/{}", call.id), "kod": call.code, "nazovSk": call.name,
        "program": { "id": 1, "kod": "401000", "nazovSk": call.program, "sumaEu": 12_593_734_933.0 },
        "vyhlasovatel": { "id": 401, "kod": "21_SO_VZOR", "nazov": "Sprostredkovateľský orgán – Vzorový úrad" },
        "poskytovatel": { "id": 376, "kod": "21_RO_VZOR", "nazov": call.provider },
        "uzavreta": false,
    })
}

fn region(name: &str) -> Value {
    json!({ "id": 15, "kodZdroj": "SK041", "nazovSk": name, "nazovEn": "Region", "platnostOd": 1_091_311_200_000_i64 })
}

/// Sets a member. Without a value it is left out or null.
fn put(row: &mut Map<String, Value>, is_left_out: bool, name: &str, value: Option<Value>) {
    match value {
        Some(value) => row.insert(name.to_owned(), value),
        None if is_left_out => None,
        None => row.insert(name.to_owned(), Value::Null),
    };
}

fn project_row(population: &Population, company: &Company, one: &FundsProject) -> Value {
    let recipient = if one.is_foreign {
        foreign_subject(900_001, "Příkladová doprava, a. s.")
    } else {
        subject(population, company.index)
    };
    let partners = one.partner.map(|index| subject(population, index));
    let mut row = json!({
        "id": one.id, "href": format!("/projekt/id/{}", one.id), "kod": one.code, "nazov": one.name,
        "vyzva": call(one.call), "miestoRealizacie": [region(one.region)], "obsahujeMiestoRealizacieZahranicie": false,
        "prijimatel": recipient, "partner": partners.into_iter().collect::<Vec<_>>(),
        "vrealizacii": one.in_progress, "ukonceny": one.completed,
        "zonfp": { "id": one.application.id, "href": format!("/zonfp/id/{}", one.application.id), "kod": one.application.code },
        "realizaciaAktivitPozastavena": one.suspended, "mimoriadneUkoncenyNeprispel": one.terminated,
        "mimoriadneUkoncenyPrispel": false, "vylucenyZFinancovania": one.excluded, "stav": one.status,
        "createdAt": midnight(one.changed) + 3_723_004, "updatedAt": midnight(one.changed) + 50_523_004,
    });
    if let Some(row) = row.as_object_mut() {
        let contract = one.effective.map(|day| {
            json!({ "id": one.id, "cislo": format!("{}/2025", one.id), "datumUcinnosti": midnight(day), "dokument": [] })
        });
        let is_left_out = one.id.is_multiple_of(2);
        put(row, is_left_out, "zmluvaProjekt", contract);
        let started = one.started.map(|day| json!(midnight(day)));
        put(row, is_left_out, "skutocnaRealizaciaZaciatok", started);
        put(
            row,
            is_left_out,
            "celkovaZazmluvnenaSuma",
            one.total.map(euros),
        );
    }
    row
}

fn project_detail(population: &Population, company: &Company, one: &FundsProject) -> Value {
    let mut detail = project_row(population, company, one);
    let suppliers = one.supplier.map(|index| subject(population, index));
    let foreign = one
        .has_foreign_supplier
        .then(|| foreign_subject(900_002, "Ukázkový dodavatel, s. r. o."));
    let towns = one.town.map(
        |town| json!({ "nuts3": region(one.region), "nuts5": { "id": 2_346, "nazovSk": town } }),
    );
    if let Some(detail) = detail.as_object_mut() {
        let is_left_out = one.id.is_multiple_of(2);
        let mut put = |name: &str, value| put(detail, is_left_out, name, value);
        put(
            "poskytovatelOrgan",
            Some(json!({ "id": 376, "nazov": one.call.organ })),
        );
        put("miestoRealizacieFull", Some(towns.into_iter().collect()));
        put(
            "dodavatel",
            Some(suppliers.into_iter().chain(foreign).collect()),
        );
        put("zazmluvnenaSumaNfp", one.nfp.map(euros));
        put("poskytnuteProstriedky", one.disbursed.map(euros));
        let end = one.planned_end.map(|day| json!(midnight(day)));
        put("planovanaRealizaciaKoniec", end);
        put("popis", Some(json!("<p>Opis &amp; účel projektu</p>")));
    }
    detail
}

fn application_row(population: &Population, company: &Company, one: &Application) -> Value {
    let partners = one.partner.map(|index| subject(population, index));
    let mut row = json!({
        "id": one.id, "href": format!("/zonfp/id/{}", one.id), "kod": one.code, "nazov": one.name,
        "vyzva": call(one.call), "ziadatel": subject(population, company.index), "partner": partners.into_iter().collect::<Vec<_>>(),
        "schvalena": one.approved, "neschvalena": !one.approved, "vylucenaZFinancovania": one.excluded,
        "stav": one.status, "datumVytvorenia": midnight(one.submitted), "sumaZiadanaNFP": euros(one.requested_nfp),
        "sumaZiadanaCelkova": euros(one.requested_total), "datumPredlozenia": midnight(one.submitted),
        "predchodca": [],
    });
    if let Some(row) = row.as_object_mut() {
        let is_left_out = one.id.is_multiple_of(2);
        put(
            row,
            is_left_out,
            "sumaSchvalenaNFP",
            one.approved_nfp.map(euros),
        );
        put(
            row,
            is_left_out,
            "sumaSchvalenaCelkova",
            one.approved_total.map(euros),
        );
    }
    row
}

/// An amount as the register writes it: a number with a point.
fn euros(amount: Money) -> Value {
    amount
        .dotted()
        .parse::<f64>()
        .map_or(Value::Null, Value::from)
}
