//! Date and time arithmetic on the texts that registers and the host's clock use.

use time::format_description::well_known::Rfc3339;
use time::{Date, Duration, Month, OffsetDateTime};

pub use time;

/// Parses an ISO date `YYYY-MM-DD`. `None` for anything else, including a date followed by a
/// time.
#[must_use]
pub fn day(iso: &str) -> Option<Date> {
    let mut parts = iso.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let is_iso = (year.len(), month.len(), day.len()) == (4, 2, 2) && parts.next().is_none();
    let number = |digits: &str| {
        let is_number = is_iso && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| digits.parse::<u16>().ok()).flatten()
    };
    let month = Month::try_from(u8::try_from(number(month)?).ok()?).ok()?;
    let day = u8::try_from(number(day)?).ok()?;
    Date::from_calendar_date(number(year)?.into(), month, day).ok()
}

/// Days between two ISO dates, negative if `to` is earlier. `None` if either is not a date.
#[must_use]
pub fn days_between(from: &str, to: &str) -> Option<i64> {
    Some((day(to)? - day(from)?).whole_days())
}

/// The ISO date `days` later, or earlier if `days` is negative.
#[must_use]
pub fn days_after(iso: &str, days: i64) -> Option<String> {
    let later = day(iso)?.checked_add(Duration::days(days))?;
    Some(later.to_string())
}

/// Reads a setting that is an ISO date or a number of days before today, such as `120 days`.
#[must_use]
pub fn date_or_days_before(text: &str, today: &str) -> Option<String> {
    match text.strip_suffix(" days") {
        Some(days) => days_after(today, -i64::from(days.parse::<u16>().ok()?)),
        None => day(text).map(|_| text.to_owned()),
    }
}

/// Parses an RFC 3339 time, the format of the host's clock. `None` for anything else.
#[must_use]
pub fn moment(text: &str) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(text, &Rfc3339).ok()
}

/// Whole seconds between two RFC 3339 times, negative if the second is earlier.
#[must_use]
pub fn seconds_between(from: &str, to: &str) -> Option<i64> {
    Some((moment(to)? - moment(from)?).whole_seconds())
}

/// True if an RFC 3339 time is in the past, less than `days` days ago.
#[must_use]
pub fn is_younger(time: &str, now: &str, days: u32) -> bool {
    let most = i64::from(days) * 86_400;
    seconds_between(time, now).is_some_and(|seconds| (0..most).contains(&seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn day_arithmetic_crosses_months_and_leap_years() {
        for (from, to, days) in [
            ("2026-01-15", "2026-01-15", 0),
            ("2026-02-28", "2026-03-01", 1),
            ("2024-02-28", "2024-03-01", 2),
            ("2025-12-31", "2026-01-01", 1),
            ("2000-01-01", "2001-01-01", 366),
            ("2026-01-15", "2026-01-14", -1),
        ] {
            assert_eq!(days_between(from, to), Some(days), "{from} to {to}");
            assert_eq!(days_after(from, days).as_deref(), Some(to));
        }
    }

    #[test]
    fn what_is_no_iso_date_is_none() {
        for text in [
            "",
            "15.01.2026",
            "2026-13-01",
            "2026-02-29",
            "2026-1-5",
            "+026-01-05",
            "2026-01-15T08:00:00Z",
            "2026-01-15-01",
        ] {
            assert_eq!(day(text), None, "{text}");
        }
    }

    #[test]
    fn a_setting_may_count_days_back() {
        let of = |text| date_or_days_before(text, "2026-01-15");
        assert_eq!(of("120 days").as_deref(), Some("2025-09-17"));
        assert_eq!(of("2016-01-01").as_deref(), Some("2016-01-01"));
        for text in ["", "days", "-1 days", "120", "2016"] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn moments_have_an_age() {
        let now = "2026-01-15T08:00:00.5Z";
        assert_eq!(seconds_between("2026-01-15T08:59:50+01:00", now), Some(10));
        assert!(is_younger("2026-01-08T08:00:01Z", now, 7));
        assert!(!is_younger("2026-01-08T08:00:00Z", now, 7));
        assert!(!is_younger("2026-01-15T08:00:02Z", now, 7));
        assert!(!is_younger("yesterday", now, 7));
    }
}
