//! `/socpoist`: the social insurer's debtor list (`https://www.socpoist.sk`).
//!
//! A page links to an archive whose address changes every week. The CSV starts with a byte order mark, is
//! separated by commas and contains line breaks within values. Natural persons have no IČO. The page also links
//! to the same list in columns.

use std::io::{self, Seek, Write};
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use time::Date;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::World;
use crate::bodies;
use crate::population::dice::{Dice, Topic};
use crate::population::{Company, DebtorList, LegalForm};
use crate::selections::Selection;

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new()
        .route("/socpoist/nastroje-sluzby/zoznam-dlznikov", get(landing))
        .route("/socpoist/zoznam-dlznikov", get(landing))
        .route("/socpoist/api/idsp/download/{uuid}", get(download))
}

/// Year and number of the week in the file name.
fn week(date: Date) -> (i32, u8) {
    let (year, week, _) = date.to_iso_week_date();
    (year, week)
}

/// The address of a week's file.
fn uuid(seed: u64, (year, week): (i32, u8)) -> String {
    let salt = u64::from(year.unsigned_abs()) * 100 + u64::from(week);
    let mut dice = Dice::with_salt(seed, 0, Topic::Records, salt);
    let (high, low) = (dice.roll(), dice.roll());
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xfff,
        0x8000 | (low >> 48) & 0x3fff,
        low & 0xffff_ffff_ffff
    )
}

async fn landing(State(world): State<Arc<World>>) -> Html<String> {
    let this_week = week(world.clock.today());
    let uuid = uuid(world.population.seed(), this_week);
    Html(format!(
        "<!DOCTYPE html>\n<html lang=\"sk\"><head><meta charset=\"utf-8\"><title>Zoznam dlžníkov</title></head><body>\n\
         <main><h1>Zoznam dlžníkov</h1>\n<form action=\"/nastroje-sluzby/zoznam-dlznikov\"><input name=\"search\"></form>\n\
         <p>Aktualizované v {}. týždni roka {}.</p>\n<p><a class=\"btn\" href=\"/api/idsp/download/{uuid}\" \
         download>Stiahnuť zoznam (ZIP)</a></p></main>\n</body></html>\n",
        this_week.1, this_week.0
    ))
}

async fn download(State(world): State<Arc<World>>, Path(asked): Path<String>) -> Response {
    let (year, number) = week(world.clock.today());
    if asked != uuid(world.population.seed(), (year, number)) {
        return (StatusCode::NOT_FOUND, Html("<h1>Stránka sa nenašla</h1>")).into_response();
    }
    let name = format!("dlznici_{number}_{year}");
    match bodies::spooled(move |file| archive(&world, &name, file)).await {
        Ok((length, body)) => {
            let headers = [
                (header::CONTENT_TYPE, "application/zip".to_owned()),
                (header::CONTENT_LENGTH, length.to_string()),
                (
                    header::CONTENT_DISPOSITION,
                    format!("attachment; filename=\"dlznici_{number}_{year}.zip\""),
                ),
            ];
            (headers, body).into_response()
        }
        Err(error) => {
            tracing::error!(%error, "generating the debtor list failed");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// A row of the list, as text.
struct Debtor {
    name: String,
    ico: String,
    address: String,
    city: String,
    amount: String,
}

fn debtor(company: &Company) -> Option<Debtor> {
    let amount = company.debt(DebtorList::Socpoist)?;
    let is_person = company.legal_form == LegalForm::Trader;
    let seat = company.seat();
    // The surname comes first, and persons have no number.
    let name = match company.name().split_once(' ') {
        Some((given, family)) if is_person => format!("{family} {given}"),
        Some(_) | None => company.name().to_owned(),
    };
    let broken = company.index.is_multiple_of(5);
    Some(Debtor {
        name: if broken {
            name.replacen(", ", ",\n", 1)
        } else {
            name
        },
        ico: if is_person {
            String::new()
        } else {
            company.ico.clone()
        },
        address: if broken {
            seat.street_line().replacen(' ', "\n", 1)
        } else {
            seat.street_line()
        },
        city: seat.city.to_owned(),
        amount: amount.comma(if company.index.is_multiple_of(3) {
            '\u{a0}'
        } else {
            ' '
        }),
    })
}

fn archive(world: &World, name: &str, file: &mut (impl Write + Seek)) -> io::Result<()> {
    let indexes = world
        .selections
        .get(world, Selection::Debtors(DebtorList::Socpoist));
    let debtors = || {
        indexes
            .iter()
            .filter_map(|index| debtor(&world.population.company(*index, world.clock.day())))
    };
    let options = SimpleFileOptions::default().compression_level(Some(1));
    let mut archive = ZipWriter::new(file);
    archive.start_file(format!("{name}.csv"), options)?;
    let mut csv = io::BufWriter::new(&mut archive);
    csv.write_all("\u{feff}".as_bytes())?;
    csv.write_all("\"MENO / NÁZOV\",\"IČO\",\"ADRESA\",\"MESTO\",\"DLŽNÁ SUMA\"\r\n".as_bytes())?;
    for row in debtors() {
        let values = [&row.name, &row.ico, &row.address, &row.city, &row.amount];
        let quoted: Vec<String> = values
            .iter()
            .map(|value| format!("\"{}\"", value.replace('"', "\"\"")))
            .collect();
        write!(csv, "{}\r\n", quoted.join(","))?;
    }
    csv.flush()?;
    drop(csv);
    archive.start_file(format!("{name}.txt"), options)?;
    let mut columns = io::BufWriter::new(&mut archive);
    for row in debtors() {
        let flat = |text: &str| text.replace('\n', " ");
        write!(
            columns,
            "{:<100}{:<8}{:<60}{:<50}{:>15}\r\n",
            flat(&row.name),
            row.ico,
            flat(&row.address),
            row.city,
            row.amount
        )?;
    }
    columns.flush()?;
    drop(columns);
    archive.finish()?;
    Ok(())
}
