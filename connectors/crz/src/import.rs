//! The dataset `contracts`: reads the days one by one up to yesterday.
//!
//! The cursor moves past a day once its file was read. It moves past a day without a file only when a later day
//! has one, because the register may be late. A run stops at its cursor before its limits are exhausted, and
//! the next run resumes there.

mod gathered;

use lustra_sdk::runtime::{self, Level, Remaining};
use lustra_sdk::{Batch, Failure, ImportRun};

use crate::calendar::Day;
use crate::cursor::Cursor;
use crate::export::{self, Answered, Fetched};
use crate::settings::Settings;
use gathered::Gathered;

pub const DATASET: &str = "contracts";
/// The key of the record with the first imported day. Ids of contracts are numbers.
pub const SINCE_KEY: &str = "since";

/// Maximum number of records in a batch.
const BATCH: usize = 1_000;
/// A batch with this many records ends at the next end of a day.
const ENOUGH: usize = 500;
/// Maximum number of days in a batch, each of which may take some seconds.
const MAX_DAYS: u32 = 7;
/// An empty file of a working day counts as a failure for this many days.
const SETTLES_AFTER_DAYS: i64 = 7;

/// Starts an import, or resumes one behind a cursor.
///
/// # Errors
/// [`Failure::Misconfigured`] for settings of another shape.
pub fn open(cursor: Option<&str>) -> Result<Box<dyn ImportRun>, Failure> {
    let settings = Settings::read()?;
    let now = runtime::now();
    let Some(today) = now.get(..10).and_then(Day::parse) else {
        return Err(Failure::Unavailable(format!(
            "the host's clock returned an invalid time: {now}"
        )));
    };
    let skipped = settings.skipped()?;
    let first = settings.first_day(&today.to_string())?;
    let cursor = cursor.and_then(|text| {
        let cursor = Cursor::parse(text);
        if cursor.is_none() {
            let why = "the cursor is not one of this version: all days are read again";
            runtime::log(Level::Warn, why);
        }
        cursor
    });
    // Earlier days can be added only by reading all days again, in order.
    let is_earlier = |cursor: &Cursor| settings.begins_on_a_date() && first < cursor.since;
    let place = match cursor {
        Some(cursor) if !is_earlier(&cursor) => cursor,
        Some(_) | None => Cursor {
            since: first,
            day: first,
            given: 0,
        },
    };
    Ok(Box::new(Run {
        says_since: place.day == place.since && place.given == 0,
        ask: place.day,
        place,
        // The export of a day is created in the following night. By UTC, yesterday is over in Slovakia too.
        last: today.plus(-1),
        today,
        began: now,
        skipped,
        settings,
        file: None,
        failure: None,
        asked: 0,
        asked_working: 0,
        files: 0,
    }))
}

struct Run {
    settings: Settings,
    skipped: Vec<Day>,
    today: Day,
    /// The last day with a file.
    last: Day,
    /// The start of the run.
    began: String,
    /// The position behind the last returned contract.
    place: Cursor,
    /// The next day to request. It is after `place.day` if the days between have no file.
    ask: Day,
    /// The file of `place.day` while it is being read.
    file: Option<Fetched>,
    /// True until the record of the first day is returned.
    says_since: bool,
    /// A failure that ended the run while records were pending. Reported after them.
    failure: Option<Failure>,
    /// Number of days requested, of working days among them, and of files read.
    asked: u32,
    asked_working: u32,
    files: u32,
}

impl Run {
    /// Reads until the batch is full, no day is left, or a failure occurs.
    fn gather(&mut self, batch: &mut Gathered) -> Result<(), Failure> {
        loop {
            if self.file.is_none() {
                let is_full = batch.contracts.len() >= ENOUGH || batch.days >= MAX_DAYS;
                let is_late = batch.days > 0 && !has_time_for_another_day(&runtime::left());
                if is_full || is_late || self.ask > self.last || self.must_stop() {
                    return Ok(());
                }
                batch.days += 1;
                self.ask_for_next(batch)?;
            }
            if self.read(batch)? {
                return Ok(());
            }
        }
    }

    /// Requests a day. If the day has a file, it is open afterwards.
    fn ask_for_next(&mut self, batch: &mut Gathered) -> Result<(), Failure> {
        let day = self.ask;
        if self.skipped.binary_search(&day).is_ok() {
            runtime::log(
                Level::Warn,
                &format!("skipped {day} because of the setting skip_days"),
            );
            self.move_to(day.plus(1), batch);
            batch.finished = Some(day);
            return Ok(());
        }
        self.asked += 1;
        self.asked_working += u32::from(day.is_working());
        match export::fetch(day, &self.settings)? {
            Answered::File(mut fetched) => {
                self.files += 1;
                let given = if day == self.place.day {
                    self.place.given
                } else {
                    0
                };
                // A day's file is created once. A file that shrank is a different file, so read all of it.
                if !fetched.file.skip(given)? {
                    runtime::log(
                        Level::Warn,
                        &format!("{day}.xml is shorter than before; reading it again"),
                    );
                    self.place.given = 0;
                    let Answered::File(again) = export::fetch(day, &self.settings)? else {
                        return Err(Failure::Unavailable(format!(
                            "{day}.xml is no longer available"
                        )));
                    };
                    fetched = again;
                } else if day != self.place.day {
                    self.move_to(day, batch);
                }
                self.file = Some(fetched);
            }
            Answered::NoBytes
                if day.is_working() && self.today.since(day) <= SETTLES_AFTER_DAYS =>
            {
                return Err(Failure::Unavailable(format!(
                    "the file of {day}, a working day, is empty"
                )));
            }
            Answered::NoFile | Answered::NoBytes => self.ask = day.plus(1),
        }
        Ok(())
    }

