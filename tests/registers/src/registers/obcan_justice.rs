//! `/obcan-justice`: the register of execution authorizations (`https://obcan.justice.sk`).
//!
//! The public page (`/pilot/poverenia/…`) is filled by a script; the JSON behind it has an assumed format. It shares
//! the quirks of the ministry's other services: pages count from 1, page 0 is also the first one, the answer's page
//! number is one lower, a page has fewer rows than requested, and without a known filter the whole register is
//! returned.
//! `/operator-files/executions.csv` contains the same data as an operator-supplied file.

use std::io::{self, Write};
use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::World;
use crate::bodies;
use crate::population::Company;
use crate::population::calendar::Dotted;
use crate::population::executions::{Authorization, Creditor, authorizations};
use crate::population::identifiers;

/// Maximum number of rows on a page, small enough that seven authorizations fill two pages.
const MAX_ROWS: usize = 5;

/// Another obligor, with an unassigned number.
const OTHER_OBLIGOR: u32 = 1_399_905;

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new()
        .route(
            "/obcan-justice/pilot/poverenia/vysledky-vyhladavania",
            get(page_for_people),
        )
        .route(
            "/obcan-justice/pilot/api/ress-isu-service/v1/poverenie",
            get(search),
        )
        .route("/operator-files/executions.csv", get(file))
}

/// Contains no data; a script would load it.
async fn page_for_people() -> Html<&'static str> {
    Html(
        "<!DOCTYPE html>\n<html lang=\"sk\"><head><meta charset=\"utf-8\"><title>Register poverení</title></head>\n\
         <body><div id=\"app\"></div><div id=\"consent\">Súhlas s používaním cookies</div></body></html>\n",
    )
}

#[derive(Debug, Deserialize)]
#[serde(default)]
struct Question {
    ico: String,
    page: usize,
    size: usize,
}

impl Default for Question {
    fn default() -> Self {
        Self {
            ico: String::new(),
            page: 1,
            size: 20,
        }
    }
}

async fn search(State(world): State<Arc<World>>, Query(question): Query<Question>) -> Response {
    let answer = tokio::task::spawn_blocking(move || answer(&world, &question)).await;
    answer.map_or_else(
        |_| StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        |answer| Json(answer).into_response(),
    )
}

fn answer(world: &World, question: &Question) -> Value {
    let ico: String = question
        .ico
        .chars()
        .filter(|c| !c.is_whitespace())
        .collect();
    let company = |index: u32| world.population.company(index, world.clock.day());
    let rows: Vec<Value> = if ico.is_empty() {
        (0..world.population.len())
            .flat_map(|index| rows(&company(index)))
            .collect()
    } else {
        let found = world.population.by_ico(&ico);
        found.map_or_else(Vec::new, |index| rows(&company(index)))
    };
    let size = question.size.clamp(1, MAX_ROWS);
    let page = question.page.saturating_sub(1);
    let of_page: Vec<&Value> = rows.iter().skip(page * size).take(size).collect();
    json!({
        "numFound": rows.len(),
        "page": page,
        "size": size,
        "updateDate": Dotted(world.clock.today()).to_string(),
        "poverenieList": of_page,
    })
}

/// The register's rows on a company.
fn rows(company: &Company) -> Vec<Value> {
    let mut rows = Vec::new();
    for (place, one) in authorizations(company).iter().enumerate() {
        let times = if one.is_doubled { 2 } else { 1 };
        rows.extend((0..times).map(|time| row(company, one, place, time)));
    }
    rows
}

/// A row. Unknown values are left out.
fn row(company: &Company, one: &Authorization, place: usize, time: u32) -> Value {
    let mut row = json!({
        "guid": format!("{:08x}-0000-4000-800{time}-00{}", company.index, one.number),
        "ecli": one.ecli,
        "spisovaZnacka": one.file_number,
        "identifikacneCislo": one.number,
        "datumVydania": Dotted(one.authorized).to_string(),
        "stav": state(one),
        // Some names contain no-break spaces.
        "sud": {
            "registreGuid": "sud_138",
            "nazov": if place % 3 == 1 { one.court.replace(' ', "\u{a0}") } else { one.court.to_owned() },
        },
        "opravneny": one.creditors.iter().map(party).collect::<Vec<_>>(),
        "povinny": obligors(company, one, place),
    });
    let absent: [(&str, Option<Value>); 3] = [
        (
            "exekutor",
            one.executor
                .as_ref()
                .map(|name| json!({"meno": name, "cislo": "900"})),
        ),
        ("druhNaroku", one.claim.map(Value::from)),
        (
            "datumZverejnenia",
            one.published.map(|date| Dotted(date).to_string().into()),
        ),
    ];
    for (name, value) in absent {
        if let Some(value) = value {
            row[name] = value;
        }
    }
    row
}

