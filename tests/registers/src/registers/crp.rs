//! `/crp`: the register of projects (`https://www.crp.gov.sk`).
//!
//! HTML pages: the list with 20 rows per page, counted from 0, newest first, and the page of a project. A
//! client without the browser cookie gets a page with a script instead. Texts contain no-break spaces, and a
//! missing fact is written in words.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;
use time::Date;

use super::orsr::html::escape;
use crate::World;
use crate::population::Company;
use crate::population::calendar::Dotted;
use crate::population::projects::{Project, Recipient, by_id, listed};

const OF_A_PAGE: usize = 20;
const COOKIE: &str = "ys-browserCheck=b%3A1";
const ABSENT: &str = "neuvedené";

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new()
        .route("/crp/5-sk/register-projektov/", get(list))
        .route("/crp/{id}/{name}/", get(detail))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Question {
    page: usize,
}

/// The script page, from which a browser would continue.
fn check(headers: &HeaderMap) -> Option<Response> {
    let cookies = headers.get_all(header::COOKIE).iter();
    let mut cookies = cookies.filter_map(|value| value.to_str().ok());
    if cookies.any(|value| value.contains(COOKIE)) {
        return None;
    }
    let page = "<html><head><script>document.cookie='ys-browserCheck=b%3A1';location.reload();</script></head>\
                <body></body></html>\n";
    Some(Html(page).into_response())
}

async fn list(
    State(world): State<Arc<World>>,
    Query(question): Query<Question>,
    headers: HeaderMap,
) -> Response {
    if let Some(check) = check(&headers) {
        return check;
    }
    let page = tokio::task::spawn_blocking(move || {
        let all = listed(&world.population, world.clock.day());
        list_page(&all, question.page)
    });
    page.await.map_or_else(
        |_| StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        |page| Html(page).into_response(),
    )
}

fn list_page(all: &[(Company, Project)], page: usize) -> String {
    let mut text = head("Register projektov");
    text.push_str("<table class=\"table_list\">\n<tr><th class=\"cell1\">Zverejnené</th><th class=\"cell2\">Projekt</th><th class=\"cell3\">Suma</th></tr>\n");
    for (company, one) in all.iter().skip(page * OF_A_PAGE).take(OF_A_PAGE) {
        text.push_str(&format!(
            "<tr>\n<td class=\"cell1\">{}</td>\n<td class=\"cell2\"><a href=\"{}\">{}</a><br><span>{}</span></td>\n\
             <td class=\"cell3\">{}</td>\n</tr>\n",
            Dotted(one.listed),
            path(one),
            escape(one.name),
            escape(company.name()),
            amount(one),
        ));
    }
    text.push_str("</table>\n<div class=\"pagelist\">");
    let last = all.len().div_ceil(OF_A_PAGE).saturating_sub(1);
    let mut linked = vec![0, page.saturating_sub(1), page, page + 1, last];
    linked.retain(|other| *other <= last);
    linked.sort_unstable();
    linked.dedup();
    for other in linked {
        let number = other + 1;
        text.push_str(&if other == page {
            format!("<span class=\"active\">{number}</span> ")
        } else {
            format!("<a href=\"/5-sk/register-projektov/?page={other}\">{number}</a> ")
        });
    }
    text.push_str("</div>\n");
    text.push_str(FOOT);
    text
}

fn path(one: &Project) -> String {
    format!("/{}-sk/projekt/", one.id)
}

async fn detail(
    State(world): State<Arc<World>>,
    Path((id, _)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    if let Some(check) = check(&headers) {
        return check;
    }
    let id = id.trim_end_matches("-sk").parse().ok();
    let found = id.and_then(|id| by_id(&world.population, id, world.clock.day()));
    match found {
        Some((company, one)) => Html(detail_page(&company, &one)).into_response(),
        None => (
            StatusCode::NOT_FOUND,
            Html(head("Stránka neexistuje") + FOOT),
        )
            .into_response(),
    }
}

fn detail_page(company: &Company, one: &Project) -> String {
    let day = |day: Option<Date>| day.map_or(ABSENT.to_owned(), |day| Dotted(day).to_string());
    let ico = match one.recipient {
        Recipient::Plain => company.ico.clone(),
        Recipient::Spaced => {
            let (head, rest) = company.ico.split_at(2);
            let (middle, tail) = rest.split_at(3);
            format!("{head}&nbsp;{middle}&nbsp;{tail}")
        }
        Recipient::ZerosLost => company.ico[2..].to_owned(),
        Recipient::Absent => ABSENT.to_owned(),
    };
    let dates = [
        ("Dátum zverejnenia:", day(one.published)),
        ("Dátum podpisu:", day(Some(one.signed))),
        ("Dátum začatia:", day(one.start)),
        ("Dátum ukončenia:", day(one.end)),
    ];
    let parties = [
        ("Prijímateľ:", escape(company.name())),
        ("IČO&nbsp;prijímateľa:", ico),
        ("Miesto realizácie:", escape(company.seat().city)),
        ("Poskytovateľ:", escape(one.provider)),
        ("Typ pomoci:", escape(one.help_type)),
        ("Číslo zmluvy:", format!("Z-{}", one.id)),
        ("ID:", one.id.to_string()),
    ];
    let name = escape(one.name).replace(' ', "&nbsp;");
    format!(
        "{}<h1>{name}</h1>\n<div class=\"area area1\">\n{}</div>\n<div class=\"b_right area area3\">\n{}</div>\n\
         <div class=\"area area4\"><strong>Celková výška pomoci:</strong> {}</div>\n\
         <div class=\"area area7\"><table><tr><td><a href=\"/{}-sk/zmluva/\">Zmluva</a></td></tr></table></div>\n{FOOT}",
        head("Projekt"),
        table(&dates),
        table(&parties),
        amount(one),
        one.id,
    )
}

fn table(rows: &[(&str, String)]) -> String {
    let rows: String = rows
        .iter()
        .map(|(label, value)| format!("<tr><th>{label}</th><td>{value}</td></tr>\n"))
        .collect();
    format!("<table>\n{rows}</table>\n")
}

fn amount(one: &Project) -> String {
    one.amount.map_or(ABSENT.to_owned(), |amount| {
        format!("{}&nbsp;€", amount.comma('\u{a0}'))
    })
}

fn head(title: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"sk\"><head><meta charset=\"utf-8\"><title>{title}</title></head>\n<body>\n\
         <div id=\"head\"><a href=\"/\">Simulovaný register projektov</a></div>\n"
    )
}

const FOOT: &str =
    "<div id=\"foot\"><a href=\"/3-sk/kontakt/\">Kontakt</a></div>\n</body></html>\n";
