//! `/vszp`: the search of a health insurer's debtor list (`https://www.vszp.sk`).
//!
//! Only the sentence `Nenašli sa žiadne záznamy.` states an empty result; amounts have no currency. The form repeats
//! the requested number in a hidden input, with and without hits.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;

use super::fold::fold;
use crate::World;
use crate::population::{Company, DebtorList};
use crate::selections::Selection;

/// Number of rows on a page.
const ROWS: usize = 50;

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new().route(
        "/vszp/platitelia/platenie-poistneho/zoznam-dlznikov.html",
        get(page),
    )
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Search {
    typ: String,
    nazov: String,
    proceed: String,
}

async fn page(State(world): State<Arc<World>>, Query(search): Query<Search>) -> Response {
    let asked = search.nazov.trim().to_owned();
    let repeated = asked.replace('&', "&amp;").replace('"', "&quot;");
    let result = if search.proceed == "true" && search.typ == "1" && !asked.is_empty() {
        let found = tokio::task::spawn_blocking(move || hits(&world, &asked)).await;
        let Ok(found) = found else {
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        };
        table(&found)
    } else {
        String::new()
    };
    Html(format!(
        "<!DOCTYPE html>\n<html lang=\"sk\">\n<head><meta charset=\"utf-8\"><title>Zoznam dlžníkov</title></head>\n<body>\n\
         <h1>Zoznam dlžníkov</h1>\n<form method=\"get\"><input type=\"hidden\" name=\"docid\" value=\"227\">\
         <input type=\"hidden\" name=\"nazov\" value=\"{repeated}\"><select name=\"typ\"><option value=\"1\">Zamestnávatelia a SZČO</option></select></form>\n\
         {result}</body>\n</html>\n"
    ))
    .into_response()
}

fn hits(world: &World, text: &str) -> Vec<Company> {
    let day = world.clock.day();
    let is_ico = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_ico {
        let own = world
            .population
            .by_ico(text)
            .map(|index| world.population.company(index, day));
        return own
            .into_iter()
            .filter(|company| company.debt(DebtorList::Vszp).is_some())
            .collect();
    }
    let indexes = world
        .selections
        .get(world, Selection::Debtors(DebtorList::Vszp));
    let part = fold(text);
    let companies = indexes
        .iter()
        .map(|index| world.population.company(*index, day));
    companies
        .filter(|company| fold(company.name()).contains(&part))
        .take(ROWS)
        .collect()
}

/// The table of the live page: seven columns, the body closed before the first row, and the sentence for an
/// empty result after the table, with no-break spaces.
fn table(found: &[Company]) -> String {
    let mut text = String::from(
        "<table class=\"tabulkaStandard\">\n<thead><tr><th>Obchodné meno</th><th>Obec</th><th>Ulica</th><th>PSČ</th>\
         <th>Pohľadávka</th><th>Typ platiteľa</th><th>Rozsah</th></tr></thead>\n<tbody></tbody>\n",
    );
    for company in found {
        let Some(amount) = company.debt(DebtorList::Vszp) else {
            continue;
        };
        let seat = company.seat();
        let name = company.name().replace('&', "&amp;").to_uppercase();
        text.push_str(&format!(
            "<tr><td>{}<br />IČO: {}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>Zamestnávateľ</td>\
             <td>-</td></tr>\n",
            name.replace("&AMP;", "&amp;"),
            company.ico,
            seat.city.to_uppercase(),
            seat.street_line().to_uppercase(),
            seat.postal_code(),
            amount.comma(if company.index.is_multiple_of(2) {
                ' '
            } else {
                '\u{a0}'
            })
        ));
    }
    text.push_str("</table>\n");
    if found.is_empty() {
        text.push_str("<p>Nenašli\u{a0}sa žiadne\u{a0}záznamy.</p>\n");
    }
    text
}
