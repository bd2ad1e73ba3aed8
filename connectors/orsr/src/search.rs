//! The result page of the search by IČO.

use lustra_sdk::html::{self, scraper::ElementRef, scraper::Html};
use lustra_sdk::{Failure, ico, malformed, text};

use crate::record_id::{RecordId, extract_query, parameter};
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

/// Reads the rows of the search for an IČO. None at all is an answer only with the register's own words for it, on a
/// page that repeats the IČO: without the parameter the register answers with the same words.
///
/// # Errors
/// `malformed` for a result page that repeats another question, one with neither rows nor those words, or one that was
/// cut off; `unavailable` for a page that is not the register's.
pub fn read(page: &str, ico: &str, ceded_phrases: &[String]) -> Result<Vec<Row>, Failure> {
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
        let record = RecordId::of_query(query).ok_or_else(|| {
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
    let is_nothing =
        rows.is_empty() && text::fold(&html::text(document.root_element())).contains(NOTHING_FOUND);
    if rows.is_empty() && !is_nothing {
        site::recognise(page)?;
        return Err(malformed(
            "result page",
            "rows, or the words for nothing found",
            page,
        ));
    }
    let repeated = repeated_question(&document);
    // Rows lead to extracts, which say themselves whose they are.
    if (is_nothing || repeated.is_some())
        && repeated.as_deref().and_then(ico::parse).as_deref() != Some(ico)
    {
        return Err(malformed(
            "result page: the IČO that it repeats",
            ico,
            repeated.as_deref().unwrap_or(page),
        ));
    }
    // A row that was cut off may be the one that counts: the others may say that the file went to its court.
    site::whole(page)?;
    Ok(rows)
}

/// What stands behind `IČO:` above the results: the number that was asked for, or `neplatné` where the register got none.
fn repeated_question(document: &Html) -> Option<String> {
    let mut is_next = false;
    for node in document.root_element().descendants() {
        let Some(piece) = node.value().as_text().map(|raw| text::squeeze(raw)) else {
            continue;
        };
        if piece.is_empty() {
            continue;
        }
        if is_next {
            return Some(piece);
        }
        is_next = piece.ends_with("IČO:");
    }
    None
}
