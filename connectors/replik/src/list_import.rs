//! The dataset `administrator-list`: the ministry's list of administrators, read as a whole, page by page.

use std::collections::BTreeMap;

use lustra_sdk::http::{Request, encode};
use lustra_sdk::snapshot::Snapshot;
use lustra_sdk::{Failure, ImportRun, Item, Notes, malformed};

use crate::administrator_settings::List;
use crate::administrators::Administrator;
use crate::list_page::{self, Page, UPSTREAM};

pub const ADMINISTRATOR_LIST: &str = "administrator-list";

/// Maximum number of pages; the list has about a thousand entries.
const MAX_PAGES: u64 = 200;

/// Starts a run over the list, or resumes one.
///
/// # Errors
/// The upstream's failure; [`Failure::Malformed`] if the pages do not match the stated total, and for an empty
/// list; [`Failure::Unavailable`] if the list changed between two pages; [`lustra_sdk::failure::list_changed`]
/// if the cursor belongs to another list.
pub fn open(cursor: Option<&str>) -> Result<Box<dyn ImportRun>, Failure> {
    let mut list = Gathered::default();
    let settings = List::read()?;
    loop {
        let response = Request::get(UPSTREAM, path(&settings, list.pages))
            .header("accept", "application/json")
            .fetch()?;
        let page = list_page::read(&response.body.text(None)?, &settings.members)?;
        if list.add(page, &settings)? {
            break;
        }
    }
    list.notes.check_odd_rows(UPSTREAM)?;
    let items = list.entries.values().map(Administrator::item);
    let items: Vec<Item> = items.collect::<Result<_, _>>()?;
    Snapshot::of(items, list.notes, list.as_of).open(cursor)
}

fn path(settings: &List, pages: u64) -> String {
    let (path, size) = (&settings.path, settings.page_size);
    if size == 0 {
        return path.clone();
    }
    let (names, page) = (&settings.query, pages + settings.first_page);
    format!(
        "{path}?{}={page}&{}={size}",
        encode(&names.page),
        encode(&names.size)
    )
}

/// The content of the pages read so far.
#[derive(Default)]
struct Gathered {
    entries: BTreeMap<String, Administrator>,
    notes: Notes,
    as_of: Option<String>,
    pages: u64,
    rows: u64,
    total: Option<u64>,
}

impl Gathered {
    /// Adds a page. Returns true if it was the last one.
    fn add(&mut self, page: Page, settings: &List) -> Result<bool, Failure> {
        let members = &settings.members;
        let unfit = |name: &str, expected: String, found: String| {
            malformed(format!("answer of {UPSTREAM}: /{name}"), expected, found)
        };
        let changed =
            || Failure::Unavailable(format!("{UPSTREAM}: the list changed while it was read"));
        if page.total == 0 {
            return Err(unfit(
                &members.total,
                "administrators".to_owned(),
                "0".to_owned(),
            ));
        }
        if self.total.is_some_and(|total| total != page.total) {
            return Err(changed());
        }
        let rows = page.notes.rows();
        self.notes.add(&page.notes);
        self.pages += 1;
        self.rows += rows;
        self.total = Some(page.total);
        self.as_of = self.as_of.take().or(page.as_of);
        let is_last = self.rows == page.total;
        let may_go_on = rows > 0 && settings.page_size > 0 && self.pages < MAX_PAGES;
        if self.rows > page.total || (!is_last && !may_go_on) {
            return Err(unfit(
                &members.rows,
                format!("{} rows in all", page.total),
                format!("{} rows up to page {}", self.rows, self.pages),
            ));
        }
        let known = page.rows.into_iter().flatten().collect::<Vec<_>>();
        if known.is_empty() {
            return Err(unfit(
                &format!("{}/0/{}", members.rows, members.mark),
                "administrators' marks".to_owned(),
                format!("none in {rows} rows"),
            ));
        }
        let without_mark = rows - page.notes.odd_rows() - known.len() as u64;
        self.notes.count_many("without_mark", without_mark);
        // A mark of an earlier page means that the list moved, so another row was missed.
        if known
            .iter()
            .any(|one| self.entries.contains_key(&one.license_number))
        {
            return Err(changed());
        }
        for one in known {
            if one.ico.is_none() {
                self.notes.count("without_ico");
            }
            let mark = one.license_number.clone();
            if self.entries.insert(mark, one).is_some() {
                self.notes.count("repeated_marks");
            }
        }
        Ok(is_last)
    }
}
