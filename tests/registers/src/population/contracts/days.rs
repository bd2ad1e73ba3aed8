//! Working days of public offices.

use time::{Date, Duration, Weekday};

/// Public holidays, as month and day; Easter is left out.
const HOLIDAYS: [(u8, u8); 9] = [
    (1, 1),
    (1, 6),
    (5, 1),
    (7, 5),
    (8, 29),
    (11, 1),
    (12, 24),
    (12, 25),
    (12, 26),
];

/// The kind of a day for publishers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Working,
    Holiday,
    Saturday,
    Sunday,
}

pub(crate) fn kind(day: Date) -> Kind {
    match day.weekday() {
        Weekday::Saturday => Kind::Saturday,
        Weekday::Sunday => Kind::Sunday,
        Weekday::Monday
        | Weekday::Tuesday
        | Weekday::Wednesday
        | Weekday::Thursday
        | Weekday::Friday => {
            if HOLIDAYS.contains(&(u8::from(day.month()), day.day())) {
                Kind::Holiday
            } else {
                Kind::Working
            }
        }
    }
}

pub(super) fn is_working(day: Date) -> bool {
    kind(day) == Kind::Working
}

pub(super) fn after_days(day: Date, days: i64) -> Date {
    day.saturating_add(Duration::days(days))
}

/// The day itself, or the next working day.
pub(super) fn working(mut day: Date) -> Date {
    while !is_working(day) {
        day = after_days(day, 1);
    }
    day
}

/// The days that [`working`] maps to this one: itself and the non-working days before it.
pub(super) fn brought_to(day: Date) -> Vec<Date> {
    if !is_working(day) {
        return Vec::new();
    }
    let mut days = vec![day];
    let mut before = after_days(day, -1);
    while !is_working(before) {
        days.push(before);
        before = after_days(before, -1);
    }
    days
}
