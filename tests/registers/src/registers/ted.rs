//! `/ted`: the search of the Union's procurement journal (`https://api.ted.europa.eu/v3`).
//!
//! `POST /ted/notices/search` takes a query for the notices of a buyer (`buyer-identifier = 99999994 AND
//! buyer-country = SVK …`) and the wanted members. Pages continue with a token that is valid for the same query
//! only. The search also finds the buyer's number within longer numbers. A member that a notice does not have
//! is missing from the answer; a request for an unknown member is refused.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use bytes::Bytes;
use serde_json::{Map, Value, json};

use crate::World;
use crate::population::calendar::Iso;
use crate::population::union_notices::{TIMES_OUT, UnionNotice, notice_of_another, union_notices};

/// Maximum number of notices on a page.
const LARGEST: u64 = 250;
const FIELDS: [&str; 15] = [
    "publication-number",
    "publication-date",
    "notice-type",
    "form-type",
    "procedure-identifier",
    "modification-previous-notice-identifier",
    "notice-title",
    "buyer-identifier",
    "buyer-country",
    "total-value",
    "total-value-cur",
    "result-value-notice",
    "result-value-cur-notice",
    "estimated-value-proc",
    "estimated-value-cur-proc",
];
const LANGUAGES: [&str; 24] = [
    "BUL", "SPA", "CES", "DAN", "DEU", "EST", "ELL", "ENG", "FRA", "GLE", "HRV", "ITA", "LAV",
    "LIT", "HUN", "MLT", "NLD", "POL", "POR", "RON", "SLK", "SLV", "FIN", "SWE",
];

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new().route("/ted/notices/search", post(search))
}

async fn search(State(world): State<Arc<World>>, body: Bytes) -> Response {
    match answer(&world, &body) {
        Ok(found) => (
            [(header::CONTENT_TYPE, "application/json")],
            found.to_string(),
        )
            .into_response(),
        Err(why) => {
            let body = json!({ "message": why, "error": { "type": "BAD_REQUEST" } });
            (StatusCode::BAD_REQUEST, axum::Json(body)).into_response()
        }
    }
}

fn answer(world: &World, body: &[u8]) -> Result<Value, String> {
    let asked: Value = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let query = asked["query"].as_str().ok_or("query is missing")?;
    let fields = wanted(&asked)?;
    let limit = asked["limit"].as_u64().unwrap_or(10);
    if limit == 0 || limit > LARGEST || limit * fields.len() as u64 > 10_000 {
        return Err(format!("limit {limit} is out of bounds"));
    }
    if asked["paginationMode"] != "ITERATION" || asked["scope"] != "ALL" {
        return Err("another mode than the one that is known here".to_owned());
    }
    let (first, token) = (
        format!("AoE-{:x}-", fingerprint(query)),
        &asked["iterationNextToken"],
    );
    let offset: usize = match token.as_str() {
        None => 0,
        Some(token) => token
            .strip_prefix(first.as_str())
            .and_then(|offset| offset.parse().ok())
            .ok_or("the token is of another question")?,
    };
    let number = operand(query, "buyer-identifier").ok_or("no field that is known here")?;
    let country = operand(query, "buyer-country");
    let (day, index) = (world.clock.day(), world.population.by_ico(number));
    let mut found = Vec::new();
    if let Some(index) = index {
        let company = world.population.company(index, day);
        found = union_notices(&company);
        found.extend(notice_of_another(&company));
    }
    found.retain(|notice| country.is_none_or(|country| notice.countries.contains(&country)));
    let limit = usize::try_from(limit).unwrap_or_default();
    let shown: Vec<Value> = found
        .iter()
        .skip(offset)
        .take(limit)
        .map(|notice| row(notice, &fields))
        .collect();
    Ok(json!({
        "notices": shown,
        "totalNoticeCount": found.len(),
        // The last page contains a token too.
        "iterationNextToken": format!("{first}{}", offset + shown.len()),
        "timedOut": index.is_some_and(|index| (index, day) == TIMES_OUT),
    }))
}

fn wanted(asked: &Value) -> Result<Vec<&str>, String> {
    let fields = asked["fields"]
        .as_array()
        .filter(|fields| !fields.is_empty());
    let fields = fields.ok_or("fields is missing")?;
    fields
        .iter()
        .map(|field| {
            let name = field.as_str().unwrap_or_default();
            let known = FIELDS.contains(&name).then_some(name);
            known.ok_or_else(|| format!("the field {name} is not known"))
        })
        .collect()
}

/// The value to which a field is compared.
fn operand<'a>(query: &'a str, field: &str) -> Option<&'a str> {
    let (_, rest) = query.split_once(&format!("{field} = "))?;
    rest.split_whitespace().next()
}

fn fingerprint(text: &str) -> u32 {
    text.bytes()
        .fold(17, |sum: u32, byte| sum.wrapping_mul(31) ^ u32::from(byte))
}

fn row(notice: &UnionNotice, fields: &[&str]) -> Value {
    let mut all = Map::new();
    let mut put = |name: &str, value: Value| all.insert(name.to_owned(), value);
    put("publication-number", json!(notice.number));
    if let Some(date) = notice.date {
        // Summer time, winter time or no zone.
        let zone = ["Z", "+01:00", "+02:00"][notice.number.len() % 3];
        put("publication-date", json!(format!("{}{zone}", Iso(date))));
    }
    put("notice-type", json!(notice.kind));
    put("form-type", json!(notice.form()));
    put("procedure-identifier", json!(notice.procedure()));
    if let Some(modified) = &notice.modifies {
        put("modification-previous-notice-identifier", json!([modified]));
    }
    let titles = notice.titles.iter();
    put(
        "notice-title",
        titles
            .map(|(language, title)| ((*language).to_owned(), json!(title)))
            .collect(),
    );
    put("buyer-identifier", json!(notice.buyers));
    put("buyer-country", json!(notice.countries));
    if let Some(worth) = notice.value {
        if worth.is_number {
            let number = worth.amount.number();
            put(
                "total-value",
                serde_json::from_str(&number).unwrap_or_default(),
            );
            put("total-value-cur", json!([worth.currency]));
        } else {
            put("result-value-notice", json!(worth.amount.dotted()));
            put("result-value-cur-notice", json!(worth.currency));
        }
    }
    if let Some(estimate) = notice.estimate {
        if notice.has_estimate_as_total() {
            let number = serde_json::from_str(&estimate.number());
            put("total-value", number.unwrap_or_default());
            put("total-value-cur", json!(["EUR"]));
        } else {
            put("estimated-value-proc", json!(estimate.number()));
            put("estimated-value-cur-proc", json!("EUR"));
        }
    }
    all.retain(|name, _| name == "publication-number" || fields.contains(&name.as_str()));
    all.insert("links".to_owned(), links(&notice.number));
    Value::Object(all)
}

/// About seventy links, which come with every notice.
fn links(number: &str) -> Value {
    let in_all = |what: &str, behind: &str| -> Value {
        let languages = LANGUAGES.iter();
        languages
            .map(|language| {
                let short = language[..2].to_lowercase();
                let address =
                    format!("https://ted.europa.eu/{short}/notice/{what}{number}{behind}");
                ((*language).to_owned(), json!(address))
            })
            .collect()
    };
    json!({
        "xml": { "MUL": format!("https://ted.europa.eu/en/notice/{number}/xml") },
        "pdf": in_all("", "/pdf"),
        "pdfs": { "SLK": format!("https://ted.europa.eu/sk/notice/{number}/pdfs") },
        "html": in_all("-/detail/", ""),
        "htmlDirect": in_all("", "/html"),
    })
}
