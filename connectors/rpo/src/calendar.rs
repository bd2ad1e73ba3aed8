//! Counting days between the dates in file names.

/// The day's number in the proleptic Gregorian calendar; `None` for what is no ISO date.
pub fn day_number(date: &str) -> Option<i64> {
    let iso = lustra_sdk::date::parse(date).filter(|iso| iso == date)?;
    let mut parts = iso.split('-').map(str::parse::<i64>);
    let (year, month, day) = (
        parts.next()?.ok()?,
        parts.next()?.ok()?,
        parts.next()?.ok()?,
    );
    // Years that begin in March have their odd day at the end, so days before a month follow one line.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    Some(
        365 * year + year.div_euclid(4) - year.div_euclid(100)
            + year.div_euclid(400)
            + (153 * month + 2) / 5
            + day,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_over_months_and_leap_years() {
        for (from, to, days) in [
            ("2026-01-15", "2026-01-16", 1),
            ("2026-02-28", "2026-03-01", 1),
            ("2024-02-28", "2024-03-01", 2),
            ("2025-12-31", "2026-01-01", 1),
            ("2026-01-01", "2027-01-01", 365),
            ("2000-01-01", "2001-01-01", 366),
        ] {
            let (from_day, to_day) = (
                day_number(from).expect("a date"),
                day_number(to).expect("a date"),
            );
            assert_eq!(to_day - from_day, days, "{from} to {to}");
        }
        assert_eq!(day_number("15.01.2026"), None);
        assert_eq!(day_number("2026-13-01"), None);
    }
}
