//! The result page of the search by IČO.

use lustra_sdk::html::{self, scraper::ElementRef, scraper::Html};
use lustra_sdk::{Failure, ico, malformed, text};

use crate::record_id::{RecordId, extract_query, parameter};
use crate::site;

/// One row: a record of one court.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Row {
    #[serde(flatten)]
    pub record: RecordId,
    /// True if the row itself states that the file moved to another court.
    pub ceded: bool,
}

/// The register's statement that nothing was found, folded.
const NOTHING_FOUND: &str = "kriteriam vyhladavania nezodpoveda ziadny zaznam";

/// Reads the rows of the search for an IČO. An empty result requires the register's own statement, on a page
/// that repeats the IČO: without the parameter the register returns the same statement.
///
/// # Errors
/// `malformed` for a result page about another query, one with neither rows nor the statement, or a truncated
/// one; `unavailable` for a page that is not the register's.
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
        // The header's language switch also links to an extract; only rows count.
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
    // Rows lead to extracts, which state their company.
    if (is_nothing || repeated.is_some())
        && repeated.as_deref().and_then(ico::parse).as_deref() != Some(ico)
    {
        return Err(malformed(
            "result page: the IČO that it repeats",
            ico,
            repeated.as_deref().unwrap_or(page),
        ));
    }
    // A truncated row may be the decisive one: the other rows may state that the file moved to its court.
    site::whole(page)?;
    Ok(rows)
}

/// The text after `IČO:` above the results: the requested number, or `neplatné` if the register received none.
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
