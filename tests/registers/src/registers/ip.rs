//! `/ip`: the labour inspectorate's list of fines for illegal employment (`https://www.ip.gov.sk`).
//!
//! Its format is assumed: `GET /ip/app/registerNZ/?strana=1` is a page with ten rows of the list and the total number
//! of rows. Natural persons are listed without a number. `/operator-files/illegal-employment.xlsx` contains the same
//! data as an operator-supplied file.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;
use time::Date;

use super::orsr::escape;
use super::sheets::{Cell, Table, text};
use crate::World;
use crate::population::Company;
use crate::population::calendar::{Dotted, before};
use crate::population::fines::{self, Fine};

/// Number of rows on a page.
const ROWS: usize = 10;

const HEADER: [&str; 8] = [
    "Názov / meno",
    "IČO",
    "Sídlo",
    "Dátum porušenia",
    "Dátum právoplatnosti",
    "Číslo rozhodnutia",
    "Porušené ustanovenie",
    "Inšpektorát práce",
];

#[derive(Debug, Deserialize)]
#[serde(default)]
struct Question {
    strana: usize,
}

impl Default for Question {
    fn default() -> Self {
        Self { strana: 1 }
    }
}

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new()
        .route("/ip/app/registerNZ/", get(page))
        .route("/operator-files/illegal-employment.xlsx", get(file))
}

async fn page(State(world): State<Arc<World>>, Query(question): Query<Question>) -> Response {
    let made = tokio::task::spawn_blocking(move || {
        let rows = rows(&world);
        let header: String = HEADER.map(|name| format!("<th>{name}</th>")).concat();
        let first = question.strana.saturating_sub(1) * ROWS;
        let of_page: String = rows
            .iter()
            .skip(first)
            .take(ROWS)
            .map(|row| line(row))
            .collect();
        Html(format!(
            "<!DOCTYPE html>\n<html lang=\"sk\"><head><meta charset=\"utf-8\"><title>Register NZ</title></head>\n<body>\n\
             <form method=\"get\"><table><tr><td>IČO</td><td><input name=\"ico\"></td></tr></table></form>\n\
             <p>Počet záznamov: {}</p>\n<table class=\"zoznam\">\n<tr>{header}</tr>\n{of_page}</table>\n\
             <p>Strana {} z {}</p>\n</body></html>\n",
            rows.len(),
            question.strana,
            rows.len().div_ceil(ROWS)
        ))
        .into_response()
    });
    made.await
        .unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}

async fn file(State(world): State<Arc<World>>) -> Response {
    let made = tokio::task::spawn_blocking(move || {
        Table {
            title: format!("Zoznam k {}", Dotted(world.clock.today())),
            header: HEADER.to_vec(),
            rows: rows(&world),
        }
        .xlsx()
    });
    made.await
        .unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}

/// The list of today.
fn rows(world: &World) -> Vec<Vec<Cell>> {
    let (day, today) = (world.clock.day(), world.clock.today());
    let own = (0..world.population.len()).flat_map(|index| {
        let company = world.population.company(index, day);
        let mut listed = fines::fines(&company);
        listed.retain(|fine| fine.is_listed(today));
        let rows: Vec<Vec<Cell>> = listed
            .iter()
            .flat_map(|fine| {
                let times = if fine.is_doubled { 2 } else { 1 };
                (0..times).map(|_| of_company(&company, fine))
            })
            .collect();
        rows
    });
    let persons = fines::persons(&world.population);
    let start = world.population.date(0);
    let others = persons.iter().zip(1..).map(|(name, place)| {
        let mut cells = vec![text(name), text(""), text("Tichá 9, 036 01 Martin")];
        cells.extend([Cell::Day(None), Cell::Day(Some(before(start, 100 + place)))]);
        cells.extend([text(""), text("§ 2 ods. 2 písm. b) zák. 82/2005")]);
        cells.push(text("Inšpektorát práce Žilina"));
        cells
    });
    own.chain(others).collect()
}

fn of_company(company: &Company, fine: &Fine) -> Vec<Cell> {
    let seat = company.seat();
    let address = format!(
        "{}, {} {}",
        seat.street_line(),
        seat.spaced_postal_code(),
        seat.city
    );
    vec![
        text(company.name()),
        text(spelled(company)),
        text(address),
        Cell::Day(fine.violated),
        Cell::Day(Some(fine.decided)),
        text(fine.number.clone().unwrap_or_default()),
        text(fine.provision),
        text(fine.inspectorate),
    ]
}

/// The number, sometimes with spaces.
fn spelled(company: &Company) -> String {
    let ico = &company.ico;
    match company.index % 3 {
        0 => format!("{} {} {}", &ico[..2], &ico[2..5], &ico[5..]),
        _ => ico.clone(),
    }
}

fn line(row: &[Cell]) -> String {
    let day = |day: Date| Dotted(day).to_string();
    let cells: String = row
        .iter()
        .map(|cell| match cell {
            Cell::Text(text) => format!("<td>{}</td>", escape(text)),
            Cell::Number(number) => format!("<td>{number}</td>"),
            Cell::Day(date) => format!("<td>{}</td>", date.map(day).unwrap_or_default()),
        })
        .collect();
    format!("<tr>{cells}</tr>\n")
}
