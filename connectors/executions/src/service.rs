//! Requests one company from the assumed service, page by page until all results are read.

use std::collections::HashSet;

use lustra_sdk::http::{Request, encode};
use lustra_sdk::{Evidence, Failure, malformed};

use crate::authorization::Entry;
use crate::page::{self, About, Page, UPSTREAM};
use crate::settings::Service;

/// The most pages of one company. A call has no time for more, and a service that ignores the filter would return its
/// whole register.
const MAX_PAGES: u64 = 10;

/// The service's whole answer for a company.
#[derive(Debug, Default)]
pub struct Read {
    /// Rows in which the company is the obligor, in the register's order.
    pub entries: Vec<Entry>,
    /// The register's own date: `YYYY-MM-DD`.
    pub as_of: Option<String>,
    pub evidence: Vec<Evidence>,
}

/// Requests a company by its IČO of 8 digits.
///
/// # Errors
/// The service's failure; [`Failure::Malformed`] if its pages contradict the reported number of rows or contain only
/// other companies; [`Failure::Unavailable`] if the register changed between two pages.
pub fn ask(ico: &str, service: &Service) -> Result<Read, Failure> {
    let mut read = Read::default();
    let mut seen = Seen::default();
    loop {
        let page = seen.pages + service.first_page;
        let (names, size) = (&service.query, service.page_size);
        let path = format!(
            "{}?{}={ico}&{}={page}&{}={size}",
            service.path,
            encode(&names.ico),
            encode(&names.page),
            encode(&names.size),
        );
        let response = Request::get(UPSTREAM, path)
            .header("accept", "application/json")
            .fetch()?;
        let text = response.body.text(None)?;
        read.evidence.push(response.body.evidence());
        let page = page::read(&text, ico, &service.members)?;
        let is_last = seen.add(&page, service)?;
        read.as_of = read.as_of.or(page.as_of);
        read.entries
            .extend(page.rows.into_iter().filter_map(|row| match row.about {
                About::Obligor(entry) => Some(*entry),
                About::Creditor | About::Others => None,
            }));
        if is_last {
            return Ok(read);
        }
    }
}

/// The state of the pages read so far.
#[derive(Debug, Default)]
struct Seen {
    pages: u64,
    rows: u64,
    total: Option<u64>,
    ids: HashSet<String>,
}

impl Seen {
    /// Adds a page. Returns whether it was the last one.
    fn add(&mut self, page: &Page, service: &Service) -> Result<bool, Failure> {
        let changed = |what: &str| {
            Failure::Unavailable(format!("{UPSTREAM}: {what} while its pages were read"))
        };
        if self.total.is_some_and(|total| total != page.total) {
            return Err(changed("the number of authorizations changed"));
        }
        // The register may repeat a row within a page. A row of an earlier page means that the pages have shifted, and
        // that another row was missed.
        let ids: Vec<&String> = page.rows.iter().filter_map(|row| row.id.as_ref()).collect();
        if ids.iter().any(|id| self.ids.contains(*id)) {
            return Err(changed("the order of the authorizations changed"));
        }
        self.ids.extend(ids.into_iter().cloned());
        let is_first = self.pages == 0;
        let rows = page.rows.len() as u64;
        self.pages += 1;
        self.rows += rows;
        self.total = Some(page.total);
        let members = &service.members;
        if self.rows > page.total || (rows == 0 && self.rows < page.total) {
            return Err(malformed(
                format!("answer of {UPSTREAM}: /{}", members.rows),
                format!("{} rows in all", page.total),
                format!("{} rows up to page {}", self.rows, self.pages),
            ));
        }
        let is_about = |about: &About| match about {
            About::Obligor(_) | About::Creditor => true,
            About::Others => false,
        };
        if rows > 0 && !page.rows.iter().any(|row| is_about(&row.about)) {
            return Err(malformed(
                format!("answer of {UPSTREAM}: /{}", members.rows),
                "rows about the company that was asked for",
                format!("{rows} rows about others"),
            ));
        }
        if is_first && page.total > rows * MAX_PAGES {
            return Err(malformed(
                format!("answer of {UPSTREAM}: /{}", members.total),
                format!("at most {} authorizations of one company", rows * MAX_PAGES),
                page.total.to_string(),
            ));
        }
        if self.pages >= MAX_PAGES && self.rows < page.total {
            return Err(malformed(
                format!("answer of {UPSTREAM}: /{}", members.rows),
                format!("{} rows within {MAX_PAGES} pages", page.total),
                format!("{} rows", self.rows),
            ));
        }
        Ok(self.rows == page.total)
    }
}
