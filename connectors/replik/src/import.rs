//! The dataset `administrators`: the proceedings that changed since the cursor, and their administrators.
//!
//! Each batch requests the changes since its own start, so a run resumed at a cursor equals an uninterrupted
//! one. If more proceedings changed at one moment than the register returns at once, the run fails rather than
//! skipping some.

use std::collections::{BTreeMap, BTreeSet};

use lustra_sdk::failure::list_changed;
use lustra_sdk::{Batch, Failure, ImportRun, Item, Notes, malformed, runtime};

use crate::administrators::Named;
use crate::changes::{self, Change};
use crate::detail;
use crate::moment::Moment;
use crate::proceedings::is_number;
use crate::settings::Changes;
use crate::soap::{self, Operation};

pub const ADMINISTRATORS: &str = "administrators";

/// Number of proceedings in a batch. The host gives a batch one minute and the register tolerates two requests
/// per second, so a batch is much smaller than that of a list read in one request.
const BATCH: usize = 50;
/// How often the requested number of changes is doubled while all of them have the same time.
const DOUBLINGS: u32 = 4;
/// Number of requests reserved for querying changes.
const RESERVE: u64 = DOUBLINGS as u64 + 1;
/// A run may last an hour. It stops at a cursor before that.
const RUN_SECONDS: i64 = 50 * 60;
/// If this many proceedings in a row have an empty answer, the register's format has changed.
const MIN_SAMPLE: usize = 10;

/// The position of a run: everything before this moment is read, and of the moment itself these proceedings.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RunCursor {
    at: Moment,
    done: BTreeSet<String>,
}

impl RunCursor {
    /// The position at the operator's `since`.
    fn since(since: &str) -> Result<Self, Failure> {
        let at = Moment::parse(&format!("{since}T00:00:00"));
        match at {
            Some(at) => Ok(Self {
                at,
                done: BTreeSet::new(),
            }),
            None => Err(Failure::Misconfigured(format!(
                "the setting since is not a date: {since}"
            ))),
        }
    }

    fn parse(cursor: &str) -> Option<Self> {
        let mut words = cursor.split(' ');
        let at = Moment::parse(words.next()?)?;
        let done: BTreeSet<String> = words.map(str::to_owned).collect();
        done.iter()
            .all(|id| is_number(id))
            .then_some(Self { at, done })
    }

    fn cursor(&self) -> String {
        let done = self.done.iter().map(String::as_str);
        let words: Vec<&str> = std::iter::once(self.at.text()).chain(done).collect();
        words.join(" ")
    }

    fn is_new(&self, change: &Change) -> bool {
        change.at > self.at || (change.at == self.at && !self.done.contains(&change.id))
    }

    fn step_to(&mut self, change: Change) {
        if change.at != self.at {
            self.done.clear();
        }
        self.at = change.at;
        self.done.insert(change.id);
    }
}

/// Starts a run, or resumes one at a cursor.
///
/// # Errors
/// [`list_changed`] for a cursor of another version; [`Failure::Misconfigured`] for a `since` that is not a
/// date.
pub fn open(cursor: Option<&str>) -> Result<Box<dyn ImportRun>, Failure> {
    let settings = Changes::read()?;
    let since = RunCursor::since(&settings.since)?;
    let position = match cursor {
        None => since,
        Some(cursor) => match RunCursor::parse(cursor) {
            // Lets an operator skip changes that cannot be read by setting a later `since`.
            Some(position) if position.at < since.at => since,
            Some(position) => position,
            None => return Err(list_changed("the cursor is not one of this version")),
        },
    };
    Ok(Box::new(Run {
        position,
        at_once: settings.changes_at_once,
        begun: Moment::parse(&runtime::now()),
        all_notes: Notes::default(),
    }))
}

struct Run {
    position: RunCursor,
    at_once: u32,
    begun: Option<Moment>,
    /// Notes of all details of the run. The share of odd ones is computed from them.
    all_notes: Notes,
}

impl ImportRun for Run {
    fn next(&mut self) -> Result<Option<Batch>, Failure> {
        let most = self.allowed()?;
        let (changes, of_changes) = self.changes()?;
        if changes.is_empty() {
            return Ok(None);
        }
        let wall = runtime::left().wall_ms;
        let mut gathered = Gathered::default();
        let mut position = self.position.clone();
        for change in changes.into_iter().take(most) {
            gathered.add(&change.id)?;
            position.step_to(change);
            if runtime::left().wall_ms < wall / 2 {
                break;
            }
        }
        gathered.check()?;
        let mut all_notes = self.all_notes.clone();
        all_notes.add(&gathered.notes);
        all_notes.check_odd_rows(Operation::Detail.name())?;
        self.all_notes = all_notes;
        gathered.notes.add(&of_changes);
        // Set the position last, so that a failed batch is read again.
        self.position = position;
        Ok(Some(gathered.batch(self.position.cursor())))
    }
}

