//! Searches the register for a number, page by page, newest decisions first.

use std::collections::HashSet;

use lustra_sdk::http::Request;
use lustra_sdk::{Evidence, Failure, malformed, runtime};

use crate::highlight;
use crate::page::{self, Decision, Odd, Page, UPSTREAM};
use crate::settings::Settings;

/// The connector requests no further page when less of the call's time is left.
const SPARE_MS: u64 = 4_000;
/// If this many results all lack a passage, the service did not search for the number. If most of as many have a member
/// of another form, the service has changed its form.
const MIN_SAMPLE: usize = 10;

/// The result of a search.
#[derive(Debug, Default)]
pub struct Read {
    /// How many decisions the search found, as the register reports it.
    pub found: u64,
    /// The decisions that were examined, without repetitions, newest first.
    pub decisions: Vec<Decision>,
    /// Why older decisions were not examined.
    pub left_out: Option<LeftOut>,
    /// Rows that could not be read, or not as a whole.
    pub odd: Odd,
    pub evidence: Vec<Evidence>,
}

impl Read {
    /// Adds a page.
    ///
    /// # Errors
    /// [`Failure::Malformed`] if most rows so far are odd: then the service has changed its form.
    pub fn add(&mut self, page: Page) -> Result<(), Failure> {
        self.found = page.found;
        self.odd.add(page.odd);
        for decision in page.decisions {
            if self.decisions.iter().all(|known| known.id != decision.id) {
                self.decisions.push(decision);
            }
        }
        let readable = self.decisions.len() as u64;
        let is_sample = self.decisions.len() >= MIN_SAMPLE;
        let is_other =
            self.odd.left_out > readable || (is_sample && self.odd.in_part * 2 > readable);
        match self.odd.first.take_if(|_| is_other) {
            Some(failure) => Err(failure),
            None => Ok(()),
        }
    }
}

/// Why some hits were not examined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftOut {
    /// The operator's setting allows no more pages.
    BySetting,
    /// The call had no time left for more pages.
    ForTime,
}

/// Searches for a company by its IČO of 8 digits.
///
/// # Errors
/// The service's failure; [`Failure::Malformed`] if its pages contradict the reported number of hits or show that it
/// does not search; [`Failure::Unavailable`] if the register changed between two pages.
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
        read.add(page)?;
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

/// Checks that a page answers this search. Passages contain the number, perhaps inside a longer number or without its
/// leading zeros. Passages with other text belong to another search.
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

/// Checks the order of the decisions. If a search is not read to its end, only the order shows which decisions are
/// missing.
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

/// The state of the pages read so far.
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
            return Err(changed("the number of decisions changed"));
        }
        // The register may repeat a row within a page. A row of an earlier page means that the pages have shifted, and
        // that another row was missed.
        let ids = page.decisions.iter().map(|decision| &decision.id);
        if ids.clone().any(|id| self.ids.contains(id)) {
            return Err(changed("the order of the decisions changed"));
        }
        self.ids.extend(ids.cloned());
        let rows = page.decisions.len() as u64 + page.odd.left_out;
        self.pages += 1;
        self.rows += rows;
        self.found = Some(page.found);
        let list = format!("answer of {UPSTREAM}: /rozhodnutieList");
        if self.rows > page.found || (rows == 0 && self.rows < page.found) {
            return Err(malformed(
                list,
                format!("{} decisions in all", page.found),
                format!("{} up to page {}", self.rows, self.pages),
            ));
        }
        // Passages appear only in search results. Without them, the page shows the register from its beginning.
        let readable = page.decisions.len();
        if readable >= MIN_SAMPLE && page.decisions.iter().all(|one| one.highlights.is_empty()) {
            return Err(malformed(
                format!("{list}/*/zvyraznenie"),
                "passages with what was searched for",
                format!("none in {readable} decisions"),
            ));
        }
        Ok(())
    }
}
