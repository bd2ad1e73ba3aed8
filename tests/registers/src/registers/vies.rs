//! `/vies`: the Union's VAT validation (`https://ec.europa.eu/taxation_customs/vies/rest-api`).
//!
//! For one number in a hundred the member state does not answer. The error has the same body in both calls.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use bytes::Bytes;
use serde_json::{Value, json};
use time::OffsetDateTime;
use time::macros::format_description;

use super::fs::foreign_rows;
use crate::World;
use crate::population::dice::{Dice, Topic};
use crate::population::identifiers::VatOwner;

/// The showcase company for whose number the member state never answers.
pub(crate) const BUSY_SHOWCASE: u32 = 11;
const UNDISCLOSED: &str = "---";

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new()
        .route("/vies/check-vat-number", post(check))
        .route("/vies/ms/{state}/vat/{number}", get(check_by_address))
        .route("/vies/check-status", get(status))
}

/// The member state's answer about a number.
enum Verdict {
    Valid { name: String, address: String },
    Invalid,
    Failed(&'static str),
}

fn verdict(world: &World, state: &str, number: &str) -> Verdict {
    if state != "SK" {
        return Verdict::Invalid;
    }
    let owner = world.population.vat_owner(number);
    if let Some(VatOwner::Company(index) | VatOwner::Group(index)) = owner {
        if let Some(failure) = failure(world, index) {
            return Verdict::Failed(failure);
        }
        let company = world.population.company(index, world.clock.day());
        let is_registered = company
            .vat
            .registration
            .as_ref()
            .is_some_and(|registration| registration.number == number);
        if !is_registered {
            return Verdict::Invalid;
        }
        let seat = company.seat();
        // The address is one line for some companies and ends with a line break for others.
        let end = if index % 4 == 3 { "\n" } else { "" };
        let address = format!(
            "{}\n{} {}\nSlovensko{end}",
            seat.street_line(),
            seat.postal_code(),
            seat.city
        );
        return Verdict::Valid {
            name: company.name().to_owned(),
            address,
        };
    }
    match owner {
        Some(VatOwner::Foreign(place)) => {
            let rows = foreign_rows(&world.population);
            let name = rows[place as usize][2].clone().unwrap_or_default();
            Verdict::Valid {
                name,
                address: UNDISCLOSED.to_owned(),
            }
        }
        Some(VatOwner::Company(_) | VatOwner::Group(_)) | None => Verdict::Invalid,
    }
}

fn failure(world: &World, index: u32) -> Option<&'static str> {
    if index < crate::population::SMALLEST {
        return (index == BUSY_SHOWCASE).then_some("MS_UNAVAILABLE");
    }
    let mut dice = Dice::new(world.population.seed(), index, Topic::Trouble);
    match dice.below(200) {
        0 => Some("MS_UNAVAILABLE"),
        1 => Some("MS_MAX_CONCURRENT_REQ"),
        _ => None,
    }
}

fn error(status: StatusCode, code: &str) -> Response {
    (
        status,
        Json(json!({"actionSucceed": false, "errorWrappers": [{"error": code}]})),
    )
        .into_response()
}

fn failed(code: &'static str) -> Response {
    // The status code is misleading: a state that does not answer is a 500, a refusal is a 200.
    error(
        if code == "MS_UNAVAILABLE" {
            StatusCode::INTERNAL_SERVER_ERROR
        } else {
            StatusCode::OK
        },
        code,
    )
}

fn request_date(world: &World) -> String {
    let format =
        format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");
    let now: OffsetDateTime = world.clock.now().to_offset(time::UtcOffset::UTC);
    now.format(&format)
        .expect("every part of the date is known")
}

async fn check(State(world): State<Arc<World>>, body: Bytes) -> Response {
    let Ok(asked) = serde_json::from_slice::<Value>(&body) else {
        return error(StatusCode::BAD_REQUEST, "INVALID_INPUT");
    };
    let text = |name: &str| asked.get(name).and_then(Value::as_str).map(str::to_owned);
    let (Some(state), Some(number)) = (text("countryCode"), text("vatNumber")) else {
        return error(StatusCode::BAD_REQUEST, "INVALID_INPUT");
    };
    if !number.bytes().all(|byte| byte.is_ascii_alphanumeric()) || number.is_empty() {
        return error(StatusCode::BAD_REQUEST, "INVALID_INPUT");
    }
    let (valid, name, address) = match verdict(&world, &state, &number) {
        Verdict::Valid { name, address } => (true, name, address),
        Verdict::Invalid => (false, UNDISCLOSED.to_owned(), UNDISCLOSED.to_owned()),
        Verdict::Failed(code) => return failed(code),
    };
    Json(json!({
        "countryCode": state,
        "vatNumber": number,
        "requestDate": request_date(&world),
        "valid": valid,
        "requestIdentifier": if text("requesterNumber").is_some() { "WAPISIMULATED" } else { "" },
        "name": name,
        "address": address,
        "traderName": UNDISCLOSED,
        "traderStreet": UNDISCLOSED,
        "traderPostalCode": UNDISCLOSED,
        "traderCity": UNDISCLOSED,
        "traderCompanyType": UNDISCLOSED,
        "traderNameMatch": "NOT_PROCESSED",
        "traderStreetMatch": "NOT_PROCESSED",
        "traderPostalCodeMatch": "NOT_PROCESSED",
        "traderCityMatch": "NOT_PROCESSED",
        "traderCompanyTypeMatch": "NOT_PROCESSED",
    }))
    .into_response()
}

async fn check_by_address(
    State(world): State<Arc<World>>,
    Path((state, number)): Path<(String, String)>,
) -> Response {
    let (valid, name, address) = match verdict(&world, &state, &number) {
        Verdict::Valid { name, address } => (true, name, address),
        Verdict::Invalid => (false, UNDISCLOSED.to_owned(), UNDISCLOSED.to_owned()),
        Verdict::Failed(code) => return failed(code),
    };
    Json(json!({
        "isValid": valid,
        "requestDate": request_date(&world),
        "userError": if valid { "VALID" } else { "INVALID" },
        "name": name,
        "address": address,
        "requestIdentifier": "",
        "originalVatNumber": number,
        "vatNumber": number,
        "viesApproximate": {
            "name": UNDISCLOSED,
            "street": UNDISCLOSED,
            "postalCode": UNDISCLOSED,
            "city": UNDISCLOSED,
            "companyType": UNDISCLOSED,
            "matchName": 3,
            "matchStreet": 3,
            "matchPostalCode": 3,
            "matchCity": 3,
            "matchCompanyType": 3,
        },
    }))
    .into_response()
}

async fn status() -> Response {
    let states = ["AT", "CZ", "DE", "EL", "HU", "PL", "SK"];
    let countries: Vec<Value> = states
        .iter()
        .map(|state| json!({"countryCode": state, "availability": if *state == "EL" { "Monitoring Disabled" } else { "Available" }}))
        .collect();
    (
        [(header::CACHE_CONTROL, "no-cache")],
        Json(json!({"vow": {"available": true}, "countries": countries})),
    )
        .into_response()
}
