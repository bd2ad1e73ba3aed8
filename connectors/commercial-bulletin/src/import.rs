//! A run over one table of the mirror: page by page after a position, until the mirror has no more rows.
//!
//! A batch ends with a page, so its cursor is a position of the mirror. The end is accepted only if the mirror
//! answers with an empty list (or with the last row again): a lost `Link` header must not truncate the list.

use std::marker::PhantomData;

use lustra_sdk::http::Request;
use lustra_sdk::{Batch, Failure, ImportRun, calendar, failure, malformed, records, runtime};

use crate::cursor::Cursor;
use crate::feed;
use crate::gather::Gathered;
use crate::row::Position;
use crate::settings::Import;
use crate::table::Table;

/// A batch ends with the page on which it reaches this many rows.
const ROWS: usize = 500;
/// A run stops while this many requests are still allowed.
const REQUESTS_LEFT: u64 = 10;
const BYTES_LEFT: u64 = 16 << 20;
const CPU_MS_LEFT: u64 = 1_000;

/// A run over a table.
pub struct Run<T> {
    table: PhantomData<T>,
    cursor: Cursor,
    /// True if nothing was read before. An empty answer then proves nothing.
    is_first: bool,
    /// True if earlier runs stored records that rows may contradict.
    has_records: bool,
    started: String,
    seconds: i64,
    /// True if the last page of this run ended with a row without a position.
    has_odd_end: bool,
    /// True if this run reached the end.
    is_done: bool,
}

/// The result of one page.
enum Page<T> {
    Rows(feed::Page<T>),
    NoMore,
}

impl<T: Table> Run<T> {
    /// Starts at the configured date, or resumes behind a batch.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for invalid settings, [`failure::list_changed`] for a cursor of another
    /// version.
    pub fn open(cursor: Option<&str>) -> Result<Self, Failure> {
        let settings = Import::read()?;
        let is_first = cursor.is_none();
        let cursor = match cursor {
            None => Cursor::beginning(settings.first_day(&runtime::today())?),
            Some(text) => Cursor::parse(text)
                .ok_or_else(|| failure::list_changed("the cursor is not one of this version"))?,
        };
        Ok(Self {
            table: PhantomData,
            cursor,
            is_first,
            has_records: records::state(T::DATASET)?.imported_at.is_some(),
            started: runtime::now(),
            seconds: settings.minutes_of_a_run * 60,
            has_odd_end: false,
            is_done: false,
        })
    }

    /// True if another page might exceed the host's limits. The run then stops at its cursor.
    fn is_used_up(&self) -> bool {
        let left = runtime::left();
        let used = calendar::seconds_between(&self.started, &runtime::now()).unwrap_or(0);
        left.requests < REQUESTS_LEFT
            || left.bytes < BYTES_LEFT
            || left.cpu_ms < CPU_MS_LEFT
            || used >= self.seconds
    }

    fn fetch(&mut self) -> Result<Page<T>, Failure> {
        let here = self.cursor.position();
        let response = Request::get(feed::UPSTREAM, here.path(T::PATH)).fetch()?;
        let linked = feed::next_position(T::PATH, response.header("link"))?;
        let page = feed::read_page::<T>(&response.body.text(None)?)?;
        let Some(last) = page.last.clone() else {
            return match linked {
                // The mirror repeats odd rows after the last position. They are already counted.
                None if page.odd.is_empty() || self.has_odd_end => Ok(Page::NoMore),
                None => Err(malformed(
                    format!("answer of {}", feed::UPSTREAM),
                    format!("rows with {} and bulletin_issue", T::MEMBERS),
                    "one row of another form",
                )),
                Some(_) => Err(odd_link::<T>("no next page behind an empty one", &here)),
            };
        };
        self.has_odd_end = !page.has_last_position;
        match linked {
            Some(next) if page.has_last_position && next.last_id != last.last_id => Err(
                odd_link::<T>("the position of the last row of the page", &here),
            ),
            Some(next) if next == here => Err(odd_link::<T>("a next page behind this one", &here)),
            Some(next) => {
                self.cursor.move_to(next);
                Ok(Page::Rows(page))
            }
            // The mirror repeated the last row of the previous page.
            None if last == here => Ok(Page::NoMore),
            None => {
                self.cursor.move_to(last);
                Ok(Page::Rows(page))
            }
        }
    }
}

fn odd_link<T: Table>(expected: &str, here: &Position) -> Failure {
    malformed("header Link", expected, here.path(T::PATH))
}

impl<T: Table> ImportRun for Run<T> {
    fn next(&mut self) -> Result<Option<Batch>, Failure> {
        if self.is_done || self.is_used_up() {
            return Ok(None);
        }
        let before = self.cursor.clone();
        self.cursor.is_at_end = false;
        let wall_ms = runtime::left().wall_ms;
        let mut gathered = Gathered::new(self.has_records);
        while gathered.rows < ROWS {
            match self.fetch()? {
                Page::Rows(page) => {
                    for row in &page.rows {
                        gathered.add(row, &mut self.cursor)?;
                    }
                    for id in page.odd {
                        gathered.add_odd(id)?;
                    }
                }
                Page::NoMore => {
                    self.cursor.is_at_end = true;
                    break;
                }
            }
            // If the mirror is slow, batches get shorter so that each stays within its time limit.
            if self.is_used_up() || runtime::left().wall_ms < wall_ms / 2 {
                break;
            }
        }
        if gathered.rows == 0 && self.is_first {
            return Err(malformed(
                format!("answer of {}", feed::UPSTREAM),
                format!("notices since {}", self.cursor.from),
                "an empty list",
            ));
        }
        gathered.check::<T>()?;
        self.is_first = false;
        self.is_done = self.cursor.is_at_end;
        // No new rows since the mirror's end was reached.
        if self.cursor == before {
            return Ok(None);
        }
        gathered.batch(&self.cursor).map(Some)
    }
}
