//! Telling the register's own pages from what stands in for them while it is out of order.
//!
//! The site answers with HTML and 200 in every case: for a record that it does not have (its home page, as recorded
//! for an invalid id), for maintenance, and for the challenge of a firewall.

use lustra_sdk::{Failure, malformed, text};

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

/// Links that every page of the site carries in its header or footer.
const OWN_LINKS: [&str; 4] = [
    "search_ico.asp",
    "hladaj_zmeny.asp",
    "search_subjekt.asp",
    "default.asp",
];

/// Checks that a page is one of the register's own, complete and not about an outage.
///
/// # Errors
/// `malformed` for what is no page of HTML, was cut off or is in another charset; `unavailable` for anybody else's page.
pub fn own_page(page: &str) -> Result<(), Failure> {
    let lower = page.to_ascii_lowercase();
    if !["<html", "<!doctype html", "<body", "<table"]
        .iter()
        .any(|mark| lower.contains(mark))
    {
        return Err(malformed("answer of the register", "a page of HTML", page));
    }
    // Markup is folded with the rest; the register's own pages have none of these words in it either.
    let folded = text::fold(page);
    let linked = OWN_LINKS.iter().any(|link| lower.contains(link));
    if OUTAGE.iter().any(|word| folded.contains(word)) {
        return Err(Failure::Unavailable(
            "the register answered with a page about an outage".to_owned(),
        ));
    }
    let heading = folded.contains("obchodny register") || folded.contains("obchodneho registra");
    if linked && !heading {
        return Err(malformed(
            "heading of the register's page",
            "Obchodný register, in windows-1250",
            page,
        ));
    }
    if !heading {
        return Err(Failure::Unavailable(
            "the register answered with a page that is not its own".to_owned(),
        ));
    }
    whole(page)
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

fn tail(page: &str) -> String {
    let from = page.chars().count().saturating_sub(200);
    page.chars().skip(from).collect()
}
