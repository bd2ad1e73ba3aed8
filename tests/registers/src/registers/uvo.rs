//! `/uvo`: the site of the office for public procurement (`https://www.uvo.gov.sk`), which has only HTML pages.
//!
//! The register of barred persons is a list of text blocks, ten per page; the search with `searchType=OSZ`
//! returns the same blocks. The same search returns the list of economic subjects with [`SUPPLIERS`], an
//! invented selector. Orders, profiles and references have separate searches; profiles and references have
//! detail pages with labels. Every list states its total number of entries, or one sentence if it is empty.
//! Links are relative to the root of the site, and those to details require a hash.

mod lists;
mod page;

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;

use self::page::{details, escape, frame};
use crate::World;
use crate::population::calendar::Dotted;
use crate::population::dice::{Dice, Topic};
use crate::population::procurement::{Reference, profile_by_id, reference_by_id};

/// The selector of the list of economic subjects. The real one is undocumented.
pub(crate) const SUPPLIERS: &str = "ZHS";

type Parameters = HashMap<String, String>;

pub(crate) fn router() -> Router<Arc<World>> {
    const SEARCHES: &str = "/uvo/vyhladavanie";
    Router::new()
        .route(
            "/uvo/zaujemca-uchadzac/registre-o-hospodarskych-subjektoch/register-osob-so-zakazom",
            get(barred),
        )
        .route(
            &format!("{SEARCHES}/globalne-vyhladavanie"),
            get(global_search),
        )
        .route(
            &format!("{SEARCHES}/vyhladavanie-zakaziek"),
            get(order_search),
        )
        .route(
            &format!("{SEARCHES}/vyhladavanie-profilov"),
            get(profile_search),
        )
        .route(
            &format!("{SEARCHES}/vyhladavanie-profilov/detail/{{id}}"),
            get(profile),
        )
        .route(
            &format!("{SEARCHES}/vyhladavanie-referencii"),
            get(reference_search),
        )
        .route(
            &format!("{SEARCHES}/vyhladavanie-referencii/detail/{{id}}"),
            get(reference),
        )
}

/// The hash in a link to a detail page.
fn hash(id: u32) -> String {
    let mut dice = Dice::new(1, id, Topic::Records);
    format!("{:016x}", dice.roll())
}

fn has_hash(parameters: &Parameters, id: u32) -> bool {
    parameters.get("cHash") == Some(&hash(id))
}

fn not_found() -> Response {
    let page = frame(
        "Stránka neexistuje",
        "<p>Požadovaná stránka neexistuje.</p>",
    );
    (StatusCode::NOT_FOUND, Html(page)).into_response()
}

async fn barred(State(world): State<Arc<World>>, Query(parameters): Query<Parameters>) -> Response {
    in_thread(move || {
        let blocks = lists::barred(&world);
        let list = page::list(&blocks, 10, &parameters, <[String]>::concat);
        Html(frame("Register osôb so zákazom", &list)).into_response()
    })
    .await
}

async fn global_search(
    State(world): State<Arc<World>>,
    Query(parameters): Query<Parameters>,
) -> Response {
    in_thread(move || {
        let wanted = parameters.get("globalSearch").map_or("", String::as_str);
        let kind = parameters.get("searchType").map_or("", String::as_str);
        let list = match kind {
            "OSZ" => {
                let mut blocks = lists::barred(&world);
                blocks.retain(|block| !wanted.is_empty() && block.contains(&escape(wanted)));
                page::list(&blocks, 10, &parameters, <[String]>::concat)
            }
            SUPPLIERS => {
                let rows = lists::suppliers(&world, wanted);
                page::list(&rows, 20, &parameters, |rows| {
                    page::table(&lists::SUPPLIER_HEADERS, rows)
                })
            }
            _ => "<p>Neznámy typ vyhľadávania.</p>".to_owned(),
        };
        Html(frame("Globálne vyhľadávanie", &list)).into_response()
    })
    .await
}

