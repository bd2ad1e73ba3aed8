//! The dataset `projects`: sweeps over the list from its newest page on, and the page of each new project.
//!
//! A sweep may take several runs. A batch covers at most one page of the list, since the register allows one request a
//! second. The first sweep reads everything back to the operator's day. Later sweeps read what is new, and once a week
//! also the projects of the last weeks again. New projects move others to later pages, so that some are repeated and
//! none are missed. To make up for removed projects, a run reads the page before again. A run begins with the pages of
//! projects that earlier runs could not read.

mod page;

use lustra_sdk::runtime::{self, Level, Remaining};
use lustra_sdk::{Batch, Failure, ImportRun, Item, Notes, calendar, records};
use serde::{Deserialize, Serialize};

use crate::cursor::{Cursor, Done, Kind, Sweep};
use crate::list;
use crate::names::DATASET;
use crate::odd::OddPages;
use crate::settings::Settings;
use crate::site;
use page::{Gathered, Outcome};

/// The key of the record that says how far the register was read. Keys of projects have another prefix.
pub const READING_KEY: &str = "reading";
/// A run requests no further page when less of the call's time is left.
const SPARE_MS: u64 = 8_000;
/// A run requests no further page when fewer requests are left.
const SPARE_REQUESTS: u64 = 3;

/// How far the register was read, as sections show it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// The oldest day. `None` if the register was read to its end, or if the day is not known.
    pub since: Option<String>,
    /// Whether everything since that day, or the whole register, was read.
    pub is_complete: bool,
    /// The pages of projects that could not be read. Records of earlier versions have none.
    #[serde(default, skip_serializing_if = "OddPages::is_empty")]
    pub odd: OddPages,
}

impl Reading {
    /// The stored record, if there is one.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for a record of another version; the host's refusal.
    pub fn stored() -> Result<Option<Self>, Failure> {
        let found = records::by_key(DATASET, READING_KEY, 1)?;
        found.first().map(records::content).transpose()
    }
}

/// Starts an import, or resumes it at a cursor.
///
/// # Errors
/// [`Failure::Misconfigured`] for settings of another shape.
pub fn open(cursor: Option<&str>) -> Result<Box<dyn ImportRun>, Failure> {
    let settings = Settings::read()?;
    let today = runtime::today();
    let from = settings.first_day(&today)?;
    let known = cursor.and_then(|text| {
        let cursor = Cursor::parse(text);
        if cursor.is_none() {
            let why = "the cursor is not one of this version: all projects are read again";
            runtime::log(Level::Warn, why);
        }
        cursor
    });
    // To import projects of earlier days, the import must read everything again, in order.
    let is_earlier = |cursor: &Cursor| settings.begins_on_a_date() && from < cursor.from;
    let mut cursor = match known {
        Some(cursor) if !is_earlier(&cursor) => cursor,
        Some(_) | None => Cursor::first(from),
    };
    let mut is_again = false;
    if let Some(sweep) = &mut cursor.sweep
        && let Some(before) = sweep.page.checked_sub(1)
    {
        sweep.page = before;
        is_again = true;
    }
    Ok(Box::new(Run {
        cursor,
        today,
        began: runtime::now(),
        settings,
        is_again,
        has_asked: false,
        odd: Reading::stored()?.unwrap_or_default().odd,
        has_tried_again: false,
        failure: None,
        all_notes: Notes::default(),
    }))
}

struct Run {
    settings: Settings,
    cursor: Cursor,
    today: String,
    began: String,
    /// Whether the run before has already read the next page.
    is_again: bool,
    has_asked: bool,
    /// The pages that could not be read so far.
    odd: OddPages,
    /// Whether this run has requested those again.
    has_tried_again: bool,
    /// The failure that ends the run after the batch in progress.
    failure: Option<Failure>,
    /// Notes of all pages of the run. The share of odd rows is judged by them.
    all_notes: Notes,
}

impl ImportRun for Run {
    fn next(&mut self) -> Result<Option<Batch>, Failure> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        if self.must_stop() {
            return Ok(None);
        }
        let Some(mut sweep) = self.sweep() else {
            return Ok(None);
        };
        if !std::mem::replace(&mut self.has_tried_again, true)
            && let Some(batch) = self.again(&sweep)?
        {
            return Ok(Some(batch));
        }
        let path = self
            .settings
            .list_path
            .replace("{page}", &sweep.page.to_string());
        let Some(text) = site::page(&path, &self.settings)? else {
            return Err(Failure::Unavailable(format!(
                "the register has no page {} of its list",
                sweep.page
            )));
        };
        let is_again = std::mem::take(&mut self.is_again);
        self.has_asked = !is_again;
        let listed = list::read(&text, sweep.page, &self.settings)?;
        let stop_at = self.cursor.done.as_ref().map(|done| done.anchor.as_slice());
        let mut gathered = Gathered::beside(std::mem::take(&mut self.odd));
        for _ in 0..listed.unreadable_rows {
            gathered.notes.row();
            gathered.notes.odd("unreadable_rows");
        }
        let outcome = gathered.page(
            &listed.projects,
            &mut sweep,
            stop_at.unwrap_or_default(),
            &self.settings,
        );
        self.odd = std::mem::take(&mut gathered.odd);
        self.all_notes.add(&gathered.notes);
        self.all_notes.check_odd_rows("pages of projects")?;
        match outcome {
            Err(failure) if gathered.asked == 0 => return Err(failure),
            // The failure is returned with the next call, after what was read of the page.
            Err(failure) => {
                self.failure = Some(failure);
                self.cursor.sweep = Some(sweep);
            }
            Ok(Outcome::Cut) => self.cursor.sweep = Some(sweep),
            Ok(Outcome::Whole) => self.turn(sweep, &gathered, listed.has_more)?,
        }
        // The run before has returned everything of this page.
        if is_again && gathered.items.is_empty() && self.cursor.sweep.is_some() {
            return self.next();
        }
        self.batch(gathered.items.into_values().collect(), &gathered.notes)
            .map(Some)
    }
}

