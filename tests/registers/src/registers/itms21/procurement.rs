//! Procurements, their contracts, and the details of organisations. These lists call their array `result`.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use axum::routing::get;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    BASE, Question, blocked, document, euros, foreign_subject, missing, page, put, subject,
};
use crate::World;
use crate::population::funds::owners;
use crate::population::funds::purchases::{Contract, Form, Purchase, contract_by_id, purchases};
use crate::population::{Company, Population};

/// The id of the first company among the subjects.
const FIRST_SUBJECT: u32 = 100_000;
/// The id of the first company in the other list.
const FIRST_ORGANISATION: u32 = 700_000;

pub(super) fn router() -> Router<Arc<World>> {
    let detail = |path: &str| format!("{BASE}/{path}/id/{{id}}");
    Router::new()
        .route(&format!("{BASE}/verejneobstaravanie"), get(purchase_list))
        .route(
            &format!("{BASE}/zmluvyverejnehoobstaravania"),
            get(contract_list),
        )
        .route(&detail("zmluvaverejneobstaravanie"), get(contract))
        .route(&detail("subjekt"), get(subject_detail))
        .route(&detail("dodavatelobstaravatel"), get(organisation_detail))
}

async fn purchase_list(
    State(world): State<Arc<World>>,
    Query(question): Query<Question>,
) -> Response {
    page(world, question, "result", |population, company| {
        let own = purchases(population, company);
        let row = |one: &Purchase| (u64::from(one.id), purchase_row(population, company, one));
        own.iter().map(row).collect()
    })
    .await
}

/// The parameters of the list of contracts.
#[derive(Debug, Deserialize)]
struct OfPurchase {
    limit: i64,
    #[serde(rename = "verejneobstaravanieKOD")]
    code: Option<String>,
}

/// The contracts of one procurement. Without its code the list is empty.
async fn contract_list(
    State(world): State<Arc<World>>,
    Query(question): Query<OfPurchase>,
) -> Response {
    let population = &world.population;
    let code = question.code.unwrap_or_default();
    let bought = owners(population, 0)
        .flat_map(|company| purchases(population, &company))
        .find(|one| one.code == code);
    let contracts = bought.map(|one| one.contracts).unwrap_or_default();
    let rows: Vec<Value> = contracts
        .iter()
        .map(|one| json!({ "id": one.id, "kod": format!("{code}{}", one.id), "celkovaSumaZmluvy": euros(one.gross) }))
        .collect();
    document(&json!({ "offset": 0, "limit": question.limit, "size": rows.len(), "result": rows }))
}

async fn contract(State(world): State<Arc<World>>, Path(id): Path<u32>) -> Response {
    match contract_by_id(&world.population, id) {
        None => missing(),
        Some((_, one)) if one.is_blocked => blocked(),
        Some((of, one)) => document(&contract_detail(&world.population, &of, &one)),
    }
}

async fn subject_detail(State(world): State<Arc<World>>, Path(id): Path<u32>) -> Response {
    company_detail(&world.population, id, FIRST_SUBJECT)
}

async fn organisation_detail(State(world): State<Arc<World>>, Path(id): Path<u32>) -> Response {
    company_detail(&world.population, id, FIRST_ORGANISATION)
}

fn company_detail(population: &Population, id: u32, first: u32) -> Response {
    let index = id.checked_sub(first);
    let Some(index) = index.filter(|index| *index < population.len()) else {
        return missing();
    };
    let mut detail = subject(population, index);
    detail["id"] = json!(id);
    document(&detail)
}

/// The members that name a company: one for subjects, the other one for the other list.
fn named(
    population: &Population,
    index: u32,
    form: Form,
    [subjects, others]: [&str; 2],
) -> (String, Value) {
    match form {
        Form::Numbered => (subjects.to_owned(), subject(population, index)),
        Form::ById => {
            let id = FIRST_SUBJECT + index;
            let link = json!({ "id": id, "href": format!("/subjekt/id/{id}") });
            (subjects.to_owned(), link)
        }
        Form::OtherList => {
            let id = FIRST_ORGANISATION + index;
            let link = json!({ "id": id, "href": format!("/dodavatelobstaravatel/id/{id}") });
            (others.to_owned(), link)
        }
    }
}

fn purchase_row(population: &Population, company: &Company, one: &Purchase) -> Value {
    let members = ["obstaravatelSubjekt", "obstaravatelDodavatelObstaravatel"];
    let (member, buyer) = named(population, company.index, one.form, members);
    json!({
        "id": one.id, "href": format!("/verejneobstaravanie/id/{}", one.id), "kod": one.code, "stav": one.status,
        "predpokladanaHodnotaZakazky": 50_000, member: buyer,
    })
}

fn contract_detail(population: &Population, of: &Purchase, one: &Contract) -> Value {
    let members = ["dodavatelSubjekt", "dodavatelDodavatelObstaravatel"];
    let suppliers = one.suppliers.iter().map(|index| {
        let (member, supplier) = named(population, *index, one.form, members);
        json!({ "jeHlavnyDodavatel": false, member: supplier })
    });
    let foreign = one.has_foreign.then(|| {
        let supplier = foreign_subject(900_004, "Ukázkový dodavatel, s. r. o.");
        json!({ "jeHlavnyDodavatel": true, "dodavatelSubjekt": supplier })
    });
    let suppliers: Vec<Value> = suppliers.chain(foreign).collect();
    let mut detail = Map::new();
    let is_left_out = one.id.is_multiple_of(2);
    let mut put = |name: &str, value: Option<Value>| put(&mut detail, is_left_out, name, value);
    put("id", Some(json!(one.id)));
    put("kod", Some(json!(format!("{}{}", of.code, one.id))));
    put("dodavatelia", Some(json!(suppliers)));
    put("sumaBezDph", one.net.map(euros));
    put("celkovaSumaZmluvy", Some(euros(one.gross)));
    put(
        "predmetZmluvy",
        Some(json!("<div>Dodávka &amp; montáž</div>")),
    );
    let bought = json!({ "id": of.id, "href": format!("/verejneobstaravanie/id/{}", of.id), "kod": of.code });
    put("verejneObstaravanie", Some(bought));
    Value::Object(detail)
}
