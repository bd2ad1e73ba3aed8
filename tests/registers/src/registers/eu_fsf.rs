//! `/eu-fsf`: the Union's consolidated list of sanctions (`https://webgate.ec.europa.eu`).
//!
//! `GET /eu-fsf/fsd/fsf/public/files/xmlFullSanctionsList_1_1/content?token=…` returns the whole list in XML, with all
//! data in attributes. It requires a token, which is the same for all clients. An entry lists its names as siblings,
//! old entries have no day of designation, and an unknown country is `00`. One entry has no reference number, two share
//! one, and one is of an unknown type.

use std::io::{self, Write};
use std::sync::Arc;

use axum::Router;
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;

use super::sanctioned::{attribute, listed, sent};
use crate::World;
use crate::bodies;
use crate::population::calendar::Iso;
use crate::population::sanctions::{Entry, Kind, List, Reference};

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new().route(
        "/eu-fsf/fsd/fsf/public/files/xmlFullSanctionsList_1_1/content",
        get(whole),
    )
}

#[derive(Deserialize)]
struct ListQuery {
    token: Option<String>,
}

async fn whole(State(world): State<Arc<World>>, Query(asked): Query<ListQuery>) -> Response {
    if asked.token.as_deref() != Some("dG9rZW4tMjAxNw") {
        let page = "<html><body>Access denied</body></html>";
        return (
            StatusCode::FORBIDDEN,
            [(header::CONTENT_TYPE, "text/html")],
            page,
        )
            .into_response();
    }
    let made = bodies::spooled(move |file| list(file, &world)).await;
    sent(made)
}

fn list(out: &mut impl Write, world: &World) -> io::Result<()> {
    let today = Iso(world.clock.today());
    write!(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<export xmlns=\"http://eu.europa.ec/fpi/fsd/export\" \
         generationDate=\"{today}T03:00:00.000+01:00\" globalFileId=\"{}\">\n",
        900_000 + world.clock.day()
    )?;
    for one in listed(world, List::Union) {
        entity(out, &one)?;
    }
    writeln!(out, "</export>")
}

fn entity(out: &mut impl Write, entry: &Entry) -> io::Result<()> {
    let (number, since) = (entry.number, Iso(entry.since));
    // Old entries have no day of designation.
    let designated = match number % 2 {
        0 => String::new(),
        _ => format!(" designationDate=\"{since}\""),
    };
    let of = |number: u32| {
        format!(
            " euReferenceNumber=\"EU.{}.{:02}\"",
            number / 100,
            number % 100
        )
    };
    let reference = match entry.reference {
        Reference::Own => of(number),
        Reference::Missing => String::new(),
        Reference::Shared(other) => of(other),
    };
    writeln!(
        out,
        " <sanctionEntity designationDetails=\"\"{designated} unitedNationId=\"\"{reference} logicalId=\"{number}\">"
    )?;
    let act = format!("publicationDate=\"{since}\" numberTitle=\"2025/0000 (OJ L000)\"");
    writeln!(
        out,
        "  <regulation regulationType=\"amendment\" organisationType=\"council\" {act} entryIntoForceDate=\"{since}\" \
         programme=\"{}\" logicalId=\"1\"><publicationUrl>https://eur-lex.example/{number}</publicationUrl></regulation>",
        entry.programme
    )?;
    let (code, letter) = match entry.kind {
        Kind::Person => ("person", "P"),
        Kind::Body | Kind::Vessel => ("enterprise", "E"),
        Kind::Unknown => ("other", "O"),
    };
    writeln!(
        out,
        "  <subjectType code=\"{code}\" classificationCode=\"{letter}\"/>"
    )?;
    for (name, is_weak) in &entry.names {
        writeln!(
            out,
            "  <nameAlias firstName=\"\" middleName=\"\" lastName=\"\" wholeName=\"{}\" function=\"\" title=\"\" \
             nameLanguage=\"\" strong=\"{}\" regulationLanguage=\"en\" logicalId=\"2\"><regulationSummary \
             regulationType=\"amendment\" {act}/></nameAlias>",
            attribute(name),
            !is_weak
        )?;
    }
    let (country, called) = entry.country.unwrap_or(("00", "UNKNOWN"));
    writeln!(
        out,
        "  <address street=\"\" poBox=\"\" zipCode=\"\" city=\"{}\" place=\"\" region=\"\" countryIso2Code=\"{country}\" \
         countryDescription=\"{}\" asAtListingTime=\"false\" logicalId=\"3\"/>",
        attribute(entry.town.as_deref().unwrap_or_default()),
        called.to_uppercase()
    )?;
    if let Some(register_number) = &entry.register_number {
        writeln!(
            out,
            "  <identification identificationTypeCode=\"regnumber\" identificationTypeDescription=\"Registration Number\" \
             number=\"{register_number}\" latinNumber=\"\" countryIso2Code=\"{country}\" logicalId=\"4\"/>"
        )?;
    }
    writeln!(out, " </sanctionEntity>")
}
