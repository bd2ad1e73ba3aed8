//! Code shared by the sanctions registers.

use std::io;

use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::World;
use crate::population::sanctions::{Entry, List, entries, outsiders};

/// The entries of a list today, in the order of their numbers.
pub(crate) fn listed(world: &World, list: List) -> Vec<Entry> {
    let (population, day) = (&world.population, world.clock.day());
    let own = (0..population.len()).flat_map(|index| entries(&population.company(index, day)));
    let mut all: Vec<Entry> = own
        .chain(outsiders(population))
        .filter(|entry| entry.list == list)
        .collect();
    all.sort_by_key(|entry| entry.number);
    all
}

/// Escapes a text for an attribute or an element.
pub(crate) fn attribute(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}

/// Sends a spooled list as XML.
pub(crate) fn sent(made: io::Result<(u64, Body)>) -> Response {
    match made {
        Ok((length, body)) => {
            let headers = [
                (header::CONTENT_TYPE, "application/xml".to_owned()),
                (header::CONTENT_LENGTH, length.to_string()),
            ];
            (headers, body).into_response()
        }
        Err(error) => {
            tracing::error!(%error, "generating the list failed");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