    /// Reads from the open file. Returns true if the batch is full.
    fn read(&mut self, batch: &mut Gathered) -> Result<bool, Failure> {
        let Some(fetched) = &mut self.file else {
            return Ok(false);
        };
        while batch.contracts.len() < BATCH {
            let Some(contract) = fetched.file.next_contract(&self.settings)? else {
                let day = self.place.day;
                self.file = None;
                self.move_to(day.plus(1), batch);
                batch.finished = Some(day);
                return Ok(false);
            };
            batch.add(contract);
            self.place.given = fetched.file.contracts_read();
            batch.has_moved = true;
        }
        Ok(true)
    }

    fn move_to(&mut self, day: Day, batch: &mut Gathered) {
        self.place.day = day;
        self.place.given = 0;
        self.ask = day;
        batch.has_moved = true;
    }

    /// True if the limits of the run are nearly exhausted. Each run reads at least one day.
    fn must_stop(&self) -> bool {
        if self.asked == 0 {
            return false;
        }
        let seconds = lustra_sdk::calendar::seconds_between(&self.began, &runtime::now());
        let is_long = seconds.is_some_and(|seconds| seconds >= self.settings.run_minutes * 60);
        is_long || !has_room_for_another_day(&runtime::left())
    }

    fn batch(&mut self, gathered: Gathered) -> Result<Batch, Failure> {
        let since = (gathered.has_moved && std::mem::take(&mut self.says_since))
            .then_some(self.place.since);
        let list_date = gathered.finished.map(|day| day.to_string());
        let (items, notes) = gathered.given(since)?;
        let all = self.last.since(self.place.since).max(0) + 1;
        let done = self.place.day.since(self.place.since).clamp(0, all);
        Ok(Batch {
            items,
            companies: Vec::new(),
            cursor: self.place.to_string(),
            list_date,
            progress: u16::try_from(done * 1_000 / all).ok(),
            notes,
        })
    }

    /// Fails if the run was supposed to read working days and found no file at all.
    fn verdict(&self) -> Result<(), Failure> {
        if self.files > 0 || self.asked_working == 0 {
            return Ok(());
        }
        Err(Failure::Unavailable(format!(
            "none of the {} days from {} on has a file",
            self.asked, self.place.day
        )))
    }
}

impl ImportRun for Run {
    fn next(&mut self) -> Result<Option<Batch>, Failure> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let mut gathered = Gathered::default();
        if let Err(failure) = self.gather(&mut gathered) {
            // The next call resumes where the last batch ended.
            self.file = None;
            self.ask = self.place.day;
            if !gathered.has_moved {
                return Err(failure);
            }
            self.failure = Some(failure);
        }
        let is_under_way = self.ask <= self.last && !self.must_stop();
        if gathered.has_moved || (is_under_way && gathered.days > 0) {
            return self.batch(gathered).map(Some);
        }
        self.verdict()?;
        Ok(None)
    }
}

/// True if the run's remaining limits suffice for one more day. The largest files have several megabytes.
fn has_room_for_another_day(left: &Remaining) -> bool {
    left.requests >= 4 && left.bytes >= 16 << 20 && left.cpu_ms >= 1_500
}

/// True if the batch's remaining time suffices for one more day: two seconds of rate limit and a download.
fn has_time_for_another_day(left: &Remaining) -> bool {
    left.wall_ms >= 14_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_stops_before_its_limits_are_exhausted() {
        let left = |wall_ms, cpu_ms, requests, bytes| Remaining {
            wall_ms,
            cpu_ms,
            requests,
            bytes,
            details: Vec::new(),
        };
        let plenty = 1 << 30;
        assert!(has_room_for_another_day(&left(0, 60_000, 100, plenty)));
        for scarce in [
            left(60_000, 1_000, 100, plenty),
            left(60_000, 60_000, 3, plenty),
            left(60_000, 60_000, 100, 1 << 20),
        ] {
            assert!(!has_room_for_another_day(&scarce));
            assert!(has_time_for_another_day(&scarce));
        }
        assert!(!has_time_for_another_day(&left(5_000, 60_000, 100, plenty)));
    }
}
