//! `/rpo`: the API of the register of legal persons (`https://api.statistics.sk/rpo/v1`).
//!
//! Quirks: the default view of a record drops closed items. An unknown IČO is an empty result with status 200,
//! an unknown id a 404. A search silently ends at 500 rows.

mod earlier;
mod parts;
mod people;
mod record;
mod standing;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;
use time::Date;

use super::fold::fold;
use super::json::Json;
use crate::World;
use crate::population::calendar::{Iso, parse_iso};
use crate::population::{Company, EarlierRecord};
use parts::Style;
use record::View;

/// The upstream's maximum number of rows.
const ROWS: usize = 500;

/// Three numbered sentences, as in the register; the wording is invented.
pub(crate) const LICENSE: &str = "1. Správca simulovaného registra uplatňuje na použitie vymyslených údajov verejnú licenciu \
    Creative Commons Attribution License (cc-by) 4.0 (ďalej len „licencia“).\n2. Predmetom licencie sú výlučne vymyslené \
    údaje tohto simulátora.\n3. Správca súhlasí s použitím predmetu licencie v skúškach a ukážkach.";

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new()
        .route("/rpo/search", get(search))
        .route("/rpo/entity/{id}", get(entity))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Search {
    identifier: Option<String>,
    full_name: Option<String>,
    only_active: Option<String>,
    db_modification_date_after: Option<String>,
}

async fn search(State(world): State<Arc<World>>, Query(search): Query<Search>) -> Response {
    let after = search
        .db_modification_date_after
        .as_deref()
        .and_then(parse_iso);
    if search.identifier.is_none() && search.full_name.is_none() && after.is_none() {
        return error(
            StatusCode::BAD_REQUEST,
            "No parameters specified in search request",
            "/rpo/v1/search",
        );
    }
    let found = tokio::task::spawn_blocking(move || rows(&world, &search, after)).await;
    found.map_or_else(
        |_| StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        json_response,
    )
}

fn rows(world: &World, search: &Search, after: Option<Date>) -> String {
    let only_active = search.only_active.as_deref() == Some("true");
    let part = search.full_name.as_deref().map(fold);
    let (population, day) = (&world.population, world.clock.day());
    let wanted: Box<dyn Iterator<Item = u32>> = match &search.identifier {
        Some(ico) => Box::new(population.by_ico(ico).into_iter()),
        None => Box::new(0..population.len()),
    };
    let mut json = Json::new();
    json.object(|json| {
        json.key("results").array(|json| {
            let mut count = 0;
            for index in wanted {
                let company = population.company(index, day);
                let is_named =
                    |name: &str| part.as_ref().is_none_or(|part| fold(name).contains(part));
                let is_modified = after.is_none_or(|after| company.rpo_modified > after);
                if is_named(company.name()) && is_modified && (company.is_active() || !only_active)
                {
                    row(json, &company);
                    count += 1;
                }
                if let Some(record) = &company.earlier_record
                    && is_named(&record.name)
                    && after.is_none()
                    && !only_active
                {
                    earlier_row(json, &company, record);
                    count += 1;
                }
                if count >= ROWS {
                    break;
                }
            }
        });
        json.key("license").string(LICENSE);
    });
    json.into_text()
}

/// A row keeps history even if the record's default view drops it.
fn row(json: &mut Json, company: &Company) {
    let end = company.ending.as_ref().map(|ending| ending.date);
    let closed = end.filter(|_| company.ended_items_closed);
    json.object(|json| {
        json.key("id").raw(company.rpo_id);
        json.key("dbModificationDate")
            .plain(Iso(company.rpo_modified));
        parts::identifier(json, company);
        json.key("fullNames").array(|json| {
            for name in &company.names {
                parts::timed_text(json, &name.value, name.since, name.until.or(closed));
            }
        });
        json.key("addresses").array(|json| {
            for seat in &company.seats {
                json.object(|json| {
                    parts::validity(json, seat.since, seat.until.or(closed));
                    parts::address_members(json, &seat.value, Style::Rest);
                });
            }
        });
        json.key("establishment").plain(Iso(company.established));
        if let Some(end) = end {
            json.key("termination").plain(Iso(end));
        }
        parts::source_register(json, company, Style::Rest);
    });
}

fn earlier_row(json: &mut Json, company: &Company, record: &EarlierRecord) {
    json.object(|json| {
        json.key("id").raw(record.rpo_id);
        json.key("dbModificationDate").plain("2015-02-23");
        earlier::identifiers(json, company, record);
        json.key("fullNames").array(|json| {
            parts::timed_text(
                json,
                &record.name,
                record.established,
                Some(record.terminated),
            );
        });
        json.key("addresses").array(|_| ());
        json.key("establishment").plain(Iso(record.established));
        json.key("termination").plain(Iso(record.terminated));
        earlier::source(json, record, Style::Rest);
    });
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct EntityQuery {
    show_historical_data: Option<String>,
}

async fn entity(
    State(world): State<Arc<World>>,
    Path(id): Path<String>,
    Query(query): Query<EntityQuery>,
) -> Response {
    let Some((index, is_earlier)) = id
        .parse()
        .ok()
        .and_then(|id| world.population.by_rpo_id(id))
    else {
        return no_record(&id);
    };
    let view = View::Rest {
        has_history: query.show_historical_data.as_deref() == Some("true"),
    };
    let company = world.population.company(index, world.clock.day());
    let mut json = Json::new();
    match (&company.earlier_record, is_earlier) {
        (Some(record), true) => earlier::write(&mut json, &company, record, view, Some(LICENSE)),
        (None, true) => return no_record(&id),
        (_, false) => record::write(&mut json, &company, view, Some(LICENSE)),
    }
    json_response(json.into_text())
}

/// Every record of a company in an export: its own, and the earlier one.
pub(crate) fn export(
    json: &mut Json,
    company: &Company,
    mut line: impl FnMut(&str) -> std::io::Result<()>,
) -> std::io::Result<()> {
    json.clear();
    record::write(json, company, View::Dump, None);
    line(json.as_str())?;
    if let Some(record) = &company.earlier_record {
        json.clear();
        earlier::write(json, company, record, View::Dump, None);
        line(json.as_str())?;
    }
    Ok(())
}

fn no_record(id: &str) -> Response {
    error(
        StatusCode::NOT_FOUND,
        "No record found",
        &format!("/rpo/v1/entity/{id}"),
    )
}

fn error(status: StatusCode, message: &str, href: &str) -> Response {
    let mut json = Json::new();
    json.object(|json| {
        json.key("message").string(message);
        json.key("_links").object(|json| {
            json.key("self").object(|json| {
                json.key("href").string(href);
                json.key("templated").raw(false);
            });
        });
    });
    (status, json_response(json.into_text())).into_response()
}

fn json_response(text: String) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}
