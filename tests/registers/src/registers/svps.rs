//! `/svps`: the lists of approved establishments (`https://zoznamy.svps.sk`).
//!
//! One address serves all lists. Its query selects the list and the format: page, CSV or workbook. The query
//! for the files is assumed. Operators have no number. On the list for products of animal origin each section
//! and each activity of an establishment is a separate row.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;

use super::orsr::escape;
use super::sheets::{Cell, Table, text};
use crate::World;
use crate::population::Address;
use crate::population::calendar::Dotted;

use crate::population::establishments::{self, Establishment, List};

/// The requested list and format. Selectors of activities are ignored.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Question {
    typ: String,
    export: String,
}

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new().route("/svps/", get(list))
}

async fn list(State(world): State<Arc<World>>, Query(question): Query<Question>) -> Response {
    let list = match question.typ.as_str() {
        "zoznam-potr-schvalene" => List::Food,
        "zoznam-vet-schvalene" => List::Vet,
        _ => return (StatusCode::NOT_FOUND, Html("<html>Neznámy zoznam</html>")).into_response(),
    };
    let made = tokio::task::spawn_blocking(move || {
        let table = match list {
            List::Food => food(&world),
            List::Vet => vet(&world),
        };
        match question.export.as_str() {
            "csv" => table.csv(),
            "excel" => table.xlsx(),
            _ => page(&table),
        }
    });
    made.await
        .unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}

/// The establishments on a list today.
fn listed(world: &World, list: List) -> Vec<Establishment> {
    let (day, today) = (world.clock.day(), world.clock.today());
    (0..world.population.len())
        .flat_map(|index| establishments::establishments(&world.population.company(index, day)))
        .filter(|one| one.list == list && one.is_listed(today))
        .collect()
}

fn food(world: &World) -> Table {
    let row =
        |number: &str, operator: &str, seat: String, name: &str, at: &Address, activity: &str| {
            let mut cells = vec![text(number), text(operator), text(seat), text(name)];
            cells.extend([text(at.street_line()), text(at.city)]);
            cells.extend([text(district(at)), text(region(at)), text(activity)]);
            cells.push(text("registrovaná"));
            cells
        };
    let own = listed(world, List::Food).into_iter().map(|one| {
        let seat = one.operator_seat.as_ref().map(in_one_line);
        row(
            &one.number,
            &one.operator,
            seat.unwrap_or_default(),
            &one.name,
            &one.address,
            &one.activities.join(", "),
        )
    });
    let strangers = establishments::strangers(&world.population, List::Food);
    let others = strangers.iter().zip(1..).map(|((operator, at), number)| {
        let number = format!("CZ U {number:05}/2013");
        row(&number, operator, in_one_line(at), "Výrobňa", at, "PP")
    });
    Table {
        title: String::new(),
        header: vec![
            "Schvaľovacie číslo",
            "Prevádzkovateľ",
            "Adresa prevádzkovateľa",
            "Názov prevádzkarne",
            "Adresa",
            "Obec",
            "Okres",
            "Kraj",
            "Činnosť",
            "Poznámka",
        ],
        rows: own.chain(others).collect(),
    }
}

fn vet(world: &World) -> Table {
    let row =
        |number: &str, name: &str, at: &Address, operator: &str, section: &str, activity: &str| {
            let mut cells: Vec<Cell> = vec![text(number), text(name), text(at.street_line())];
            cells.extend([text(at.city), text(district(at)), text(region(at))]);
            cells.extend([text(operator), text(section), text(activity)]);
            cells.extend([text("B, P"), text("")]);
            cells
        };
    let own = listed(world, List::Vet).into_iter().flat_map(|one| {
        let rows: Vec<Vec<Cell>> = one
            .sections
            .iter()
            .flat_map(|section| {
                one.activities
                    .iter()
                    .map(move |activity| (section, activity))
            })
            .map(|(section, activity)| {
                row(
                    &one.number,
                    &one.name,
                    &one.address,
                    &one.operator,
                    section,
                    activity,
                )
            })
            .collect();
        rows
    });
    let strangers = establishments::strangers(&world.population, List::Vet);
    let others = strangers.iter().zip(1..).map(|((operator, at), number)| {
        row(
            &format!("SK 98{number:05}"),
            "Bitúnok",
            at,
            operator,
            "I",
            "SH",
        )
    });
    Table {
        title: format!(
            "Zoznam schválených prevádzkarní k {}",
            Dotted(world.clock.today())
        ),
        header: vec![
            "Por. č.",
            "Schvaľovacie číslo",
            "Názov prevádzkarne",
            "Adresa",
            "Obec",
            "Okres",
            "Kraj",
            "Prevádzkovateľ",
            "Sekcia",
            "Činnosť",
            "Druh",
            "Poznámka",
        ],
        rows: numbered(own.chain(others)),
    }
}

/// Prepends each row's number.
fn numbered(rows: impl Iterator<Item = Vec<Cell>>) -> Vec<Vec<Cell>> {
    rows.zip(1_u32..)
        .map(|(row, number)| {
            let number = Cell::Number(f64::from(number));
            [number].into_iter().chain(row).collect()
        })
        .collect()
}

/// The HTML page of a list.
fn page(table: &Table) -> Response {
    let header: String = table
        .header
        .iter()
        .map(|name| format!("<th>{name}</th>"))
        .collect();
    let first_text = |cell: &Cell| match cell {
        Cell::Text(text) => Some(format!("<tr><td>{}</td></tr>\n", escape(text))),
        Cell::Number(_) | Cell::Day(_) => None,
    };
    let numbers = table.rows.iter();
    let numbers = numbers.filter_map(|row| row.iter().find_map(first_text));
    let rows: String = numbers.collect();
    Html(format!(
        "<!DOCTYPE html>\n<html lang=\"sk\"><head><meta charset=\"utf-8\"><title>Schválené prevádzkarne</title></head>\n\
         <body><a href=\"?export=csv\">CSV</a> <a href=\"?export=excel\">Excel</a>\n<table><tr>{header}</tr>\n{rows}</table>\n\
         </body></html>\n"
    ))
    .into_response()
}

fn in_one_line(at: &Address) -> String {
    format!(
        "{}, {} {}",
        at.street_line(),
        at.spaced_postal_code(),
        at.city
    )
}

/// The municipality without its part, used as the district.
fn district(at: &Address) -> &str {
    at.city.split(" - ").next().unwrap_or(at.city)
}

/// The region by the municipality's code.
fn region(at: &Address) -> &'static str {
    match at.city_code.and_then(|code| code.get(2..5)) {
        Some("010") => "Bratislavský kraj",
        Some("021") => "Trnavský kraj",
        Some("022") => "Trenčiansky kraj",
        Some("023") => "Nitriansky kraj",
        Some("031") => "Žilinský kraj",
        Some("032") => "Banskobystrický kraj",
        Some("041") => "Prešovský kraj",
        _ => "Košický kraj",
    }
}
