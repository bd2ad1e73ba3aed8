//! Paginated lists of ids with the number of remaining ids.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use time::Date;

use super::json as answer;
use super::objects::changed;
use crate::World;
use crate::population::calendar::parse_iso;
use crate::population::statements::{self, Unit};
use crate::population::{Company, Population};

const USUAL: usize = 1_000;
const MOST: usize = 10_000;

#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(super) struct Question {
    zmenene_od: Option<String>,
    pokracovat_za_id: Option<u64>,
    max_zaznamov: Option<usize>,
    ico: Option<String>,
    dic: Option<String>,
    pravna_forma: Option<String>,
}

/// The kind of objects in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Units,
    Statements,
    Reports,
    AnnualReports,
}

impl Kind {
    fn parse(name: &str) -> Option<Self> {
        match name {
            "uctovne-jednotky" => Some(Self::Units),
            "uctovne-zavierky" => Some(Self::Statements),
            "uctovne-vykazy" => Some(Self::Reports),
            "vyrocne-spravy" => Some(Self::AnnualReports),
            _ => None,
        }
    }
}

pub(super) async fn ids(world: Arc<World>, name: &str, question: Question) -> Response {
    let Some(kind) = Kind::parse(name) else {
        return super::unknown_path();
    };
    let Some(since) = question.zmenene_od.as_deref().and_then(parse_iso) else {
        return (StatusCode::BAD_REQUEST, "zmenene-od").into_response();
    };
    let most = question.max_zaznamov.unwrap_or(USUAL).clamp(1, MOST);
    let found = tokio::task::spawn_blocking(move || {
        // Some answers have the format of 2018, which requires the number of remaining ids.
        let is_old = question
            .ico
            .as_deref()
            .is_some_and(|ico| ico.ends_with(['4', '6']));
        let ids = matching(
            &world,
            kind,
            since,
            &question,
            if is_old { usize::MAX } else { most + 1 },
        );
        page(ids, most, is_old)
    });
    found.await.map_or_else(
        |_| StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        |page| answer(&page),
    )
}

pub(super) async fn remaining(
    State(world): State<Arc<World>>,
    Path(name): Path<String>,
    Query(question): Query<Question>,
) -> Response {
    let Some(kind) = Kind::parse(&name) else {
        return super::unknown_path();
    };
    let Some(since) = question.zmenene_od.as_deref().and_then(parse_iso) else {
        return (StatusCode::BAD_REQUEST, "zmenene-od").into_response();
    };
    let count = tokio::task::spawn_blocking(move || {
        matching(&world, kind, since, &question, usize::MAX).len()
    });
    count.await.map_or_else(
        |_| StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        |count| answer(&json!({ "pocetZostavajucichId": count })),
    )
}

fn page(mut ids: Vec<u64>, most: usize, is_old: bool) -> Value {
    let rest = ids.len().saturating_sub(most);
    ids.truncate(most);
    let mut page = json!({});
    if !ids.is_empty() {
        page["id"] = json!(ids);
    }
    if is_old {
        page["pocetZostavajucichId"] = json!(rest);
    } else {
        page["existujeDalsieId"] = json!(rest > 0);
    }
    page
}

/// Ids after the last one of the previous page, ascending.
fn matching(world: &World, kind: Kind, since: Date, question: &Question, most: usize) -> Vec<u64> {
    let population = &world.population;
    let after = question.pokracovat_za_id.unwrap_or(0);
    let mut ids: Vec<u64> = Vec::new();
    for index in indexes(population, kind, after, question) {
        if ids.len() >= most {
            break;
        }
        let company = population.company(index, world.clock.day());
        if !is_wanted(&company, question) {
            continue;
        }
        for unit in statements::units(&company) {
            let of_unit = ids_of(kind, &unit, since);
            ids.extend(of_unit.into_iter().filter(|id| *id > after));
        }
    }
    ids.sort_unstable();
    ids
}

/// The companies that can have such ids, ordered by these ids.
fn indexes(
    population: &Population,
    kind: Kind,
    after: u64,
    question: &Question,
) -> std::ops::Range<u32> {
    if let Some(ico) = &question.ico {
        return population
            .by_ico(ico)
            .map_or(0..0, |index| index..index + 1);
    }
    let first = match kind {
        Kind::Units => statements::company_of_unit(after),
        Kind::Statements => statements::company_of_statement(after),
        Kind::Reports => statements::company_of_statement(statements::statement_of_report(after).0),
        Kind::AnnualReports => return 0..0,
    };
    first.unwrap_or(0).min(population.len())..population.len()
}

fn is_wanted(company: &Company, question: &Question) -> bool {
    let dic = question.dic.as_ref();
    let form = question.pravna_forma.as_deref();
    dic.is_none_or(|dic| company.dic.as_ref() == Some(dic))
        && form.is_none_or(|form| company.legal_form.code() == form)
}

fn ids_of(kind: Kind, unit: &Unit, since: Date) -> Vec<u64> {
    let filed = unit
        .statements
        .iter()
        .filter(|statement| changed(statement) >= since);
    match kind {
        Kind::Units => vec![unit.id],
        Kind::Statements => filed.map(|statement| statement.id).collect(),
        Kind::Reports => filed.flat_map(super::objects::report_ids).collect(),
        Kind::AnnualReports => Vec::new(),
    }
}