impl Run {
    /// Number of proceedings that may be requested now.
    fn allowed(&self) -> Result<usize, Failure> {
        let over = |what: &str| {
            Err(Failure::Unavailable(format!(
                "{what} used up before everything was read; the next run continues where this one ends"
            )))
        };
        let now = Moment::parse(&runtime::now());
        if let (Some(begun), Some(now)) = (&self.begun, &now)
            && now.seconds_since(begun) > RUN_SECONDS
        {
            return over("the time of the run is");
        }
        match runtime::left().requests.checked_sub(RESERVE) {
            None | Some(0) => over("the requests of the run are"),
            Some(left) => Ok(usize::try_from(left).unwrap_or(BATCH).min(BATCH)),
        }
    }

    /// The changes after the position, ordered by time; empty if there are no more.
    fn changes(&self) -> Result<(Vec<Change>, Notes), Failure> {
        let from = self.position.at.a_second_before();
        for doubling in 0..=DOUBLINGS {
            let asked = u64::from(self.at_once) << doubling;
            let fields = [
                ("ZmenyOd", from.as_str()),
                ("MaximalnyPocetVysledkov", &asked.to_string()),
            ];
            let (response, _) = soap::ask(Operation::ChangesSince, &fields)?;
            let mut notes = Notes::default();
            let mut changes = changes::changes_of(&response, &mut notes)?;
            notes.check_odd_rows(Operation::ChangesSince.name())?;
            let is_full = notes.rows() >= asked;
            changes.retain(|change| self.position.is_new(change));
            if !(changes.is_empty() && is_full) {
                return Ok((changes, notes));
            }
        }
        Err(malformed(
            format!(
                "{}: changes at {}",
                Operation::ChangesSince.name(),
                self.position.at.text()
            ),
            "fewer at one time than the register gives at once, or a setting `since` behind them",
            format!("{} and more", u64::from(self.at_once) << DOUBLINGS),
        ))
    }
}

/// The content of a batch.
#[derive(Default)]
struct Gathered {
    /// Items by mark: for several proceedings of one administrator the last change wins.
    items: BTreeMap<String, Item>,
    asked: usize,
    without_proceeding: usize,
    without_mark: usize,
    notes: Notes,
}

impl Gathered {
    fn add(&mut self, id: &str) -> Result<(), Failure> {
        let (response, _) = soap::ask(Operation::Detail, &[("KonanieId", id)])?;
        self.asked += 1;
        self.notes.row();
        let detail = match detail::detail_of(&response, id) {
            Err(wrong @ Failure::Malformed(_)) => {
                self.notes.odd_row("unreadable-proceedings", &wrong);
                return Ok(());
            }
            detail => detail?,
        };
        match detail.map(|detail| detail.administrator) {
            Some(Named::Administrator(administrator)) => {
                let item = administrator.item()?;
                self.items.insert(item.key.clone(), item);
            }
            Some(Named::Absent) => self.notes.count("without-administrator"),
            Some(Named::WithoutMark) => {
                self.without_mark += 1;
                self.notes.count("without-mark");
            }
            // The change removed the proceeding.
            None => {
                self.without_proceeding += 1;
                self.notes.count("without-proceeding");
            }
        }
        Ok(())
    }

    /// A single proceeding may be gone or have no administrator yet. If this applies to all, the format has
    /// changed.
    fn check(&self) -> Result<(), Failure> {
        let (what, expected) = if self.without_proceeding == self.asked {
            ("Konanie", "proceedings")
        } else if self.without_mark == self.asked {
            ("Spravca: Znacka", "administrators' marks")
        } else {
            return Ok(());
        };
        if self.asked < MIN_SAMPLE {
            return Ok(());
        }
        Err(malformed(
            format!("{}: {what}", Operation::Detail.name()),
            expected,
            format!("none in {} answers", self.asked),
        ))
    }

    fn batch(self, cursor: String) -> Batch {
        Batch {
            items: self.items.into_values().collect(),
            companies: Vec::new(),
            cursor,
            list_date: None,
            progress: None,
            notes: self.notes.fields(),
        }
    }
}
