//! The time of the last change of each proceeding, cached until the day or a forced change invalidates it.

use std::sync::{Arc, Mutex};

use time::{Date, OffsetDateTime, Time, UtcOffset, Weekday};

use crate::World;
use crate::population::proceedings::{AT_ONE_MOMENT, Proceeding, of, persons};

/// A proceeding in the log.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) id: u64,
    pub(super) began: Date,
    pub(super) changed: OffsetDateTime,
}

/// The day and revision of the population from which the log was built.
type Moment = (u32, u64);

#[derive(Debug, Default)]
pub(super) struct Log {
    known: Mutex<Option<(Moment, Arc<Vec<Entry>>)>>,
}

impl Log {
    /// All proceedings ordered by last change. Computes every company on the first call.
    pub(super) fn entries(&self, world: &World) -> Arc<Vec<Entry>> {
        let population = &world.population;
        let moment = (world.clock.day(), population.revision());
        let mut known = self.known.lock().expect("no holder of this lock panics");
        if let Some((made, entries)) = known.as_ref()
            && *made == moment
        {
            return Arc::clone(entries);
        }
        let of_companies =
            (0..population.len()).flat_map(|index| of(&population.company(index, moment.0)));
        let of_persons = persons(population)
            .into_iter()
            .map(|person| person.proceeding);
        let mut entries: Vec<Entry> = of_persons
            .chain(of_companies)
            .map(|proceeding| entry(&proceeding))
            .collect();
        entries.sort_by_key(|entry| (entry.changed, entry.id));
        let entries = Arc::new(entries);
        *known = Some((moment, Arc::clone(&entries)));
        entries
    }
}

/// Some proceedings change at one moment in a nightly run, the others during the day.
fn entry(proceeding: &Proceeding) -> Entry {
    let id = proceeding.id;
    let is_nightly = AT_ONE_MOMENT.contains(&id);
    let second = if is_nightly {
        3 * 3_600
    } else {
        7 * 3_600 + id * 7_919 % 36_000
    };
    let second = u32::try_from(second).unwrap_or(0);
    let time = Time::MIDNIGHT + time::Duration::seconds(i64::from(second));
    let day = proceeding.last_event_on;
    Entry {
        id,
        began: proceeding.began,
        changed: day.with_time(time).assume_offset(zone(day)),
    }
}

/// The time zone offset of Bratislava on a day.
pub(super) fn zone(day: Date) -> UtcOffset {
    let month = u8::from(day.month());
    let is_past_last_sunday = || {
        let next_sunday = day.next_occurrence(Weekday::Sunday);
        day.month() != next_sunday.month() || day.weekday() == Weekday::Sunday && day.day() > 24
    };
    let is_summer = match month {
        4..=9 => true,
        3 => is_past_last_sunday(),
        10 => !is_past_last_sunday(),
        _ => false,
    };
    let hours = if is_summer { 2 } else { 1 };
    UtcOffset::from_hms(hours, 0, 0).unwrap_or(UtcOffset::UTC)
}
