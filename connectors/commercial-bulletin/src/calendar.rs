//! Days and seconds between dates. The SDK gives dates as texts; this counts with them.

/// Days from 1970-01-01 to a date `YYYY-MM-DD`, negative before it. `None` for what is no such text.
#[must_use]
pub fn days(date: &str) -> Option<i64> {
    if date.len() != 10 || date.get(4..5)? != "-" || date.get(7..8)? != "-" {
        return None;
    }
    let (year, month, day) = (
        number(date, 0, 4)?,
        number(date, 5, 7)?,
        number(date, 8, 10)?,
    );
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Years that begin in March, so that a leap day is a year's last.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(year * 365 + leap_days + (month * 153 + 2) / 5 + day - 1 - 719_468)
}

/// The date `YYYY-MM-DD` so many days after 1970-01-01.
#[must_use]
pub fn date(days: i64) -> String {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Seconds from 1970 to an RFC 3339 time in UTC, as the clock of the SDK gives it.
#[must_use]
pub fn seconds(time: &str) -> Option<i64> {
    let day = days(time.get(..10)?)?;
    let (hour, minute, second) = (
        number(time, 11, 13)?,
        number(time, 14, 16)?,
        number(time, 17, 19)?,
    );
    Some(day * 86_400 + hour * 3_600 + minute * 60 + second)
}

/// Whether eight digits can be read as a date of somebody's birth, as `DDMMYYYY` or `YYYYMMDD`.
#[must_use]
pub fn is_like_a_date(digits: &str) -> bool {
    let reads = |year: &str, month: &str, day: &str| {
        let in_time = ("1900".."2100").contains(&year);
        in_time && days(&format!("{year}-{month}-{day}")).is_some()
    };
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    digits.len() == 8
        && (reads(part(4, 8), part(2, 4), part(0, 2)) || reads(part(0, 4), part(4, 6), part(6, 8)))
}

fn number(text: &str, from: usize, to: usize) -> Option<i64> {
    let digits = text.get(from..to)?;
    digits
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_agree() {
        for (text, count) in [
            ("1970-01-01", 0),
            ("2000-02-29", 11_016),
            ("2000-03-01", 11_017),
            ("2026-01-15", 20_468),
            ("1969-12-31", -1),
        ] {
            assert_eq!(days(text), Some(count), "{text}");
            assert_eq!(date(count), text);
        }
        for count in (-30_000..60_000).step_by(17) {
            assert_eq!(days(&date(count)), Some(count));
        }
        for text in ["2026-1-15", "2026-13-01", "2026-01-32", "žžžž-01-1", ""] {
            assert_eq!(days(text), None, "{text}");
        }
    }

    #[test]
    fn seconds_are_counted_from_1970() {
        assert_eq!(seconds("1970-01-02T01:01:01.5Z"), Some(90_061));
        assert_eq!(seconds("1970-01-02"), None);
    }

    #[test]
    fn a_date_of_birth_is_told_from_most_numbers() {
        for digits in ["12031970", "19700312"] {
            assert!(is_like_a_date(digits), "{digits}");
        }
        for digits in ["99999994", "31333532", "00000124", "1203197", "12033970"] {
            assert!(!is_like_a_date(digits), "{digits}");
        }
    }
}
