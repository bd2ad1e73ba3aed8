//! The result page of the search by IČO.

use lustra_sdk::html::{self, scraper::ElementRef};
use lustra_sdk::{Failure, malformed, text};

use crate::record_id::RecordId;
use crate::site;

/// One row: a record of one court.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Row {
    /// The record.
    #[serde(flatten)]
    pub record: RecordId,
    /// The row itself says that the file went to another court.
    pub ceded: bool,
}

/// What the page says where nothing was found, folded.
const NOTHING_FOUND: &str = "kriteriam vyhladavania nezodpoveda ziadny zaznam";

/// Reads the rows. None at all is an answer only with the register's own words for it.
///
/// # Errors
/// `malformed` for a result page with neither rows nor those words, or one that was cut off; `unavailable` for anybody else's page.
pub fn read(page: &str, ceded_phrases: &[String]) -> Result<Vec<Row>, Failure> {
    let document = html::parse(page);
    let mut rows: Vec<Row> = Vec::new();
    for link in document
        .root_element()
        .descendants()
        .filter_map(ElementRef::wrap)
    {
        let Some(query) = link
            .attr("href")
            .and_then(extract_query)
            .filter(|_| link.value().name() == "a")
        else {
            continue;
        };
        // The header's switch of languages links to an extract too; only rows are asked for.
        let Some(row) = link
            .ancestors()
            .filter_map(ElementRef::wrap)
            .find(|above| above.value().name() == "tr")
        else {
            continue;
        };
        if parameter(query, "lan").is_some() || parameter(query, "P") != Some("0") {
            continue;
        }
        let record = parameter(query, "ID")
            .zip(parameter(query, "SID"))
            .and_then(|(id, court)| RecordId::new(id, court))
            .ok_or_else(|| {
                malformed(
                    "result row: link to the extract",
                    "ID and SID in digits",
                    query,
                )
            })?;
        if rows.iter().all(|known| known.record != record) {
            let words = html::text(row);
            rows.push(Row {
                record,
                ceded: ceded_phrases.iter().any(|phrase| words.contains(phrase)),
            });
        }
    }
    if rows.is_empty() && !text::fold(page).contains(NOTHING_FOUND) {
        site::own_page(page)?;
        return Err(malformed(
            "result page",
            "rows, or the words for nothing found",
            page,
        ));
    }
    // A row that was cut off may be the one that counts: the others may say that the file went to its court.
    site::whole(page)?;
    Ok(rows)
}

fn extract_query(href: &str) -> Option<&str> {
    href.find("vypis.asp?")
        .map(|at| &href[at + "vypis.asp?".len()..])
}

fn parameter<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    query.split('&').find_map(|pair| {
        let (key, value) = pair.split_once('=')?;
        key.eq_ignore_ascii_case(name).then_some(value)
    })
}