fn state(one: &Authorization) -> &'static str {
    if one.is_active {
        "Aktuálny"
    } else {
        "Neaktuálny"
    }
}

fn party(creditor: &Creditor) -> Value {
    let mut party = Map::new();
    let (name, ico) = named(creditor);
    party.insert("nazov".to_owned(), name.into());
    party.insert("sidlo".to_owned(), "Skúšobná 1, Vymyslenovo".into());
    if let Some(ico) = ico {
        party.insert("ico".to_owned(), ico.into());
    }
    party.into()
}

fn named(creditor: &Creditor) -> (&str, Option<&str>) {
    match creditor {
        Creditor::Company { name, ico } => (name, Some(ico)),
        Creditor::Foreign { name } => (name, None),
        Creditor::Person { name } => (name, None),
    }
}

/// The obligors. The IČO occurs in three spellings.
fn obligors(company: &Company, one: &Authorization, place: usize) -> Vec<Value> {
    let spelled = match (company.index as usize + place) % 3 {
        0 => spaced(&company.ico, ' '),
        1 => company.ico.clone(),
        _ => spaced(&company.ico, '\u{a0}'),
    };
    let own = json!({
        "nazov": company.name(),
        "sidlo": company.seat().street_line(),
        "ico": spelled,
    });
    if one.has_other_obligors {
        let other = identifiers::ico(OTHER_OBLIGOR);
        vec![
            json!({"nazov": "Ondrej Zvončec", "sidlo": "Žabia 3, Vymyslenovo"}),
            own,
            json!({"nazov": "Spoludlžník Vzor, s. r. o.", "sidlo": "Tichá 9, Martin", "ico": other}),
        ]
    } else {
        vec![own]
    }
}

/// Formats an IČO as `99 999 943`.
fn spaced(ico: &str, space: char) -> String {
    let (head, rest) = ico.split_at(2);
    let (middle, tail) = rest.split_at(3);
    format!("{head}{space}{middle}{space}{tail}")
}

async fn file(State(world): State<Arc<World>>) -> Response {
    let body = bodies::produced(move |csv| {
        writeln!(
            csv,
            "ecli;cislo_poverenia;spisova_znacka;sud;exekutor;druh_naroku;opravneny_nazov;opravneny_ico;povinny_ico;\
             datum_vydania;datum_zverejnenia;k_datumu;stav"
        )?;
        let date = Dotted(world.clock.today()).to_string();
        for index in 0..world.population.len() {
            let company = world.population.company(index, world.clock.day());
            for one in authorizations(&company) {
                let times = if one.is_doubled { 2 } else { 1 };
                for _ in 0..times {
                    lines(csv, &company.ico, &one, &date)?;
                }
                if one.has_other_obligors {
                    // The natural person among the obligors.
                    lines(csv, "", &one, &date)?;
                }
            }
        }
        Ok(())
    });
    ([(header::CONTENT_TYPE, "text/csv; charset=utf-8")], body).into_response()
}

/// A line for each creditor.
fn lines(csv: &mut impl Write, obligor: &str, one: &Authorization, date: &str) -> io::Result<()> {
    for creditor in &one.creditors {
        let (name, ico) = named(creditor);
        let published = one.published.map(|date| Dotted(date).to_string());
        let cells = [
            &one.ecli,
            &one.number,
            &one.file_number,
            one.court,
            one.executor.as_deref().unwrap_or_default(),
            one.claim.unwrap_or_default(),
            &quoted(name),
            ico.unwrap_or_default(),
            obligor,
            &Dotted(one.authorized).to_string(),
            published.as_deref().unwrap_or_default(),
            date,
            state(one),
        ];
        writeln!(csv, "{}", cells.join(";"))?;
    }
    Ok(())
}

/// A CSV value, quoted if necessary.
fn quoted(value: &str) -> String {
    if value.contains(['"', ';', '\n']) {
        format!("\"{}\"", value.replace('"', "\"\""))
    } else {
        value.to_owned()
    }
}
