//! Date formats of the registers, and arithmetic with simulated days.

use std::fmt;

use time::{Date, Duration};

time::serde::format_description!(pub(crate) iso, Date, "[year]-[month]-[day]");

/// Formats a date as `2026-01-15`.
pub(crate) struct Iso(pub(crate) Date);

impl fmt::Display for Iso {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let date = self.0;
        write!(
            f,
            "{:04}-{:02}-{:02}",
            date.year(),
            u8::from(date.month()),
            date.day()
        )
    }
}

/// Formats a date as `15.01.2026`.
pub(crate) struct Dotted(pub(crate) Date);

impl fmt::Display for Dotted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let date = self.0;
        write!(
            f,
            "{:02}.{:02}.{:04}",
            date.day(),
            u8::from(date.month()),
            date.year()
        )
    }
}

/// Formats a date as `15012026`, the list date of the tax authority's files.
pub(crate) struct Packed(pub(crate) Date);

impl fmt::Display for Packed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let date = self.0;
        write!(
            f,
            "{:02}{:02}{:04}",
            date.day(),
            u8::from(date.month()),
            date.year()
        )
    }
}

pub(crate) fn before(date: Date, days: u32) -> Date {
    date.saturating_sub(Duration::days(i64::from(days)))
}

pub(crate) fn after(date: Date, days: u32) -> Date {
    date.saturating_add(Duration::days(i64::from(days)))
}

/// Days from one date to a later one; 0 if the second is not later.
pub(crate) fn days_between(from: Date, to: Date) -> u32 {
    u32::try_from((to - from).whole_days()).unwrap_or(0)
}

pub(crate) fn parse_iso(text: &str) -> Option<Date> {
    let mut parts = text.splitn(3, '-');
    let year = parts.next()?.parse().ok()?;
    let month: u8 = parts.next()?.parse().ok()?;
    let day = parts.next()?.parse().ok()?;
    Date::from_calendar_date(year, time::Month::try_from(month).ok()?, day).ok()
}
