//! Calendar months counted from a day.

use time::{Date, Month, OffsetDateTime, Time};

/// The day `months` months after another; the last day of the month if it has no such day. Always counted from the
/// original day, so that a plan of the 31st returns to the 31st after a shorter month.
#[must_use]
pub fn months_after(day: Date, months: i64) -> Date {
    let counted = i64::from(day.year()) * 12 + i64::from(u8::from(day.month())) - 1 + months;
    let year = i32::try_from(counted.div_euclid(12)).unwrap_or(i32::MAX);
    let month = u8::try_from(counted.rem_euclid(12) + 1).ok();
    let month = month
        .and_then(|month| Month::try_from(month).ok())
        .unwrap_or(Month::January);
    let last = month.length(year);
    // Saturates at the end of the supported calendar, about 8,000 years from now.
    Date::from_calendar_date(year, month, day.day().min(last)).unwrap_or(Date::MAX)
}

/// Midnight in UTC, when a day begins.
#[must_use]
pub fn midnight(day: Date) -> OffsetDateTime {
    day.with_time(Time::MIDNIGHT).assume_utc()
}

/// The same time of day, `months` months later.
#[must_use]
pub fn later(at: OffsetDateTime, months: i64) -> OffsetDateTime {
    months_after(at.date(), months)
        .with_time(at.time())
        .assume_utc()
}

#[cfg(test)]
mod tests {
    use time::macros::{date, datetime};

    use super::*;

    #[test]
    fn month_ends_are_clamped_and_recover() {
        let anchor = date!(2026 - 01 - 31);
        let days: Vec<Date> = (0..=14)
            .map(|months| months_after(anchor, months))
            .collect();
        assert_eq!(days[0], anchor);
        assert_eq!(days[1], date!(2026 - 02 - 28));
        assert_eq!(days[2], date!(2026 - 03 - 31));
        assert_eq!(days[3], date!(2026 - 04 - 30));
        assert_eq!(days[11], date!(2026 - 12 - 31));
        assert_eq!(days[13], date!(2027 - 02 - 28));
        assert_eq!(
            months_after(date!(2027 - 12 - 31), 2),
            date!(2028 - 02 - 29)
        );
        assert_eq!(
            months_after(date!(2026 - 03 - 31), -1),
            date!(2026 - 02 - 28)
        );
        let at = datetime!(2026-11-30 13:14:15.016 UTC);
        assert_eq!(later(at, 3), datetime!(2027-02-28 13:14:15.016 UTC));
    }
}
