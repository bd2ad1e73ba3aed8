//! Reads a page of the list: links to projects, newest first, and whether there are further pages.

use lustra_sdk::html::{self, selector};
use lustra_sdk::{Failure, malformed};

use crate::settings::Settings;
use crate::{link, site};

/// A first page with fewer projects may be the whole list.
const FULL: usize = 20;

/// One page of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Paths of the projects, without repetitions, in the register's order.
    pub projects: Vec<String>,
    /// Number of rows without a link to a page of the register.
    pub unreadable_rows: usize,
    /// Whether the pager leads to a later page.
    pub has_more: bool,
}

/// Reads the page with this number, counted from 0. A row without a link to a page of the register is left out and
/// counted.
///
/// # Errors
/// [`Failure::Unavailable`] for a page without anything of the list, [`Failure::Malformed`] for a page of another
/// shape, or if no row has a link.
pub fn read(text: &str, number: u32, settings: &Settings) -> Result<Page, Failure> {
    let what = |part: &str| format!("list of projects, page {number}: {part}");
    site::whole(text, &what("page"))?;
    let document = html::parse(text);
    let has = |css| document.select(&selector(css)).next().is_some();
    let (has_table, has_pager) = (has("table.table_list"), has(".pagelist"));
    if !has_table && !has_pager {
        return Err(site::foreign());
    }
    for (is_there, part) in [(has_table, "table.table_list"), (has_pager, ".pagelist")] {
        if !is_there {
            return Err(malformed(what(part), "part of the page", "none"));
        }
    }
    let mut projects: Vec<String> = Vec::new();
    let (mut unreadable_rows, mut first_odd) = (0, None);
    for row in document.select(&selector("table.table_list tr")) {
        // A header row has no `td` cells.
        if row.select(&selector("td")).next().is_none() {
            continue;
        }
        let linked = row.select(&selector("td.cell2 a[href]")).next();
        let href = linked.map(|link| link.attr("href").unwrap_or_default());
        match href.and_then(|href| link::path(href, settings)) {
            Some(path) if projects.contains(&path) => {}
            Some(path) => projects.push(path),
            None => {
                unreadable_rows += 1;
                first_odd.get_or_insert(href.unwrap_or("none"));
            }
        }
    }
    if projects.is_empty()
        && let Some(found) = first_odd
    {
        let place = what("row: link in td.cell2");
        return Err(malformed(place, "a page of the register", found));
    }
    if projects.is_empty() && number == 0 {
        return Err(malformed(what("table.table_list"), "projects", "none"));
    }
    let pager = selector(".pagelist a[href]");
    let links = document.select(&pager);
    let pages = links.filter_map(|link| page_of(link.attr("href")?, settings));
    let last = pages.max();
    if last.is_none() && (number > 0 || projects.len() >= FULL) {
        return Err(malformed(what(".pagelist"), "links to pages", "none"));
    }
    Ok(Page {
        projects,
        unreadable_rows,
        has_more: last.is_some_and(|last| last > number),
    })
}

/// The page number in a link of the pager, from the same parameter that requests use.
fn page_of(href: &str, settings: &Settings) -> Option<u32> {
    let (before, _) = settings.list_path.split_once("{page}")?;
    let name = before.rsplit(['?', '&', '/']).next()?;
    let at = href.rfind(name)? + name.len();
    let digits: String = href[at..]
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().ok()
}
