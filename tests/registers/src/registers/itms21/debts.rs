//! The lists of irregularities and receivables, in the form of ITMS2014+ with the moments of ITMS21+.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Query, State};
use axum::response::Response;
use axum::routing::get;
use serde_json::{Map, Value, json};
use time::Date;

use super::{BASE, Question, euros, foreign_subject, midnight, page, put, subject};
use crate::World;
use crate::population::funds::debts::{Debt, Debtor, ProjectRef, debts};
use crate::population::{Company, Population};

pub(super) fn router() -> Router<Arc<World>> {
    Router::new()
        .route(&format!("{BASE}/nezrovnalost"), get(irregularities))
        .route(&format!("{BASE}/pohladavkovydoklad"), get(receivables))
}

async fn irregularities(
    State(world): State<Arc<World>>,
    Query(question): Query<Question>,
) -> Response {
    page(world, question, "results", |population, company| {
        rows(population, company, false)
    })
    .await
}

async fn receivables(
    State(world): State<Arc<World>>,
    Query(question): Query<Question>,
) -> Response {
    page(world, question, "results", |population, company| {
        rows(population, company, true)
    })
    .await
}

fn rows(population: &Population, company: &Company, is_receivable: bool) -> Vec<(u64, Value)> {
    let own = debts(company).into_iter();
    own.filter(|one| one.is_receivable == is_receivable)
        .map(|one| (u64::from(one.id), row(population, company, &one)))
        .collect()
}

fn row(population: &Population, company: &Company, one: &Debt) -> Value {
    let debtor = match one.debtor {
        Debtor::Company => Some(subject(population, company.index)),
        Debtor::Foreign => Some(foreign_subject(900_003, "Příkladový dlužník, a. s.")),
        Debtor::Nobody => None,
    };
    let day = |day: Date| {
        if one.has_texts {
            json!(format!("{day}T00:00:00Z"))
        } else {
            json!(midnight(day))
        }
    };
    let impact = if one.has_impact {
        "S_DOPADOM_NA_ROZPOCET_EU"
    } else {
        "BEZ_DOPADU_NA_ROZPOCET_EU"
    };
    let mut row = Map::new();
    let is_left_out = one.id.is_multiple_of(2);
    let mut put = |name: &str, value: Option<Value>| put(&mut row, is_left_out, name, value);
    put("id", Some(json!(one.id)));
    put("kod", Some(json!(one.code)));
    put("stav", Some(json!(one.status)));
    put("dlznik", debtor);
    put("dopadNaRozpocetEU", Some(json!(impact)));
    put("projekt", one.project.as_ref().map(project));
    put("vratenaSuma", one.recovered.map(euros));
    if one.is_receivable {
        put("druh", Some(json!("PD_K_PROJEKTU")));
        put("typ", Some(json!("ZOVFP")));
        put("sumaNaVratenie", Some(euros(one.to_recover)));
        put("datumVzniku", Some(day(one.since)));
        put("datumSplatnosti", one.due.map(day));
        put("nezrovnalost", one.follows.map(|id| json!({ "id": id })));
    } else {
        let kind = json!({ "id": 113, "kod": "1075113", "nazovSk": "Neoprávnené výdavky" });
        put("hlavnyTypNezrovnalosti", Some(kind));
        put(
            "druhNezrovnalosti",
            Some(json!("INDIVIDUALNA_NEZROVNALOST")),
        );
        put("jeSystemova", Some(json!(one.is_systemic)));
        put("celkovaSumaNezrovnalosti", one.amount.map(euros));
        put("sumaNaVymahanie", Some(euros(one.to_recover)));
        put("datumZistenia", Some(day(one.since)));
        let receivables = one.receivables.iter().map(|id| json!({ "id": id }));
        let receivables: Vec<Value> = receivables.collect();
        put(
            "suvisiacePohladavkoveDoklady",
            (!receivables.is_empty()).then_some(json!(receivables)),
        );
    }
    Value::Object(row)
}

fn project(one: &ProjectRef) -> Value {
    json!({ "id": one.id, "href": format!("/projekt/id/{}", one.id), "kod": one.code, "nazov": one.name })
}
