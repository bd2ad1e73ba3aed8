//! Days between dates, for settings that count days.

/// The days from the civil epoch to a date `YYYY-MM-DD` of the Gregorian calendar; `None` for any other text.
#[must_use]
pub fn day_number(date: &str) -> Option<i64> {
    let mut parts = date.splitn(3, '-');
    let year: i64 = parts.next()?.parse().ok()?;
    let month: i64 = parts.next()?.parse().ok()?;
    let day: i64 = parts.next()?.get(..2)?.parse().ok()?;
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Counted from March, so that the leap day is the last of its year.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let before_year = year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(before_year + (month * 153 + 2) / 5 + day - 1)
}

/// The days from one date to another; `None` where one is no date.
#[must_use]
pub fn days_between(from: &str, to: &str) -> Option<i64> {
    Some(day_number(to)? - day_number(from)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_over_months_and_leap_days() {
        for (from, to, days) in [
            ("2026-01-15", "2026-01-15", 0),
            ("2025-12-31", "2026-01-01", 1),
            ("2024-02-28", "2024-03-01", 2),
            ("2023-02-28", "2023-03-01", 1),
            ("2016-01-01", "2026-01-01", 3_653),
            ("2026-01-15", "2026-01-14", -1),
        ] {
            assert_eq!(days_between(from, to), Some(days), "{from} {to}");
        }
        assert_eq!(days_between("soon", "2026-01-14"), None);
    }
}
