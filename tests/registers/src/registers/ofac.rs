//! `/ofac`: the United States' lists of sanctions (`https://sanctionslistservice.ofac.treas.gov`).
//!
//! `GET /ofac/api/PublicationPreview/exports/SDN.XML` and `…/CONSOLIDATED.XML` redirect to a storage with the lists in
//! XML: the main one in the newer namespace, the other in the older one. Bodies have only a last name.

use std::io::{self, Write};
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;

use super::sanctioned::{attribute, listed, sent};
use crate::World;
use crate::bodies;
use crate::population::sanctions::{Entry, Kind, List};

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new()
        .route("/ofac/api/PublicationPreview/exports/{file}", get(export))
        .route("/ofac/storage/{file}", get(stored))
}

async fn export(Path(file): Path<String>) -> Response {
    match of_file(&file) {
        Some(_) => Redirect::temporary(&format!("/ofac/storage/{file}")).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

fn of_file(file: &str) -> Option<List> {
    match file {
        "SDN.XML" => Some(List::Main),
        "CONSOLIDATED.XML" => Some(List::Other),
        _ => None,
    }
}

async fn stored(State(world): State<Arc<World>>, Path(file): Path<String>) -> Response {
    let Some(of_list) = of_file(&file) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let made = bodies::spooled(move |file| list(file, &world, of_list)).await;
    sent(made)
}

fn list(out: &mut impl Write, world: &World, of_list: List) -> io::Result<()> {
    let namespace = match of_list {
        List::Main => {
            "https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/XML"
        }
        List::Union | List::Other => "http://tempuri.org/sdnList.xsd",
    };
    let entries = listed(world, of_list);
    let today = world.clock.today();
    writeln!(
        out,
        "<?xml version=\"1.0\" standalone=\"yes\"?>\n<sdnList xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
         xmlns=\"{namespace}\">\n  <publshInformation>\n    <Publish_Date>{:02}/{:02}/{}</Publish_Date>\n    \
         <Record_Count>{}</Record_Count>\n  </publshInformation>",
        u8::from(today.month()),
        today.day(),
        today.year(),
        entries.len()
    )?;
    for entry in &entries {
        one(out, entry)?;
    }
    writeln!(out, "</sdnList>")
}

fn one(out: &mut impl Write, entry: &Entry) -> io::Result<()> {
    let uid = entry.number;
    writeln!(out, "  <sdnEntry>\n    <uid>{uid}</uid>")?;
    let mut names = entry.names.iter();
    let main = names.next().map_or("", |(name, _)| name.as_str());
    writeln!(out, "    {}", parts(entry.kind, main))?;
    let kind = match entry.kind {
        Kind::Body => "Entity",
        Kind::Person => "Individual",
        Kind::Vessel => "Vessel",
        Kind::Unknown => "Wallet",
    };
    writeln!(
        out,
        "    <sdnType>{kind}</sdnType>\n    <programList><program>{}</program></programList>",
        entry.programme
    )?;
    if let (Some(number), Some((_, country))) = (&entry.register_number, entry.country) {
        writeln!(
            out,
            "    <idList><id><uid>{uid}1</uid><idType>Registration Number</idType><idNumber>{number}</idNumber>\
             <idCountry>{country}</idCountry></id></idList>"
        )?;
    }
    if names.len() > 0 {
        writeln!(out, "    <akaList>")?;
        for (name, is_weak) in names {
            let category = if *is_weak { "weak" } else { "strong" };
            writeln!(
                out,
                "      <aka><uid>{uid}2</uid><type>a.k.a.</type><category>{category}</category>{}</aka>",
                parts(entry.kind, name)
            )?;
        }
        writeln!(out, "    </akaList>")?;
    }
    if entry.country.is_some() || entry.town.is_some() {
        let town = entry.town.as_deref().map_or_else(String::new, |town| {
            format!("<city>{}</city>", attribute(town))
        });
        let country = entry.country.map_or_else(String::new, |(_, country)| {
            format!("<country>{country}</country>")
        });
        writeln!(
            out,
            "    <addressList><address><uid>{uid}3</uid>{town}{country}</address></addressList>"
        )?;
    }
    writeln!(out, "  </sdnEntry>")
}

/// The name of a person is split into given names and last name.
fn parts(kind: Kind, name: &str) -> String {
    let name = attribute(name);
    match (kind, name.rsplit_once(' ')) {
        (Kind::Person, Some((first, last))) => {
            format!("<firstName>{first}</firstName><lastName>{last}</lastName>")
        }
        (Kind::Person | Kind::Body | Kind::Vessel | Kind::Unknown, _) => {
            format!("<lastName>{name}</lastName>")
        }
    }
}
