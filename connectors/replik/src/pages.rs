//! Requests all proceedings of a debtor page by page, and never returns a partial list.
//!
//! Each page states the total number, and both can change during the reading. A page that is too short is
//! requested once more, and a list with inconsistent pages is read once more.

use std::collections::BTreeMap;

use lustra_sdk::{Evidence, Failure};

use crate::proceedings::{Page, Row, page_of};
use crate::soap::{self, Operation};

/// Maximum number of proceedings per request.
const PAGE: u64 = 100;

/// A list that was read to its end.
#[derive(Debug)]
pub struct Listed {
    /// The proceedings, each once.
    pub rows: Vec<Row>,
    /// The answers from which they were read.
    pub evidence: Vec<Evidence>,
}

/// One pass from the first page to the last.
#[derive(Default)]
struct Reading {
    /// Rows by number, with the page on which each was first found.
    rows: BTreeMap<String, (u64, Row)>,
    evidence: Vec<Evidence>,
    /// True if the pages are inconsistent.
    moved: bool,
}

/// All proceedings that the register lists for this IČO, 8 digits.
///
/// # Errors
/// [`Failure::Unavailable`] if the list was incomplete twice in a row; otherwise as [`soap::ask`] and
/// [`crate::proceedings::read_page`].
pub fn all_of(ico: &str) -> Result<Listed, Failure> {
    let first = read_through(ico)?;
    if !first.moved {
        return Ok(first.listed());
    }
    let mut second = read_through(ico)?;
    // Duplicates that are the same in both passes are duplicates in the register.
    if second.moved && !second.rows.keys().eq(first.rows.keys()) {
        return Err(Failure::Unavailable(
            "the list of proceedings changed while it was read, twice".to_owned(),
        ));
    }
    second.evidence.splice(0..0, first.evidence);
    Ok(second.listed())
}

fn read_through(ico: &str) -> Result<Reading, Failure> {
    let mut reading = Reading::default();
    let (mut read, mut total) = (0, None);
    for number in 0.. {
        let page = reading.page(ico, number)?;
        reading.moved |= total.is_some_and(|before| before != page.total);
        total = Some(page.total);
        read += page.rows.len() as u64;
        for row in page.rows {
            let met = reading.rows.get(&row.id).map(|(page, _)| *page);
            // Two occurrences on one page are a duplicate in the register.
            reading.moved |= met.is_some_and(|page| page != number);
            reading
                .rows
                .insert(row.id.clone(), (met.unwrap_or(number), row));
        }
        if read >= page.total {
            break;
        }
    }
    Ok(reading)
}

impl Reading {
    /// A page of the expected length. A shorter one is requested once more.
    fn page(&mut self, ico: &str, number: u64) -> Result<Page, Failure> {
        let page = self.ask(ico, number)?;
        if !is_short(&page, number) {
            return Ok(page);
        }
        let page = self.ask(ico, number)?;
        if !is_short(&page, number) {
            return Ok(page);
        }
        Err(Failure::Unavailable(format!(
            "page {number} of the list of {} proceedings has {}, twice",
            page.total,
            page.rows.len()
        )))
    }

    fn ask(&mut self, ico: &str, number: u64) -> Result<Page, Failure> {
        let fields = [
            ("Ico", ico),
            ("Stranka", &number.to_string()),
            ("VysledkovNaStranku", &PAGE.to_string()),
            // The start of a proceeding is a stable sort key, unlike its last event.
            ("TypTriedenia", "DatumZacatiaKonania"),
        ];
        let (response, evidence) = soap::ask(Operation::ProceedingsByIco, &fields)?;
        self.evidence.push(evidence);
        page_of(&response)
    }

    fn listed(self) -> Listed {
        Listed {
            rows: self.rows.into_values().map(|(_, row)| row).collect(),
            evidence: self.evidence,
        }
    }
}

fn is_short(page: &Page, number: u64) -> bool {
    let expected = page
        .total
        .saturating_sub(number.saturating_mul(PAGE))
        .min(PAGE);
    (page.rows.len() as u64) < expected
}
