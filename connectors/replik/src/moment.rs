//! Times as the register writes them (`dateTime`), to be compared and to be asked from.

/// A time. Without a zone it counts as UTC: the register then means the same clock in all of its answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// Nanoseconds since 1970, UTC.
    nanoseconds: i128,
    /// Seconds of the clock as it is written, without the zone.
    clock: i64,
    /// The zone as it is written: nothing, `Z` or `+01:00`.
    zone: String,
    /// The whole as it is written.
    text: String,
}

impl PartialOrd for Moment {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Moment {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.nanoseconds
            .cmp(&other.nanoseconds)
            .then_with(|| self.text.cmp(&other.text))
    }
}

impl Moment {
    /// Reads `2026-01-15T08:00:00`, with a fraction or a zone behind it. `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (date, rest) = text.split_once('T')?;
        let mut parts = date.split('-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        let (year, month, day) = (digits(year, 4)?, digits(month, 2)?, digits(day, 2)?);
        if parts.next().is_some() || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
            return None;
        }
        let time = rest.get(..8)?;
        let mut parts = time.split(':');
        let (hour, minute, second) = (parts.next()?, parts.next()?, parts.next()?);
        let (hour, minute, second) = (digits(hour, 2)?, digits(minute, 2)?, digits(second, 2)?);
        if parts.next().is_some() || hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let rest = rest.get(8..)?;
        let (fraction, zone) = match rest.strip_prefix('.') {
            None => (0, rest),
            Some(rest) => {
                let end = rest
                    .find(|c: char| !c.is_ascii_digit())
                    .unwrap_or(rest.len());
                let (fraction, zone) = rest.split_at(end);
                (nanoseconds(fraction)?, zone)
            }
        };
        let clock = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second;
        let instant = i128::from(clock - offset(zone)?) * 1_000_000_000 + i128::from(fraction);
        Some(Self {
            nanoseconds: instant,
            clock,
            zone: zone.to_owned(),
            text: text.to_owned(),
        })
    }

    /// The time as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// A second earlier, in whole seconds and the same zone: whoever asks from there is told of this moment too,
    /// whether the register counts the time that it is given or not.
    #[must_use]
    pub fn a_second_before(&self) -> String {
        let clock = self.clock - 1;
        let (year, month, day) = date(clock.div_euclid(86_400));
        let second = clock.rem_euclid(86_400);
        format!(
            "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}{}",
            second / 3_600,
            second / 60 % 60,
            second % 60,
            self.zone
        )
    }

    /// Whole seconds from an earlier time to this one.
    #[must_use]
    pub fn seconds_since(&self, earlier: &Self) -> i128 {
        (self.nanoseconds - earlier.nanoseconds) / 1_000_000_000
    }
}

fn digits(text: &str, length: usize) -> Option<i64> {
    (text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| text.parse().ok())
        .flatten()
}

/// The nanoseconds of a fraction of a second; further digits are left out.
fn nanoseconds(fraction: &str) -> Option<u32> {
    let nine: String = fraction
        .chars()
        .chain("000000000".chars())
        .take(9)
        .collect();
    (!fraction.is_empty()).then(|| nine.parse().ok()).flatten()
}

/// The seconds by which a zone is ahead of UTC.
fn offset(zone: &str) -> Option<i64> {
    let sign = match zone.chars().next() {
        None => return Some(0),
        Some('Z') => return (zone.len() == 1).then_some(0),
        Some('+') => 1,
        Some('-') => -1,
        Some(_) => return None,
    };
    let (hours, minutes) = zone.get(1..)?.split_once(':')?;
    Some(sign * (digits(hours, 2)? * 3_600 + digits(minutes, 2)? * 60))
}

/// Days from 1970 to a date of the Gregorian calendar, counted in years that begin in March.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month < 3 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The date of so many days from 1970.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + i64::from(month < 3);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(text: &str) -> Moment {
        Moment::parse(text).expect("it is a time")
    }

    #[test]
    fn times_compare_across_zones_and_fractions() {
        let ascending = [
            "2025-10-26T02:30:00+02:00",
            "2025-10-26T02:10:00+01:00",
            "2025-10-26T01:10:00.000001Z",
            "2025-10-26T01:10:01",
        ];
        for pair in ascending.windows(2) {
            assert!(moment(pair[0]) < moment(pair[1]), "{pair:?}");
        }
        assert_eq!(
            moment("2026-01-15T09:00:00Z").seconds_since(&moment("2026-01-15T09:00:00+01:00")),
            3_600
        );
    }

    #[test]
    fn a_second_before_is_in_the_same_zone() {
        for (text, before) in [
            ("2026-01-01T00:00:00", "2025-12-31T23:59:59"),
            ("2024-03-01T00:00:00+01:00", "2024-02-29T23:59:59+01:00"),
            ("2026-01-15T08:00:00.250Z", "2026-01-15T07:59:59Z"),
            ("2025-10-01T12:00:01", "2025-10-01T12:00:00"),
        ] {
            assert_eq!(moment(text).a_second_before(), before);
        }
        let first = days(1999, 12, 30);
        for at in first..first + 1_000 {
            let (year, month, day) = date(at);
            assert_eq!(days(year, month, day), at);
        }
    }

    #[test]
    fn what_is_no_time_is_none() {
        for text in [
            "",
            "2026-01-15",
            "2026-13-15T08:00:00",
            "2026-01-15T8:00:00",
            "2026-01-15T08:00:00.Z",
            "2026-01-15T08:00:00+1",
            "2026-01-15T08:00:00x",
            "žT08:00:00",
            "2026-01-15T08:00:0ž",
        ] {
            assert_eq!(Moment::parse(text), None, "{text}");
        }
    }
}
