//! `/replik`: the register of insolvencies (`https://replik-ws.justice.sk`).
//!
//! One address serves all operations of `konanieService`, distinguished by the element in the envelope's body.
//! Those of `oznamService` are not simulated. Quirks: prefixes differ between answers, a debtor's IČO contains
//! spaces or is left out, and a creditor's list includes the proceedings of its debtor. Errors are SOAP faults
//! with status 500.

mod log;
mod question;
mod xml;

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use bytes::Bytes;

use self::log::{Entry, Log};
use self::question::{Question, pages};
use self::xml::Prefixes;
use crate::World;
use crate::population::proceedings::{Person, Proceeding, creditor_of, index_of, of, person_of};
use crate::population::{Company, identifiers};

/// Maximum number of items on a page.
const PAGE: usize = 100;
/// Maximum number of changes in one answer, whatever the request says.
const MAX_CHANGES: usize = 250;

pub(crate) fn router() -> Router<Arc<World>> {
    let log = Arc::new(Log::default());
    let ask = post(move |State(world): State<Arc<World>>, body: Bytes| {
        let log = Arc::clone(&log);
        async move {
            let answer = tokio::task::spawn_blocking(move || answer(&world, &log, &body)).await;
            answer.unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
        }
    });
    Router::new()
        .route("/replik/ru-verejnost-ws", ask.clone())
        .route("/replik/ru-verejnost-ws/", ask)
        .route(
            "/replik/ru-verejnost-ws/konanieService.wsdl",
            get(description),
        )
        .route(
            "/replik/ru-verejnost-ws/oznamService.wsdl",
            get(description),
        )
}

async fn description() -> Response {
    let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<wsdl:definitions xmlns:wsdl=\"http://schemas.xmlsoap.org/wsdl/\" \
        targetNamespace=\"datatypes.konanie.verejnost.ru.sk.hp.com\"/>\n";
    xml_answer(StatusCode::OK, text.to_owned())
}

fn xml_answer(status: StatusCode, text: String) -> Response {
    (
        status,
        [(header::CONTENT_TYPE, "text/xml; charset=utf-8")],
        text,
    )
        .into_response()
}

/// The debtor of a proceeding.
enum Debtor {
    Company(Box<Company>),
    Person(Box<Person>),
}

fn answer(world: &World, log: &Log, body: &[u8]) -> Response {
    let text = String::from_utf8_lossy(body);
    let asked = Question::read(&text).and_then(|question| respond(world, log, &question));
    match asked {
        Ok((prefixes, body)) => xml_answer(StatusCode::OK, prefixes.envelope(&body)),
        Err(why) => {
            let fault = format!(
                "<SOAP-ENV:Fault><faultcode>SOAP-ENV:Client</faultcode><faultstring xml:lang=\"sk\">{}</faultstring></SOAP-ENV:Fault>",
                xml::text(&why)
            );
            xml_answer(
                StatusCode::INTERNAL_SERVER_ERROR,
                Prefixes::of(1).envelope(&fault),
            )
        }
    }
}

/// The answer's body, or the error.
fn respond(world: &World, log: &Log, question: &Question) -> Result<(Prefixes, String), String> {
    match question {
        Question::ByIco { ico, page, size } => {
            let found = by_ico(world, ico);
            let prefixes = Prefixes::of(found.len() as u64 + *page as u64);
            let rows: Vec<String> = pages(&found, *page, (*size).min(PAGE))
                .iter()
                .map(|(debtor, proceeding)| xml::row(prefixes, debtor, proceeding, true))
                .collect();
            Ok((
                prefixes,
                xml::list(prefixes, "getKonaniePodlaICO", &rows, found.len()),
            ))
        }
        Question::ByPeriod {
            from,
            until,
            page,
            size,
        } => {
            let mut all: Vec<Entry> = log.entries(world).to_vec();
            all.retain(|entry| (*from..=*until).contains(&entry.began));
            all.sort_by_key(|entry| (entry.began, entry.id));
            let prefixes = Prefixes::of(*page as u64);
            let rows: Vec<String> = pages(&all, *page, (*size).min(PAGE))
                .iter()
                .filter_map(|entry| by_id(world, entry.id))
                .map(|(debtor, proceeding)| xml::row(prefixes, &debtor, &proceeding, false))
                .collect();
            Ok((
                prefixes,
                xml::list(prefixes, "getKonaniePreObdobie", &rows, all.len()),
            ))
        }
        Question::Detail { id } => {
            let Some((debtor, proceeding)) = by_id(world, *id) else {
                return Err(format!("Konanie {id} neexistuje"));
            };
            let prefixes = Prefixes::of(*id);
            let petitioner = petitioner(world, &debtor);
            let detail = xml::detail(prefixes, &debtor, petitioner.as_ref(), &proceeding);
            Ok((prefixes, detail))
        }
        Question::ChangesSince { from, most } => {
            let entries = log.entries(world);
            let first = entries.partition_point(|entry| entry.changed < *from);
            let rest = entries.iter().skip(first).take((*most).min(MAX_CHANGES));
            let prefixes = Prefixes::of(first as u64);
            Ok((prefixes, xml::changes(prefixes, rest)))
        }
        Question::Courts => Ok((Prefixes::of(0), xml::courts(Prefixes::of(0)))),
    }
}

/// The list of an IČO, newest first: its own proceedings, and those in which it is the creditor.
fn by_ico(world: &World, ico: &str) -> Vec<(Debtor, Proceeding)> {
    let day = world.clock.day();
    let Some(index) = world.population.by_ico(ico) else {
        return Vec::new();
    };
    let listed = [Some(index), creditor_of(index)].into_iter().flatten();
    let mut found: Vec<(Debtor, Proceeding)> = listed
        .filter(|index| *index < world.population.len())
        .flat_map(|index| {
            let company = world.population.company(index, day);
            let proceedings = of(&company);
            proceedings
                .into_iter()
                .map(move |proceeding| (Debtor::Company(Box::new(company.clone())), proceeding))
        })
        .collect();
    found.sort_by_key(|(_, proceeding)| std::cmp::Reverse((proceeding.began, proceeding.id)));
    found
}

/// The creditor who petitioned for the proceedings.
fn petitioner(world: &World, debtor: &Debtor) -> Option<Company> {
    let Debtor::Company(debtor) = debtor else {
        return None;
    };
    let before = debtor.index.checked_sub(1)?;
    let is_creditor = creditor_of(before) == Some(debtor.index);
    is_creditor.then(|| world.population.company(before, world.clock.day()))
}

fn by_id(world: &World, id: u64) -> Option<(Debtor, Proceeding)> {
    if let Some(person) = person_of(&world.population, id) {
        let proceeding = person.proceeding.clone();
        return Some((Debtor::Person(Box::new(person)), proceeding));
    }
    let index = index_of(id).filter(|index| *index < world.population.len())?;
    let company = world.population.company(index, world.clock.day());
    let proceeding = of(&company)
        .into_iter()
        .find(|proceeding| proceeding.id == id)?;
    Some((Debtor::Company(Box::new(company)), proceeding))
}

/// An IČO in the spelling of the clerks; `None` if they left it out.
fn listed_ico(company: &Company) -> Option<String> {
    let spaced = |ico: &str| format!("{} {} {}", &ico[..2], &ico[2..5], &ico[5..]);
    match company.index {
        6 => None,
        index if index >= 12 && index % 7 == 5 && index != crate::population::proceedings::MANY => {
            None
        }
        index if index % 3 == 1 => Some(spaced(&identifiers::ico(index))),
        _ => Some(company.ico.clone()),
    }
}