impl Run {
    /// The sweep in progress, else a new one. `None` if the newest sweep began today.
    fn sweep(&self) -> Option<Sweep> {
        if let Some(sweep) = &self.cursor.sweep {
            return Some(sweep.clone());
        }
        let kind = match &self.cursor.done {
            None => Kind::First,
            Some(done) if done.began >= self.today => return None,
            Some(done) => {
                let since = calendar::days_between(&done.again, &self.today);
                let every = i64::from(self.settings.reread_every_days);
                if since.is_none_or(|days| days >= every) {
                    Kind::Again
                } else {
                    Kind::New
                }
            }
        };
        Some(Sweep::begin(kind, &self.today))
    }

    /// Requests the pages again that earlier runs could not read. `None` if there are none.
    fn again(&mut self, sweep: &Sweep) -> Result<Option<Batch>, Failure> {
        let mut gathered = Gathered::beside(std::mem::take(&mut self.odd));
        gathered.again(&self.today, &self.settings)?;
        self.odd = gathered.odd;
        if gathered.asked == 0 && gathered.items.is_empty() {
            return Ok(None);
        }
        self.cursor.sweep = Some(sweep.clone());
        let items = gathered.items.into_values().collect();
        self.batch(items, &gathered.notes).map(Some)
    }

    /// Turns to the next page of a sweep, or ends the sweep.
    fn turn(
        &mut self,
        mut sweep: Sweep,
        gathered: &Gathered,
        has_more: bool,
    ) -> Result<(), Failure> {
        let is_behind = |day: &str| gathered.youngest.as_deref().is_some_and(|one| one < day);
        let is_cut = sweep.kind == Kind::First && has_more && is_behind(&self.cursor.from);
        let is_over = !has_more
            || match sweep.kind {
                Kind::First => is_cut,
                Kind::New => sweep.has_met,
                Kind::Again => {
                    let days = i64::from(self.settings.reread_days);
                    let limit = calendar::days_after(&sweep.began, -days).unwrap_or_default();
                    let is_far = sweep.page + 1 >= self.settings.reread_pages;
                    sweep.has_met && (is_far || is_behind(&limit))
                }
            };
        if !is_over {
            sweep.page += 1;
            self.cursor.sweep = Some(sweep);
            return Ok(());
        }
        let before = self.cursor.done.take();
        let again = match (&before, sweep.kind) {
            (Some(done), Kind::New) => done.again.clone(),
            (Some(_) | None, Kind::First | Kind::New | Kind::Again) => sweep.began.clone(),
        };
        self.cursor.sweep = None;
        self.cursor.done = Some(Done {
            began: sweep.began,
            anchor: sweep.anchor,
            again,
            is_cut: before.map_or(is_cut, |done| done.is_cut),
        });
        Ok(())
    }

    /// How far the register has been read by now.
    fn reading(&self) -> Reading {
        let odd = self.odd.clone();
        match (&self.cursor.done, &self.cursor.sweep) {
            (Some(done), _) => Reading {
                since: done.is_cut.then(|| self.cursor.from.clone()),
                is_complete: true,
                odd,
            },
            (None, Some(sweep)) => Reading {
                since: sweep.back_to.clone(),
                is_complete: false,
                odd,
            },
            (None, None) => Reading {
                since: None,
                is_complete: false,
                odd,
            },
        }
    }

    /// The day until which the register was read: that of the newest finished sweep, or of the first one.
    fn until(&self) -> Option<String> {
        let of_first = self.cursor.sweep.as_ref().map(|sweep| &sweep.began);
        let done = self.cursor.done.as_ref().map(|done| &done.began);
        done.or(of_first).cloned()
    }

    fn batch(&self, mut items: Vec<Item>, notes: &Notes) -> Result<Batch, Failure> {
        items.push(records::item(READING_KEY, None, &self.reading())?);
        Ok(Batch {
            items,
            companies: Vec::new(),
            cursor: self.cursor.text()?,
            list_date: self.until(),
            progress: None,
            notes: notes.fields(),
        })
    }

    /// Whether the allowance is nearly used up. Each run reads at least one page that no run before it has read.
    fn must_stop(&self) -> bool {
        if !self.has_asked {
            return false;
        }
        let seconds = calendar::seconds_between(&self.began, &runtime::now());
        let is_long = seconds.is_some_and(|seconds| seconds >= self.settings.run_minutes * 60);
        is_long || runtime::left().requests < SPARE_REQUESTS
    }
}

/// Whether the rest of the call's allowance suffices for another project.
fn has_room(left: &Remaining) -> bool {
    left.wall_ms >= SPARE_MS && left.requests >= SPARE_REQUESTS
}