async fn order_search(
    State(world): State<Arc<World>>,
    Query(parameters): Query<Parameters>,
) -> Response {
    in_thread(move || {
        let wanted = parameters.get("obstarIco").map_or("", String::as_str);
        let rows = lists::orders(&world, wanted);
        let list = page::list(&rows, 20, &parameters, |rows| {
            page::table_named("zakazky-result-table", &lists::ORDER_HEADERS, rows)
        });
        Html(frame("Vyhľadávanie zákaziek", &list)).into_response()
    })
    .await
}

async fn profile_search(
    State(world): State<Arc<World>>,
    Query(parameters): Query<Parameters>,
) -> Response {
    in_thread(move || {
        let wanted = parameters.get("ico").map_or("", String::as_str);
        let rows = lists::profiles(&world, wanted);
        let list = page::list(&rows, 20, &parameters, |rows| {
            page::table(&lists::PROFILE_HEADERS, rows)
        });
        Html(frame("Vyhľadávanie profilov", &list)).into_response()
    })
    .await
}

async fn reference_search(
    State(world): State<Arc<World>>,
    Query(parameters): Query<Parameters>,
) -> Response {
    in_thread(move || {
        let wanted = parameters.get("icoDodavatela").map_or("", String::as_str);
        let rows = lists::references(&world, wanted);
        let list = page::list(&rows, 20, &parameters, |rows| {
            page::table(&lists::REFERENCE_HEADERS, rows)
        });
        Html(frame("Evidencia referencií", &list)).into_response()
    })
    .await
}

async fn profile(
    State(world): State<Arc<World>>,
    Path(id): Path<u32>,
    Query(parameters): Query<Parameters>,
) -> Response {
    let day = world.clock.day();
    let found = profile_by_id(&world.population, id, day).filter(|_| has_hash(&parameters, id));
    let Some((company, profile)) = found else {
        return not_found();
    };
    let seat = company.seat();
    let labels = [
        ("Názov", escape(company.name())),
        ("IČO", lists::spelt(&company)),
        ("Adresa", escape(&seat.street_line())),
        ("Obec", escape(seat.city)),
        ("PSČ", seat.spaced_postal_code()),
        ("NUTS", "SK0".to_owned()),
        ("Internetová adresa (URL)", String::new()),
        ("Typ obstarávateľa", escape(profile.class)),
        (
            "Hlavný predmet činnosti",
            "Všeobecné verejné služby".to_owned(),
        ),
    ];
    Html(frame("Profil", &details(&labels))).into_response()
}

async fn reference(
    State(world): State<Arc<World>>,
    Path(id): Path<u32>,
    Query(parameters): Query<Parameters>,
) -> Response {
    let day = world.clock.day();
    let found = reference_by_id(&world.population, id, day).filter(|_| has_hash(&parameters, id));
    let Some((company, reference)) = found else {
        return not_found();
    };
    let document = if reference.has_document {
        format!("<a href=\"/subory/referencie/{id}.pdf\">referencia-{id}.pdf</a>")
    } else {
        String::new()
    };
    let labels = [
        ("Evidenčné číslo referencie", reference.number.clone()),
        ("Dodávateľ", escape(company.name())),
        ("IČO dodávateľa", lists::spelt(&company)),
        ("Odberateľ", escape(reference.buyer)),
        ("Predmet zákazky", escape(&reference.subject)),
        ("Zmluvná cena bez DPH", price(&reference)),
        (
            "Hodnotenie",
            reference.rating.unwrap_or_default().to_owned(),
        ),
        ("Dátum vyhotovenia", Dotted(reference.made).to_string()),
        ("Dokument", document),
    ];
    Html(frame("Referencia", &details(&labels))).into_response()
}

/// A price in the register's format, with a no-break space between thousands.
fn price(reference: &Reference) -> String {
    let amount = |price: crate::population::Money| {
        format!("{} {}", price.comma('\u{a0}'), reference.currency)
    };
    reference.price.map(amount).unwrap_or_default()
}

async fn in_thread(make: impl FnOnce() -> Response + Send + 'static) -> Response {
    match tokio::task::spawn_blocking(make).await {
        Ok(page) => page,
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
