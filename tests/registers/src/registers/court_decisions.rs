//! `/obcan-justice/pilot/api/ress-isu-service/v1/rozhodnutie`: court decisions (`https://obcan.justice.sk`).
//!
//! A full-text search without a field for a party's number. Pages count from 1, page 0 is also the first one,
//! and the answer's page number is one lower. A page has fewer rows than requested. Members without a value are
//! left out. Passages are returned only with a search; without a search term the whole register is returned.
//! Date filters are not simulated.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use encoding_rs::WINDOWS_1250;
use serde::Deserialize;
use serde_json::{Value, json};

use super::orsr::html::escape;
use crate::World;
use crate::population::Company;
use crate::population::calendar::Dotted;
use crate::population::decisions::{Decision, Mention, Party, decisions};

/// Maximum number of rows on a page, small enough that a showcase company has six pages.
const MAX_ROWS: usize = 10;
/// Number of decisions outside the population, included in the total of an unfiltered query.
const OTHERS: usize = 4_680_000;

const PATH: &str = "/obcan-justice/pilot/api/ress-isu-service/v1/rozhodnutie";

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new()
        .route(PATH, get(search))
        .route(&format!("{PATH}/{{guid}}"), get(detail))
}

#[derive(Debug, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Question {
    query: String,
    sort_property: String,
    sort_direction: String,
    page: usize,
    size: usize,
}

impl Default for Question {
    fn default() -> Self {
        Self {
            query: String::new(),
            sort_property: String::new(),
            sort_direction: "ASC".to_owned(),
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
    let company = |index: u32| world.population.company(index, world.clock.day());
    let is_search = !question.query.trim().is_empty();
    let mut rows: Vec<Value> = if is_search {
        let found = world.population.by_ico(question.query.trim());
        found.map_or_else(Vec::new, |index| rows(&company(index), true))
    } else {
        let first = (0..world.population.len().min(100)).map(company);
        first.flat_map(|company| rows(&company, false)).collect()
    };
    // Results are sorted newest first only if the query requests it.
    let is_sorted = question.sort_property == "datum_vydania_rozhodnutia";
    if !is_sorted || question.sort_direction != "DESC" {
        rows.reverse();
    }
    let size = question.size.clamp(1, MAX_ROWS);
    let page = question.page.saturating_sub(1);
    let found = rows.len() + if is_search { 0 } else { OTHERS };
    let of_page: Vec<&Value> = rows.iter().skip(page * size).take(size).collect();
    json!({
        "numFound": found,
        "page": page,
        "size": size,
        "updateDate": Dotted(world.clock.today()).to_string(),
        "filterList": [],
        "rozhodnutieList": of_page,
    })
}

fn rows(company: &Company, is_search: bool) -> Vec<Value> {
    let all = decisions(company);
    let row = |decision: &Decision| {
        let mut row = row(decision);
        let passages = is_search.then(|| passages(company, decision));
        row["zvyraznenie"] = passages.unwrap_or_default().into();
        row
    };
    all.iter().map(row).collect()
}

fn row(decision: &Decision) -> Value {
    json!({
        "guid": format!("{}:{}", decision.id, decision.document),
        "formaRozhodnutia": decision.form,
        "povaha": decision.natures.iter().map(|nature| nature.replacen(' ', "\u{a0}", 1)).collect::<Vec<_>>(),
        "sud": {"registreGuid": "sud_141", "nazov": decision.court, "adresaString": "Skúšobná 1, Vzorov"},
        "sudca": {"registreGuid": "sudca_null", "meno": decision.judge},
        "identifikacneCislo": decision.number,
        "spisovaZnacka": decision.file_mark,
        "datumVydania": Dotted(decision.date).to_string(),
    })
}

async fn detail(State(world): State<Arc<World>>, Path(guid): Path<String>) -> Json<Value> {
    let index = guid
        .get(..8)
        .and_then(|index| u32::from_str_radix(index, 16).ok());
    let index = index.filter(|index| *index < world.population.len());
    let all = index.map(|index| decisions(&world.population.company(index, world.clock.day())));
    let is_it = |one: &Decision| guid == format!("{}:{}", one.id, one.document);
    let found = all.into_iter().flatten().find(is_it);
    Json(found.map_or_else(
        || json!({}),
        |decision| {
            let mut whole = row(&decision);
            whole["ecli"] = format!(
                "ECLI:SK:OSVZ:{}:{}.1",
                decision.date.year(),
                decision.number
            )
            .into();
            whole["oblast"] = json!(["Obchodné\u{a0}právo"]);
            whole["dokument"] = json!({
                "name": format!("{}.pdf", decision.form),
                "fileExtension": "PDF",
                "size": 82_576,
                "url": format!("https://obcan.justice.sk/content/public/item/{}", decision.document),
            });
            whole
        },
    ))
}

/// The passages that contain the number, with the register's markup.
fn passages(company: &Company, decision: &Decision) -> Vec<String> {
    let ico = &company.ico;
    let whole = format!("<em>{ico}</em>");
    let (head, rest) = ico.split_at(2);
    let (middle, tail) = rest.split_at(3);
    match decision.mention {
        Mention::Whole => vec![passage(company, decision.party, &whole)],
        Mention::Spaced => {
            let number = format!("<em>{head}</em>&nbsp;<em>{middle}</em>&nbsp;<em>{tail}</em>");
            vec![passage(company, decision.party, &number)]
        }
        Mention::Split => {
            let number = format!("{head}{middle}<em class=\"hl\">{tail}</em>");
            vec![
                "&hellip; vo veci zaplatenia istiny s príslušenstvom".to_owned(),
                passage(company, decision.party, &number),
            ]
        }
        Mention::Garbled => {
            let passage = passage(company, decision.party, &whole);
            let (garbled, _) = WINDOWS_1250.decode_without_bom_handling(passage.as_bytes());
            vec![garbled.into_owned()]
        }
        Mention::Longer => vec![format!("na účet č. 19{whole}00 vedený v banke")],
        Mention::TaxNumber => vec![format!("dodávateľ, DIČ: 20{whole}, vystavil faktúru")],
        Mention::ContractNumber => vec![format!("zo zmluvy o úvere č. {whole} zo dňa 3. mája")],
        Mention::Unshown => Vec::new(),
    }
}

fn passage(company: &Company, party: Party, number: &str) -> String {
    let name = escape(company.name()).replace('"', "&quot;");
    let seat = escape(&company.seat().street_line());
    let own = format!("{name}, so sídlom {seat}, IČO: {number}");
    let other = "Iná Skúšobná, a. s., so sídlom Tichá 9, Martin, IČO: 11111111";
    match party {
        Party::Plaintiff => {
            format!("v právnej veci žalobcu: {own}, proti žalovanému: {other}, o zaplatenie")
        }
        Party::Defendant => format!("v spore žalobcu: {other}, proti žalovanému: {own}, rozhodol"),
        Party::Entitled => {
            format!("v exekučnej veci oprávneného: {own}, proti povinnému: Ondrej Zvončec")
        }
        Party::Obliged => {
            format!("v exekučnej veci oprávneného: {other}, proti povinnému: {own}, takto:")
        }
        Party::Debtor => format!("o návrhu na vyhlásenie konkurzu na majetok dlžníka: {own}"),
        Party::Representative => {
            format!("žalovaný: {other}, v konaní zastúpený spoločnosťou {own}, o náhradu")
        }
        Party::Unsaid => format!("za účasti: {name} ({number})"),
    }
}
