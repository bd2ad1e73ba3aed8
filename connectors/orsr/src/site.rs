//! Distinguishes the register's own pages from each other and from replacement pages during an outage.
//!
//! The site always answers with HTML and status 200: for an unknown record (with its home page, as recorded for
//! an invalid id), for maintenance, and for the challenge of a firewall. Pages are recognized by their visible
//! text, because every page contains links with the register's address.

use lustra_sdk::html::{self, scraper::ElementRef, scraper::Html};
use lustra_sdk::{Failure, malformed, text};

use crate::record_id::{self, RecordId};

/// The kind of a page of the register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    /// The home page, which is the register's answer for an unknown record.
    Home,
    /// An extract, recognized by its heading.
    Extract,
    /// Another page in the register's frame.
    Other,
}

/// Words of maintenance and error pages, folded. Checked only in pages without the requested content.
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

/// Texts that only the home page shows, folded: its title, and the heading of its table.
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

/// Recognizes the kind of a page.
///
/// # Errors
/// `malformed` if it is not HTML, is truncated or is in another charset; `unavailable` for an outage page and
/// for a page of another site.
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
    // A UTF-8 page with a windows-1250 header.
    let meant = text::undo_windows_1250(page).filter(|meant| meant != page);
    if meant.is_some_and(|meant| is_own(&text::fold(&shown(&html::parse(&meant))))) {
        return Err(malformed(
            "heading of the register's page",
            "Obchodný register, in windows-1250",
            page,
        ));
    }
    // Check this before the outage words, because some activities of companies contain them.
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

/// Checks that the home page answers the request for this record: the link to its English version repeats the
/// request.
///
/// # Errors
/// `malformed` if it repeats another request or none.
pub fn answers(page: &str, record: RecordId) -> Result<(), Failure> {
    let linked = linked_extracts(page);
    if linked.contains(&Some(record)) {
        return Ok(());
    }
    Err(for_another(record, &linked))
}

/// Checks that an extract does not belong to another record.
///
/// # Errors
/// `malformed` if its links lead only to other extracts.
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

/// The records in the page's links to extracts; `None` for a link without a record.
fn linked_extracts(page: &str) -> Vec<Option<RecordId>> {
    let document = html::parse(page);
    let anchors = html::selector("a[href]");
    document
        .select(&anchors)
        .filter_map(|link| record_id::extract_query(link.attr("href")?))
        .map(RecordId::of_query)
        .collect()
}

/// Checks that a page is complete.
///
/// # Errors
/// `malformed` for a truncated page.
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

/// The title and all visible text of a page, without scripts and styles.
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
