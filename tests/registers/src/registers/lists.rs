//! Lists supplied by an operator, each under `/operator-files`, in the formats of public offices: half of them
//! CSV, half workbooks.

mod agencies;
mod agents;
mod employers;
mod enterprises;
mod security;
mod transport;
mod utility;

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;

use super::sheets::{Cell, Table, text};
use crate::World;
use crate::population::Company;
use crate::population::listed::{Halt, may_be_listed};

/// A list: its file name, whether it is a workbook, and the function that builds it.
type List = (&'static str, bool, fn(&World) -> Table);

const LISTS: [List; 7] = [
    ("security-licences.csv", false, security::table),
    ("transport-licences.xlsx", true, transport::table),
    ("utility-licences.csv", false, utility::table),
    ("social-enterprises.xlsx", true, enterprises::table),
    ("travel-agencies.csv", false, agencies::table),
    ("employers.xlsx", true, employers::table),
    ("nbs-agents.csv", false, agents::table),
];

pub(crate) fn router() -> Router<Arc<World>> {
    let mut router = Router::new();
    for (file, is_workbook, table) in LISTS {
        let answer = async move |State(world): State<Arc<World>>| -> Response {
            let table = table(&world);
            if is_workbook {
                table.xlsx()
            } else {
                table.csv()
            }
        };
        router = router.route(&format!("/operator-files/{file}"), get(answer));
    }
    router
}

/// The rows of all listed companies on the current day.
fn rows(world: &World, of: impl Fn(&Company) -> Vec<Vec<Cell>>) -> Vec<Vec<Cell>> {
    let (population, day) = (&world.population, world.clock.day());
    (0..population.len())
        .filter(|index| may_be_listed(population.seed(), *index))
        .flat_map(|index| of(&population.company(index, day)))
        .collect()
}

/// A number as a spreadsheet stores it, without leading zeros.
fn number(ico: &str) -> Cell {
    Cell::Number(ico.parse().expect("an IČO is a number"))
}

/// The seat on one line.
fn seat(company: &Company) -> Cell {
    let seat = company.seat();
    text(format!(
        "{}, {} {}",
        seat.street_line(),
        seat.spaced_postal_code(),
        seat.city
    ))
}

/// The word for a status, in the grammatical gender of the item.
fn status(halt: Option<Halt>, ending: char) -> Cell {
    text(match halt {
        None => format!("platn{ending}"),
        Some(Halt::Suspended) => format!("pozastaven{}", if ending == 'á' { 'á' } else { 'é' }),
        Some(Halt::Ended) => format!("Zrušen{}", if ending == 'á' { 'á' } else { 'é' }),
    })
}
