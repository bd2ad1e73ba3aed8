//! Telling the register's own pages from each other and from what stands in for them while it is out of order.
//!
//! The site answers with HTML and 200 in every case: for a record that it does not have (its home page, as recorded
//! for an invalid id), for maintenance, and for the challenge of a firewall. Pages are recognised by the text that
//! they show: addresses of links name the register on every page.

use lustra_sdk::html::{self, scraper::ElementRef, scraper::Html};
use lustra_sdk::{Failure, malformed, text};

use crate::record_id::{self, RecordId};

/// A page of the register that holds none of the data that were asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    /// The home page, the register's answer for a record that it does not have.
    Home,
    /// An extract by its heading.
    Extract,
    /// Another page in the register's frame.
    Other,
}

/// Words of maintenance and error pages, folded. Looked for only in pages that hold nothing of what was asked.
const OUTAGE: [&str; 17] = [
    "nedostupn",
    "udrzb",
    "odstavk",
    "vypadok",
    "prerusen",
    "docasne",
    "neskor",
    "technick",
    "chyba servera",
    "interna chyba",
    "chyba databaz",
    "blokovan",
    "maintenance",
    "unavailable",
    "error",
    "forbidden",
    "try again",
];

/// The heading of every page of the register, folded.
const HEADINGS: [&str; 2] = ["obchodny register", "obchodneho registra"];

/// The heading of an extract, folded.
const EXTRACT: &str = "vypis z obchodneho registra";

/// What only the home page shows, folded: its title, and the heading of its table.
const HOME: [&str; 2] = [
    "na internete hlavna stranka",
    "posledna aktualizacia databaz",
];

/// Links that every page of the site carries in its header or footer.
const OWN_LINKS: [&str; 4] = [
    "search_ico.asp",
    "hladaj_zmeny.asp",
    "search_subjekt.asp",
    "default.asp",
];

/// Says which of the register's own pages a page is.
///
/// # Errors
/// `malformed` for what is no page of HTML, was cut off or is in another charset; `unavailable` for a page about an
/// outage and for one that is not the register's.
pub fn recognise(page: &str) -> Result<Page, Failure> {
    let lower = page.to_ascii_lowercase();
    if !["<html", "<!doctype html", "<body", "<table"]
        .iter()
        .any(|mark| lower.contains(mark))
    {
        return Err(malformed("answer of the register", "a page of HTML", page));
    }
    let folded = text::fold(&shown(&html::parse(page)));
    let is_own = |folded: &str| HEADINGS.iter().any(|heading| folded.contains(heading));
    // A page in UTF-8 under the header of windows-1250.
    let meant = text::undo_windows_1250(page).filter(|meant| meant != page);
    if meant.is_some_and(|meant| is_own(&text::fold(&shown(&html::parse(&meant))))) {
        return Err(malformed(
            "heading of the register's page",
            "Obchodný register, in windows-1250",
            page,
        ));
    }
    // Before the words of outages: activities of companies have some of them.
    if folded.contains(EXTRACT) {
        whole(page)?;
        return Ok(Page::Extract);
    }
    if OUTAGE.iter().any(|word| folded.contains(word)) {
        return Err(Failure::Unavailable(
            "the register answered with a page about an outage".to_owned(),
        ));
    }
    if !is_own(&folded) {
        if OWN_LINKS.iter().any(|link| lower.contains(link)) {
            return Err(malformed(
                "heading of the register's page",
                "Obchodný register, in windows-1250",
                page,
            ));
        }
        return Err(Failure::Unavailable(
            "the register answered with a page that is not its own".to_owned(),
        ));
    }
    whole(page)?;
    let is_home = HOME.iter().any(|words| folded.contains(words)) && !folded.contains("vypis");
    Ok(if is_home { Page::Home } else { Page::Other })
}

/// Checks that the home page was given for this record: the link to its English version repeats the question.
///
/// # Errors
/// `malformed` where it repeats another question or none.
pub fn answers(page: &str, record: RecordId) -> Result<(), Failure> {
    let linked = linked_extracts(page);
    if linked.contains(&Some(record)) {
        return Ok(());
    }
    Err(for_another(record, &linked))
}

/// Checks that an extract is not that of another record.
///
/// # Errors
/// `malformed` where its links lead to other extracts alone.
pub fn is_of(page: &str, record: RecordId) -> Result<(), Failure> {
    let linked = linked_extracts(page);
    if linked.is_empty() || linked.contains(&Some(record)) {
        return Ok(());
    }
    Err(for_another(record, &linked))
}

fn for_another(record: RecordId, linked: &[Option<RecordId>]) -> Failure {
    let found = linked.iter().flatten().next();
    malformed(
        "link to the English version: the record that it repeats",
        record.to_string(),
        found.map_or_else(|| "none".to_owned(), RecordId::to_string),
    )
}

/// The records that the page's links to extracts name, `None` for one that names none.
fn linked_extracts(page: &str) -> Vec<Option<RecordId>> {
    let document = html::parse(page);
    let anchors = html::selector("a[href]");
    document
        .select(&anchors)
        .filter_map(|link| record_id::extract_query(link.attr("href")?))
        .map(RecordId::of_query)
        .collect()
}

/// Checks that a page came to its end.
///
/// # Errors
/// `malformed` for a page that was cut off.
pub fn whole(page: &str) -> Result<(), Failure> {
    if page.to_ascii_lowercase().contains("</html") {
        return Ok(());
    }
    Err(malformed(
        "answer of the register",
        "a complete page",
        tail(page),
    ))
}

/// The title and all text of a page, without scripts and styles.
fn shown(document: &Html) -> String {
    let mut shown = String::new();
    for node in document.tree.root().descendants() {
        let Some(piece) = node.value().as_text() else {
            continue;
        };
        let parent = node.parent().and_then(ElementRef::wrap);
        if parent.is_some_and(|parent| matches!(parent.value().name(), "script" | "style")) {
            continue;
        }
        shown.push_str(piece);
        shown.push(' ');
    }
    shown
}

fn tail(page: &str) -> String {
    let from = page.chars().count().saturating_sub(200);
    page.chars().skip(from).collect()
}
