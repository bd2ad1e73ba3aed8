//! Schedules of imports: a small language of days and times in UTC.

use time::{Date, Duration, OffsetDateTime, Time, Weekday};

/// `daily 06:00`, `weekly sun 06:00` or `monthly 5 06:00`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    days: Days,
    at: Time,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Days {
    Every,
    Week(Weekday),
    Month(u8),
}

/// A text that is not a valid schedule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a schedule; write `daily 06:00`, `weekly sun 06:00` or `monthly 5 06:00` (day 1 to 28)"
)]
pub struct ScheduleError(String);

impl Schedule {
    /// Parses a schedule.
    ///
    /// # Errors
    /// [`ScheduleError`] for any other text.
    pub fn parse(text: &str) -> Result<Self, ScheduleError> {
        let wrong = || ScheduleError(text.to_owned());
        let words: Vec<&str> = text.split_whitespace().collect();
        let (days, at) = match words.as_slice() {
            ["daily", at] => (Days::Every, at),
            ["weekly", day, at] => (Days::Week(weekday(day).ok_or_else(wrong)?), at),
            ["monthly", day, at] => {
                let day = day
                    .parse()
                    .ok()
                    .filter(|day| (1..=28).contains(day))
                    .ok_or_else(wrong)?;
                (Days::Month(day), at)
            }
            _ => return Err(wrong()),
        };
        let (hour, minute) = at.split_once(':').ok_or_else(wrong)?;
        let time = || Time::from_hms(hour.parse().ok()?, minute.parse().ok()?, 0).ok();
        Ok(Self {
            days,
            at: time().ok_or_else(wrong)?,
        })
    }

    /// The first scheduled time after `now`.
    #[must_use]
    pub fn next_after(&self, now: OffsetDateTime) -> OffsetDateTime {
        let now = now.to_offset(time::UtcOffset::UTC);
        let mut date = now.date();
        // A month has at most 31 days, so 62 days cover every schedule.
        for _ in 0..62 {
            let candidate = date.with_time(self.at).assume_utc();
            if candidate > now && self.falls_on(date) {
                return candidate;
            }
            date = date.next_day().unwrap_or(Date::MAX);
        }
        now + Duration::days(31)
    }

    fn falls_on(&self, date: Date) -> bool {
        match self.days {
            Days::Every => true,
            Days::Week(weekday) => date.weekday() == weekday,
            Days::Month(day) => date.day() == day,
        }
    }
}

fn weekday(text: &str) -> Option<Weekday> {
    Some(match text {
        "mon" => Weekday::Monday,
        "tue" => Weekday::Tuesday,
        "wed" => Weekday::Wednesday,
        "thu" => Weekday::Thursday,
        "fri" => Weekday::Friday,
        "sat" => Weekday::Saturday,
        "sun" => Weekday::Sunday,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    #[test]
    fn next_time_is_after_now() {
        let now = datetime!(2026-01-15 08:00 UTC); // a Thursday
        for (text, expected) in [
            ("daily 08:00", datetime!(2026-01-16 08:00 UTC)),
            ("daily 08:01", datetime!(2026-01-15 08:01 UTC)),
            ("weekly thu 06:00", datetime!(2026-01-22 06:00 UTC)),
            ("weekly sun 06:00", datetime!(2026-01-18 06:00 UTC)),
            ("monthly 15 07:00", datetime!(2026-02-15 07:00 UTC)),
            ("monthly 28 00:00", datetime!(2026-01-28 00:00 UTC)),
        ] {
            assert_eq!(
                Schedule::parse(text)
                    .expect("it is a schedule")
                    .next_after(now),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn invalid_schedule_is_refused() {
        for wrong in [
            "",
            "daily",
            "daily 24:00",
            "weekly 06:00",
            "monthly 29 06:00",
            "monthly 0 06:00",
            "hourly 1:00",
        ] {
            assert!(Schedule::parse(wrong).is_err(), "{wrong}");
        }
    }
}
