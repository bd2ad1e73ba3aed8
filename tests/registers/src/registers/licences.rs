//! `/licences`: an invented register for the guide for connector authors (`https://register.example/licences`).
//!
//! `GET /licences?ico=…` returns the company's licences in force today. A company without licences has an empty
//! list. An unassigned number is a 404 with the register's own error code. Any other request is a 400.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};
use time::Date;

use crate::World;
use crate::population::calendar::{Iso, after, before};
use crate::population::dice::{Dice, Topic};
use crate::population::{Company, SMALLEST};

const KINDS: [&str; 6] = [
    "Preprava odpadov",
    "Výkup kovov",
    "Chov rýb",
    "Predaj liehu",
    "Zber liečivých rastlín",
    "Prevádzka kolotoča",
];

/// The licences of the showcase in rotation: two, one, one that ends on the fortieth day, none.
const SHOWN: [&[Term]; 4] = [
    &[Term::Open, Term::Days(400)],
    &[Term::Open],
    &[Term::Days(40)],
    &[],
];

/// The validity of a licence, counted from the simulator's first day.
#[derive(Debug, Clone, Copy)]
enum Term {
    Open,
    /// For this number of days.
    Days(u32),
}

/// A licence as the register writes it.
struct Licence {
    number: String,
    kind: &'static str,
    from: Date,
    to: Option<Date>,
}

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new().route("/licences", get(by_ico))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Question {
    ico: String,
}

async fn by_ico(State(world): State<Arc<World>>, Query(question): Query<Question>) -> Response {
    let ico = question.ico;
    if ico.len() != 8 || !ico.bytes().all(|byte| byte.is_ascii_digit()) {
        return refused(
            StatusCode::BAD_REQUEST,
            "invalid-ico",
            "ico must have 8 digits",
        );
    }
    let Some(index) = world.population.by_ico(&ico) else {
        return refused(
            StatusCode::NOT_FOUND,
            "unknown-ico",
            "the register knows no such number",
        );
    };
    let company = world.population.company(index, world.clock.day());
    let licences: Vec<Value> = in_force(&world, &company).iter().map(written).collect();
    Json(json!({ "ico": ico, "holder": company.name(), "licences": licences })).into_response()
}

fn refused(status: StatusCode, code: &str, message: &str) -> Response {
    (status, Json(json!({ "error": code, "message": message }))).into_response()
}

fn written(licence: &Licence) -> Value {
    json!({
        "number": licence.number,
        "kind": licence.kind,
        "validFrom": Iso(licence.from).to_string(),
        "validTo": licence.to.map(|to| Iso(to).to_string()),
    })
}

/// The licences of today. Ended licences are removed from the list, and a dissolved company has none.
fn in_force(world: &World, company: &Company) -> Vec<Licence> {
    if company.ending.is_some() {
        return Vec::new();
    }
    let today = world.clock.today();
    let all = granted(world, company);
    all.into_iter()
        .filter(|licence| licence.to.is_none_or(|to| to >= today))
        .collect()
}

fn granted(world: &World, company: &Company) -> Vec<Licence> {
    let is_shown = company.index < SMALLEST;
    // The showcase does not depend on the seed.
    let seed = if is_shown { 0 } else { world.population.seed() };
    let mut dice = Dice::new(seed, company.index, Topic::Licences);
    let terms = if is_shown {
        SHOWN[company.index as usize % SHOWN.len()].to_vec()
    } else {
        rolled(&mut dice)
    };
    let first = dice.below(6);
    terms
        .iter()
        .zip(0..)
        .map(|(term, place)| {
            licence(
                world.population.start(),
                company,
                *term,
                first + place,
                place,
            )
        })
        .collect()
}

/// Six of ten ordinary companies have no licence, three have one, one has two or three.
fn rolled(dice: &mut Dice) -> Vec<Term> {
    let count = match dice.below(20) {
        0..12 => 0,
        12..18 => 1,
        18 => 2,
        _ => 3,
    };
    (0..count)
        .map(|_| {
            if dice.chance(400) {
                Term::Open
            } else {
                Term::Days(dice.below(1_000))
            }
        })
        .collect()
}

fn licence(start: Date, company: &Company, term: Term, kind: u32, place: u32) -> Licence {
    let from = before(start, 300 + 100 * place).max(company.established);
    Licence {
        number: format!("L-{}-{:06}{}", from.year(), company.index, place),
        kind: KINDS[kind as usize % KINDS.len()],
        from,
        to: match term {
            Term::Open => None,
            Term::Days(days) => Some(after(start, days)),
        },
    }
}
