//! Reads the register's pages: tables, and the number of rows on all pages.

use lustra_sdk::html::{self, scraper::Html};
use lustra_sdk::http::Request;
use lustra_sdk::text::{decode_utf8_or_windows_1250, fold};
use lustra_sdk::{Failure, malformed};

use crate::list::Fines;
use crate::settings::{Columns, Pages};

/// The upstream of the pages.
pub const UPSTREAM: &str = "ip";

/// The most pages. The list has about seven hundred decisions a year for five years, ten on a page.
const MAX_PAGES: u64 = 1_000;

/// Reads all pages.
///
/// # Errors
/// The failure of a page; [`Failure::Unavailable`] if the list changed while its pages were read;
/// [`Failure::Malformed`] if the numbers of rows do not add up.
pub fn read_all(pages: &Pages, columns: &Columns) -> Result<Fines, Failure> {
    let mut all = Fines::default();
    let (mut expected, mut before) = (None, Vec::new());
    let separator = if pages.page_path.contains('?') {
        '&'
    } else {
        '?'
    };
    for number in pages.first_page..pages.first_page + MAX_PAGES {
        let path = format!(
            "{}{separator}{}={number}",
            pages.page_path, pages.page_parameter
        );
        let bytes = Request::get(UPSTREAM, path).fetch()?.body.bytes()?;
        let what = format!("{UPSTREAM}: page {number}");
        let page = read(
            &what,
            &decode_utf8_or_windows_1250(&bytes),
            &pages.total_label,
            columns,
        )?;
        if expected.is_some_and(|total| total != page.total) {
            return Err(Failure::Unavailable(format!(
                "{UPSTREAM}: the list changed while its pages were read"
            )));
        }
        expected = Some(page.total);
        let rows = page.fines.rows();
        // A repeated page would cause an endless loop, or replace other pages that are then missed.
        if page.tables == before && rows > 0 {
            return Err(malformed(
                what,
                "another page than the one before",
                "the same rows",
            ));
        }
        before = page.tables;
        all.append(page.fines);
        if all.rows() == page.total {
            return Ok(all);
        }
        if rows == 0 || all.rows() > page.total {
            return Err(malformed(
                what,
                format!("{} rows on all pages", page.total),
                format!("{} up to this one", all.rows()),
            ));
        }
    }
    Err(malformed(
        UPSTREAM,
        format!("a list of at most {MAX_PAGES} pages"),
        "more of them",
    ))
}

#[derive(Debug)]
pub struct Page {
    /// The number of rows on all pages.
    pub total: u64,
    /// The rows of this page.
    pub fines: Fines,
    /// The raw tables, for comparison with another page. The stored parts of rows do not distinguish natural
    /// persons.
    tables: Vec<Vec<Vec<String>>>,
}

/// Reads a page. Failures name it as `what`.
///
/// # Errors
/// [`Failure::Unavailable`] for a text that is not a page; [`Failure::Malformed`] for a page without the number of rows
/// or the table, and as [`Fines::of_tables`].
pub fn read(what: &str, text: &str, total_label: &str, columns: &Columns) -> Result<Page, Failure> {
    if !text
        .trim_start_matches('\u{feff}')
        .trim_start()
        .starts_with('<')
    {
        return Err(malformed(what, "a page of HTML", "something else"));
    }
    let page = html::parse(text);
    let total = total(&page, total_label).ok_or_else(|| {
        malformed(
            format!("{what}: {total_label}"),
            "how many rows there are",
            "nothing",
        )
    })?;
    let tables = tables(&page);
    let fines = Fines::of_tables(what, tables.clone(), columns)?;
    Ok(Page {
        total,
        fines,
        tables,
    })
}

/// The number behind the label. Spaces may separate its thousands.
fn total(page: &Html, label: &str) -> Option<u64> {
    let text = fold(&html::text(page.root_element()));
    let label = fold(label);
    let place = text.find(&label).filter(|_| !label.is_empty())?;
    let mut words = text[place + label.len()..].split_whitespace();
    let is_number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let mut number = words.next().filter(is_number)?.to_owned();
    for word in words.take_while(|word| word.len() == 3 && is_number(word)) {
        number.push_str(word);
    }
    number.parse().ok()
}

/// The cells of each table, row by row.
fn tables(page: &Html) -> Vec<Vec<Vec<String>>> {
    let (table, row, cell) = (
        html::selector("table"),
        html::selector("tr"),
        html::selector("th, td"),
    );
    page.select(&table)
        .map(|table| {
            let rows = table.select(&row);
            rows.map(|row| row.select(&cell).map(html::text).collect())
                .collect()
        })
        .collect()
}
