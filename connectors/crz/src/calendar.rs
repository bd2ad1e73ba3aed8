//! Days as the register's files are named by, and those on which nobody works in Slovakia.
//!
//! A day is its number in the proleptic Gregorian calendar, so that days can be counted.

use lustra_sdk::date;

/// Days on which nobody works, as month and day: the public holidays of act 241/1993 that have a fixed date.
const HOLIDAYS: [(i64, i64); 13] = [
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

/// A day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(i64);

impl Day {
    /// Reads `YYYY-MM-DD`. `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let iso = date::parse(text).filter(|iso| iso == text)?;
        let mut parts = iso.split('-').map(str::parse::<i64>);
        let (year, month, day) = (
            parts.next()?.ok()?,
            parts.next()?.ok()?,
            parts.next()?.ok()?,
        );
        Some(Self(number(year, month, day)))
    }

    /// The day so many days later, or earlier.
    #[must_use]
    pub fn plus(self, days: i64) -> Self {
        Self(self.0.saturating_add(days))
    }

    /// How many days lie between an earlier day and this one.
    #[must_use]
    pub fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// Whether offices work, so that contracts are published: neither a weekend nor a public holiday.
    #[must_use]
    pub fn is_working(self) -> bool {
        // Day 0, 1 March of the year 0, was a Wednesday.
        let weekday = (self.0 + 2).rem_euclid(7);
        let (year, month, day) = self.parts();
        let easter = easter_sunday(year);
        let is_easter = self.0 == easter - 2 || self.0 == easter + 1;
        weekday < 5 && !is_easter && !HOLIDAYS.contains(&(month, day))
    }

    /// Year, month from 1 and day from 1.
    fn parts(self) -> (i64, i64, i64) {
        let era = self.0.div_euclid(146_097);
        let of_era = self.0.rem_euclid(146_097);
        let year_of_era =
            (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096).div_euclid(365);
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * of_year + 2) / 153;
        let day = of_year - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 {
            shifted + 3
        } else {
            shifted - 9
        };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        (year, month, day)
    }
}

/// `YYYY-MM-DD`.
impl std::fmt::Display for Day {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (year, month, day) = self.parts();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

/// Years that begin in March have their odd day at the end, so days before a month follow one line.
fn number(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    365 * year + year.div_euclid(4) - year.div_euclid(100)
        + year.div_euclid(400)
        + (153 * month + 2) / 5
        + day
        - 1
}

/// The day number of Easter Sunday, by the Gregorian computus.
fn easter_sunday(year: i64) -> i64 {
    let golden = year.rem_euclid(19);
    let (century, of_century) = (year.div_euclid(100), year.rem_euclid(100));
    let correction = (8 * century + 13) / 25;
    let moon = (19 * golden + century - century / 4 - correction + 15).rem_euclid(30);
    let weekday =
        (32 + 2 * (century % 4) + 2 * (of_century / 4) - moon - of_century % 4).rem_euclid(7);
    let shift = (golden + 11 * moon + 22 * weekday) / 451;
    let sum = moon + weekday - 7 * shift + 114;
    number(year, sum / 31, sum % 31 + 1)
}

/// Seconds since day 0 of an RFC 3339 time in UTC; `None` for anything else.
#[must_use]
pub fn seconds(time: &str) -> Option<i64> {
    let day = Day::parse(time.get(..10)?)?;
    let part = |range: std::ops::Range<usize>| time.get(range)?.parse::<i64>().ok();
    let (hours, minutes, seconds) = (part(11..13)?, part(14..16)?, part(17..19)?);
    Some(((day.0 * 24 + hours) * 60 + minutes) * 60 + seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Day {
        Day::parse(text).expect("a date")
    }

    #[test]
    fn days_are_counted_and_written_again() {
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
    fn weekends_and_holidays_are_no_working_days() {
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

    #[test]
    fn times_are_seconds_apart() {
        let of = |text| seconds(text).expect("a time");
        assert_eq!(
            of("2026-01-16T00:00:10Z") - of("2026-01-15T23:59:00.5Z"),
            70
        );
        assert_eq!(seconds("soon"), None);
        assert_eq!(seconds("2026-01-15"), None);
    }
}
