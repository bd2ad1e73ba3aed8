//! Days in the names of the register's files, and Slovak public holidays.

use lustra_sdk::calendar;
use lustra_sdk::calendar::time::{Date, Duration, Month};

/// Public holidays of act 241/1993 with a fixed date, as month and day.
const HOLIDAYS: [(u8, u8); 13] = [
    (1, 1),
    (1, 6),
    (5, 1),
    (5, 8),
    (7, 5),
    (8, 29),
    (9, 1),
    (9, 15),
    (11, 1),
    (11, 17),
    (12, 24),
    (12, 25),
    (12, 26),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(Date);

impl Day {
    /// Reads `YYYY-MM-DD`. `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        calendar::day(text).map(Self)
    }

    /// The day `days` later, or earlier if `days` is negative.
    #[must_use]
    pub fn plus(self, days: i64) -> Self {
        Self(self.0.saturating_add(Duration::days(days)))
    }

    /// Number of days from an earlier day to this one.
    #[must_use]
    pub fn since(self, earlier: Self) -> i64 {
        (self.0 - earlier.0).whole_days()
    }

    /// True if public offices work, so that contracts are published: neither a weekend nor a public holiday.
    #[must_use]
    pub fn is_working(self) -> bool {
        let weekday = self.0.weekday().number_days_from_monday();
        let today = (u8::from(self.0.month()), self.0.day());
        let from_easter = easter_sunday(self.0.year()).map(|easter| (self.0 - easter).whole_days());
        // Good Friday and Easter Monday.
        let is_easter = matches!(from_easter, Some(-2 | 1));
        weekday < 5 && !is_easter && !HOLIDAYS.contains(&today)
    }
}

/// Formats the day as `YYYY-MM-DD`.
impl std::fmt::Display for Day {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// Easter Sunday, by the Gregorian computus.
fn easter_sunday(year: i32) -> Option<Date> {
    let golden = year.rem_euclid(19);
    let (century, of_century) = (year.div_euclid(100), year.rem_euclid(100));
    let correction = (8 * century + 13) / 25;
    let moon = (19 * golden + century - century / 4 - correction + 15).rem_euclid(30);
    let weekday =
        (32 + 2 * (century % 4) + 2 * (of_century / 4) - moon - of_century % 4).rem_euclid(7);
    let shift = (golden + 11 * moon + 22 * weekday) / 451;
    let sum = moon + weekday - 7 * shift + 114;
    let month = Month::try_from(u8::try_from(sum / 31).ok()?).ok()?;
    Date::from_calendar_date(year, month, u8::try_from(sum % 31 + 1).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Day {
        Day::parse(text).expect("a date")
    }

    #[test]
    fn day_arithmetic_and_format_round_trip() {
        for (from, days, to) in [
            ("2026-01-15", 1, "2026-01-16"),
            ("2026-02-28", 1, "2026-03-01"),
            ("2024-02-28", 2, "2024-03-01"),
            ("2025-12-31", 1, "2026-01-01"),
            ("2011-01-01", 5_493, "2026-01-15"),
            ("2000-03-01", -1, "2000-02-29"),
        ] {
            assert_eq!(day(from).plus(days).to_string(), to);
            assert_eq!(day(to).since(day(from)), days);
        }
        assert_eq!(Day::parse("15.01.2026"), None);
        assert_eq!(Day::parse("2026-13-01"), None);
    }

    #[test]
    fn weekends_and_holidays_are_not_working_days() {
        for (text, works) in [
            ("2026-01-15", true),
            ("2026-01-16", true),
            ("2026-01-17", false),
            ("2026-01-18", false),
            ("2026-01-19", true),
            ("2026-01-06", false),
            ("2026-04-03", false),
            ("2026-04-06", false),
            ("2026-04-07", true),
            ("2025-04-18", false),
            ("2024-04-01", false),
            ("2026-12-24", false),
            ("2026-12-23", true),
        ] {
            assert_eq!(day(text).is_working(), works, "{text}");
        }
    }
}
