//! `/nbs`: the subjects that the national bank supervises (`https://subjekty.nbs.sk`).
//!
//! `GET /nbs/api/json` is a ZIP with one JSON file, although its content type does not say so. It contains all
//! institutions with the texts of their licences in force, and no ended ones. The `id` of a Slovak institution is its
//! IČO, sometimes as a number or with spaces; foreign institutions have other ids, which may have the same digits.
//! Natural persons may have none, and sole traders may be listed a second time as such. Which institutions agents work
//! for is in no file of the bank but in `/operator-files/nbs-agents.csv`.
//! `GET /nbs/api/psd2` is a JSON list with a row for each payment service, including ended ones.

use std::io::{self, Seek, Write};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::{Value, json};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::World;
use crate::bodies;
use crate::population::Company;
use crate::population::calendar::Iso;
use crate::population::supervision::{Outsider, address, licences, outsiders, services};

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new()
        .route("/nbs/api/json", get(institutions))
        .route("/nbs/api/psd2", get(payment_services))
}

async fn institutions(State(world): State<Arc<World>>) -> Response {
    let made = bodies::spooled(move |file| archive(&world, file)).await;
    sent(made, "application/octet-stream")
}

async fn payment_services(State(world): State<Arc<World>>) -> Response {
    let made = bodies::spooled(move |file| {
        let population = &world.population;
        let own = companies(&world).flat_map(|company| service_rows(&world, &company));
        let others = outsiders(population);
        // One foreign service, with the digits of a company here.
        let foreign = others.iter().take(1).map(foreign_service);
        list(file, own.chain(foreign))
    })
    .await;
    sent(made, "application/json; charset=utf-8")
}

fn sent(made: io::Result<(u64, Body)>, kind: &'static str) -> Response {
    match made {
        Ok((length, body)) => {
            let headers = [
                (header::CONTENT_TYPE, kind.to_owned()),
                (header::CONTENT_LENGTH, length.to_string()),
            ];
            (headers, body).into_response()
        }
        Err(error) => {
            tracing::error!(%error, "generating the list failed");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

fn companies(world: &World) -> impl Iterator<Item = Company> + '_ {
    let day = world.clock.day();
    (0..world.population.len()).map(move |index| world.population.company(index, day))
}

fn archive(world: &World, file: &mut (impl Write + Seek)) -> io::Result<()> {
    let options = SimpleFileOptions::default().compression_level(Some(1));
    let mut archive = ZipWriter::new(file);
    archive.start_file("subjekty.json", options)?;
    let mut json = io::BufWriter::with_capacity(64 << 10, &mut archive);
    write!(json, "{{\"institutions\":")?;
    let own = companies(world).flat_map(|company| institution_rows(world, &company));
    let today = world.clock.today();
    let mut others = outsiders(&world.population);
    others.retain(|outsider| outsider.is_listed(today));
    list(&mut json, own.chain(others.iter().map(outsider)))?;
    write!(json, "}}")?;
    json.flush()?;
    drop(json);
    archive.finish()?;
    Ok(())
}

fn list(out: &mut impl Write, rows: impl Iterator<Item = Value>) -> io::Result<()> {
    write!(out, "[")?;
    for (place, row) in rows.enumerate() {
        let comma = if place == 0 { "" } else { ",\n" };
        write!(out, "{comma}{row}")?;
    }
    write!(out, "]")
}

/// One row per subject, except: company 7 has one per spelling, company 11 one per licence, and company 10 one
/// without licences.
fn institution_rows(world: &World, company: &Company) -> Vec<Value> {
    let today = world.clock.today();
    let mut listed = licences(company);
    listed.retain(|licence| licence.is_listed(today));
    let scopes = listed.iter().flat_map(|licence| &licence.spellings);
    let scopes: Vec<Value> = scopes.map(|text| json!({ "scope": text })).collect();
    match company.index {
        10 => vec![institution(company, &[])],
        _ if scopes.is_empty() => Vec::new(),
        7 | 11 => scopes
            .chunks(1)
            .map(|scopes| institution(company, scopes))
            .collect(),
        _ => vec![institution(company, &scopes)],
    }
}

fn institution(company: &Company, licenses: &[Value]) -> Value {
    let mut row = json!({
        "id": id(company),
        "name": company.name(),
        "address": address(company),
        "country": "SK",
        "licenses": licenses,
    });
    // A member without documentation.
    if company.index.is_multiple_of(3) {
        row["lei"] = Value::Null;
    }
    row
}

/// A text, a number without its leading zeros, or a text with spaces.
fn id(company: &Company) -> Value {
    let ico = &company.ico;
    match company.index % 5 {
        1 => ico.parse::<u64>().map_or(Value::Null, Value::from),
        2 => json!(format!("{} {} {}", &ico[..2], &ico[2..5], &ico[5..])),
        _ => json!(ico),
    }
}

fn outsider(outsider: &Outsider) -> Value {
    json!({
        "id": outsider.id,
        "name": outsider.name,
        "address": outsider.address,
        "country": outsider.country,
        "licenses": [{ "scope": outsider.text }],
    })
}

fn service_rows(world: &World, company: &Company) -> Vec<Value> {
    let today = world.clock.today();
    let listed = services(company).into_iter();
    listed
        .filter(|service| service.from <= today)
        .map(|service| {
            // The end of a service is published only once it has passed.
            let to = service.to.filter(|to| *to <= today);
            json!({
                "id": id(company),
                "name": company.name(),
                "address": address(company),
                "country": "SK",
                "service": service.name,
                "date_from": Iso(service.from).to_string(),
                "date_to": to.map(|to| Iso(to).to_string()),
            })
        })
        .collect()
}

fn foreign_service(outsider: &Outsider) -> Value {
    json!({
        "id": outsider.id,
        "name": outsider.name,
        "address": "Příkladová 1, 999 98 Příkladov",
        "country": outsider.country,
        "service": "AISP",
        "date_from": "2019-09-14",
        "date_to": null,
    })
}
