//! Answers of the register's JSON interface: a search by IČO, one entity, and the body of an error.

use lustra_sdk::{Failure, http, malformed};
use serde::Deserialize;

use crate::names::UPSTREAM;
use crate::preference::preference;
use crate::record::Record;

/// The message with which the register says that it knows no entity with an id.
const NO_RECORD: &str = "No record found";

#[derive(Deserialize)]
struct Search {
    results: Vec<Record>,
}

#[derive(Deserialize)]
struct Refusal {
    message: String,
}

/// The rows of a search.
///
/// # Errors
/// As [`http::read_json`].
pub fn rows(text: &str) -> Result<Vec<Record>, Failure> {
    let search: Search = http::read_json(UPSTREAM, text)?;
    Ok(search.results)
}

/// Reads one entity, which must be the requested one.
///
/// # Errors
/// As [`http::read_json`]; [`Failure::Malformed`] for another entity.
pub fn entity(text: &str, id: u64) -> Result<Record, Failure> {
    let record: Record = http::read_json(UPSTREAM, text)?;
    if record.id != id {
        return Err(malformed(
            "entity of rpo: /id",
            id.to_string(),
            record.id.to_string(),
        ));
    }
    Ok(record)
}

/// Whether the body of an error says that there is no such entity. A proxy's page does not.
#[must_use]
pub fn says_no_record(text: &str) -> bool {
    serde_json::from_str::<Refusal>(text).is_ok_and(|refusal| refusal.message.trim() == NO_RECORD)
}

/// Among the rows with this IČO, the one that these source registers prefer. A search may also find former numbers.
///
/// # Errors
/// As [`preference`]; [`Failure::Malformed`] if no row has the number, not even as a former one: the rows
/// answer another search.
pub fn choose(rows: Vec<Record>, ico: &str, sources: &[&str]) -> Result<Option<Record>, Failure> {
    if !rows.is_empty() && !rows.iter().any(|row| row.had_ico(ico)) {
        return Err(malformed(
            "search of rpo: /results/*/identifiers",
            ico,
            format!("{} rows with other numbers", rows.len()),
        ));
    }
    let mut best: Option<(String, Record)> = None;
    for row in rows {
        if row.ico().is_none_or(|(number, _)| number != ico) {
            continue;
        }
        let rank = preference(&row, sources)?;
        if best.as_ref().is_none_or(|(highest, _)| *highest < rank) {
            best = Some((rank, row));
        }
    }
    Ok(best.map(|(_, row)| row))
}

/// The entity, completed with names and seats of the search row if it has none. Without history, an ended company comes
/// back empty.
#[must_use]
pub fn completed(mut entity: Record, row: Record) -> Record {
    if entity.full_names.is_empty() {
        entity.full_names = row.full_names;
    }
    if entity.addresses.is_empty() {
        entity.addresses = row.addresses;
    }
    entity
}
