//! `/crz`: the register of contracts (`https://www.crz.gov.sk`).
//!
//! With the fault `wrong-charset` a file is in windows-1250 but declares UTF-8.
//!
//! `GET /crz/export/YYYY-MM-DD.zip` returns the contracts published or changed on a day; it is available from the next
//! day. A Sunday has no file, a Saturday an empty file, a holiday a file without contracts. Every contract has the same
//! 34 elements; an unknown value is `0` or `0000-00-00`.

mod xml;

use std::io::{self, Seek, Write};
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use encoding_rs::WINDOWS_1250;
use time::Date;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::World;
use crate::bodies;
use crate::faults::{Fault, Register};
use crate::population::calendar::{Iso, parse_iso};
use crate::population::contracts::days::{Kind, kind};
use crate::population::contracts::{first_day, listed_on};

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new().route("/crz/export/{file}", get(export))
}

fn not_found() -> Response {
    (StatusCode::NOT_FOUND, Html("<h1>404 Not Found</h1>")).into_response()
}

async fn export(State(world): State<Arc<World>>, Path(file): Path<String>) -> Response {
    let Some(day) = file.strip_suffix(".zip").and_then(parse_iso) else {
        return not_found();
    };
    // The real part of the clock may pass midnight between two simulated days.
    let today = world.clock.now().date().max(world.clock.today());
    if day < first_day(&world.population) || day >= today {
        return not_found();
    }
    let spooled = bodies::spooled({
        let world = Arc::clone(&world);
        move |file| archive(&world, day, file)
    });
    match spooled.await {
        Ok((0, _)) if kind(day) == Kind::Sunday => not_found(),
        Ok((length, body)) => {
            let headers = [
                (header::CONTENT_TYPE, "application/zip".to_owned()),
                (header::CONTENT_LENGTH, length.to_string()),
            ];
            (headers, body).into_response()
        }
        Err(error) => {
            tracing::error!(%error, "generating the export of {day} failed");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

/// Writes an empty file for a weekend without contracts.
fn archive(world: &World, day: Date, file: &mut (impl Write + Seek)) -> io::Result<()> {
    let contracts = listed_on(&world.population, day);
    let is_weekend = matches!(kind(day), Kind::Saturday | Kind::Sunday);
    if contracts.is_empty() && is_weekend {
        return Ok(());
    }
    let options = SimpleFileOptions::default().compression_level(Some(1));
    let mut archive = ZipWriter::new(file);
    archive.start_file(format!("{}.xml", Iso(day)), options)?;
    let mut out = io::BufWriter::with_capacity(64 << 10, &mut archive);
    writeln!(out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>")?;
    let is_recoded = world.faults.get(Register::Crz) == Fault::WrongCharset;
    if contracts.is_empty() {
        writeln!(out, "<zmluvy/>")?;
    } else {
        write!(out, "<zmluvy>")?;
        for contract in &contracts {
            let text = xml::contract(&world.population, contract, day);
            match is_recoded {
                true => out.write_all(&WINDOWS_1250.encode(&text).0)?,
                false => out.write_all(text.as_bytes())?,
            }
        }
        writeln!(out, "</zmluvy>")?;
    }
    out.flush()?;
    drop(out);
    archive.finish()?;
    Ok(())
}
