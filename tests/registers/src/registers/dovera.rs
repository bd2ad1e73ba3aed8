//! `/dovera` and `/operator-files`: a health insurer that forbids automated queries, and the file that an
//! authorized operator supplies instead.

use std::io::Write;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;

use crate::World;
use crate::bodies;
use crate::population::DebtorList;
use crate::population::calendar::Dotted;
use crate::selections::Selection;

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new()
        .route("/dovera/overenia/dlznici/zoznam-dlznikov", get(challenge))
        .route("/operator-files/dovera.csv", get(file))
}

async fn challenge() -> Response {
    let page = "<!DOCTYPE html>\n<html lang=\"en-US\"><head><title>Just a moment...</title>\
        <meta name=\"robots\" content=\"noindex,nofollow\"></head>\n<body><div id=\"challenge-error-text\">\
        Enable JavaScript and cookies to continue</div></body></html>\n";
    (
        StatusCode::FORBIDDEN,
        [("cf-mitigated", "challenge")],
        Html(page),
    )
        .into_response()
}

async fn file(State(world): State<Arc<World>>) -> Response {
    let body = bodies::produced(move |csv| {
        let indexes = world
            .selections
            .get(&world, Selection::Debtors(DebtorList::Dovera));
        writeln!(csv, "nazov;ico;ulica;psc;obec;suma;k_datumu")?;
        let date = Dotted(world.clock.today());
        for index in indexes.iter() {
            let company = world.population.company(*index, world.clock.day());
            let Some(amount) = company.debt(DebtorList::Dovera) else {
                continue;
            };
            let seat = company.seat();
            let (name, street, postal) = (
                quoted(company.name()),
                quoted(&seat.street_line()),
                seat.postal_code(),
            );
            writeln!(
                csv,
                "{name};{};{street};{postal};{};{};{date}",
                company.ico,
                seat.city,
                amount.comma(' ')
            )?;
        }
        Ok(())
    });
    ([(header::CONTENT_TYPE, "text/csv; charset=utf-8")], body).into_response()
}

/// A CSV value, quoted if necessary.
fn quoted(value: &str) -> String {
    if value.contains(['"', ';', '\n']) {
        format!("\"{}\"", value.replace('"', "\"\""))
    } else {
        value.to_owned()
    }
}
