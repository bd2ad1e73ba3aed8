//! Searching the register for a number, page by page, the newest decisions first.

use std::collections::HashSet;

use lustra_sdk::http::Request;
use lustra_sdk::{Evidence, Failure, malformed, runtime};

use crate::highlight;
use crate::page::{self, Decision, Page, UPSTREAM};
use crate::settings::Settings;

/// With less of a call's time left another page is not asked for.
const SPARE_MS: u64 = 4_000;
/// If this many results all lack a passage, the service did not search for the number.
const TELLING: usize = 10;

/// What the register gave.
#[derive(Debug, Default)]
pub struct Read {
    /// How many decisions the search found, by the register's own word.
    pub found: u64,
    /// Those that were looked through, each once, newest first.
    pub decisions: Vec<Decision>,
    /// Why older ones were not.
    pub left_out: Option<LeftOut>,
    pub evidence: Vec<Evidence>,
}

/// Why not all hits were looked through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftOut {
    /// The operator's setting allows no more pages.
    BySetting,
    /// The call had no time for them.
    ForTime,
}

/// Searches for a company by its IČO of 8 digits.
///
/// # Errors
/// The service's failure; [`Failure::Malformed`] where its pages do not add up to what it says to have found, or
/// show that it does not search; [`Failure::Unavailable`] where the register changed between two pages.
pub fn about(ico: &str, settings: &Settings) -> Result<Read, Failure> {
    let mut read = Read::default();
    let mut seen = Seen::default();
    loop {
        let path = format!(
            "{}?query={ico}&sortProperty=datum_vydania_rozhodnutia&sortDirection=DESC&page={}&size={}",
            settings.path,
            seen.pages + 1,
            settings.page_size,
        );
        let response = Request::get(UPSTREAM, path)
            .header("accept", "application/json")
            .fetch()?;
        let text = response.body.text(None)?;
        read.evidence.push(response.body.evidence());
        let page = page::read(&text)?;
        answers(&page, ico)?;
        seen.add(&page)?;
        read.found = page.found;
        for decision in page.decisions {
            if read.decisions.iter().all(|known| known.id != decision.id) {
                read.decisions.push(decision);
            }
        }
        if seen.rows == read.found {
            return Ok(read);
        }
        if seen.pages >= settings.most_pages {
            read.left_out = Some(LeftOut::BySetting);
        } else if runtime::left().wall_ms < SPARE_MS {
            read.left_out = Some(LeftOut::ForTime);
        }
        if read.left_out.is_some() {
            in_order(&read.decisions)?;
            return Ok(read);
        }
    }
}

/// Checks that a page has what was searched for. Passages show it, within another number too, and maybe without its
/// leading zeros; decisions whose passages show something else are those of another search.
fn answers(page: &Page, ico: &str) -> Result<(), Failure> {
    let searched = ico.trim_start_matches('0');
    let shows = |passage: &String| {
        let digits: String = highlight::plain(passage)
            .chars()
            .filter(|c| !c.is_whitespace())
            .collect();
        digits.contains(searched)
    };
    let mut passages = page
        .decisions
        .iter()
        .flat_map(|one| &one.highlights)
        .peekable();
    if passages.peek().is_none() || passages.any(shows) {
        return Ok(());
    }
    Err(malformed(
        format!("answer of {UPSTREAM}: /rozhodnutieList/*/zvyraznenie"),
        "passages with the number that was searched for",
        format!("none in {} decisions", page.decisions.len()),
    ))
}

/// Of a search that is not read to its end, only its order says which decisions were not seen.
fn in_order(decisions: &[Decision]) -> Result<(), Failure> {
    let days: Vec<&String> = decisions
        .iter()
        .filter_map(|one| one.date.as_ref())
        .collect();
    if days.is_sorted_by(|newer, older| newer >= older) {
        return Ok(());
    }
    Err(malformed(
        format!("answer of {UPSTREAM}: /rozhodnutieList/*/datumVydania"),
        "the newest first",
        "another order",
    ))
}

/// What the pages so far had.
#[derive(Debug, Default)]
struct Seen {
    pages: u64,
    rows: u64,
    found: Option<u64>,
    ids: HashSet<String>,
}

impl Seen {
    fn add(&mut self, page: &Page) -> Result<(), Failure> {
        let changed = |what: &str| {
            Failure::Unavailable(format!("{UPSTREAM}: {what} while its pages were read"))
        };
        if self.found.is_some_and(|found| found != page.found) {
            return Err(changed("how many decisions there are changed"));
        }
        // Within a page the register may repeat itself. A row of an earlier page means that the pages have moved, and
        // that another row was missed.
        let ids = page.decisions.iter().map(|decision| &decision.id);
        if ids.clone().any(|id| self.ids.contains(id)) {
            return Err(changed("the order of the decisions changed"));
        }
        self.ids.extend(ids.cloned());
        let rows = page.decisions.len();
        self.pages += 1;
        self.rows += rows as u64;
        self.found = Some(page.found);
        let list = format!("answer of {UPSTREAM}: /rozhodnutieList");
        if self.rows > page.found || (rows == 0 && self.rows < page.found) {
            return Err(malformed(
                list,
                format!("{} decisions in all", page.found),
                format!("{} up to page {}", self.rows, self.pages),
            ));
        }
        // Passages come only with a search: without them, this is the register from its beginning.
        if rows >= TELLING && page.decisions.iter().all(|one| one.highlights.is_empty()) {
            return Err(malformed(
                format!("{list}/*/zvyraznenie"),
                "passages with what was searched for",
                format!("none in {rows} decisions"),
            ));
        }
        Ok(())
    }
}
