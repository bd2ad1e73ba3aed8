//! Ages of timestamps. The SDK's only clock is a text; this reads it.

/// Seconds since 1970 of an RFC 3339 time in UTC. `None` for other offsets and for what is no time.
fn seconds(time: &str) -> Option<i64> {
    let number = |from: usize, to: usize| -> Option<i64> {
        let digits = time.get(from..to)?;
        digits
            .bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| digits.parse().ok())?
    };
    let punctuation = [(4, '-'), (7, '-'), (10, 'T'), (13, ':'), (16, ':')];
    if punctuation
        .iter()
        .any(|(at, c)| time.get(*at..=*at) != Some(c.encode_utf8(&mut [0; 4])))
    {
        return None;
    }
    let offset = time
        .get(19..)?
        .trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
    if offset != "Z" && offset != "+00:00" {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    if !(1..=12).contains(&month)
        || !(1..=31).contains(&day)
        || hour > 23
        || minute > 59
        || second > 60
    {
        return None;
    }
    // Days of the proleptic Gregorian calendar, counted in years that begin in March.
    let (shifted_year, shifted_month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let days = shifted_year * 365 + shifted_year.div_euclid(4) - shifted_year.div_euclid(100)
        + shifted_year.div_euclid(400)
        + (shifted_month * 153 + 2) / 5
        + day
        - 1
        - 719_468;
    Some(days * 86_400 + hour * 3_600 + minute * 60 + second)
}

/// Whether a time is past, and by less than so many days.
pub fn is_younger(time: &str, now: &str, days: u32) -> bool {
    let (Some(time), Some(now)) = (seconds(time), seconds(now)) else {
        return false;
    };
    (0..i64::from(days) * 86_400).contains(&(now - time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_counted_from_1970() {
        for (time, expected) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2000-03-01T00:00:00+00:00", Some(951_868_800)),
            ("2024-02-29T12:30:15.25Z", Some(1_709_209_815)),
            ("2026-01-15T08:00:00+02:00", None),
            ("2026-01-15", None),
            ("2026-13-15T08:00:00Z", None),
            ("žžžž-01-15T08:00:00Z", None),
            ("", None),
        ] {
            assert_eq!(seconds(time), expected, "{time}");
        }
    }

    #[test]
    fn age_has_two_ends() {
        let now = "2026-01-15T08:00:00Z";
        assert!(is_younger("2026-01-08T08:00:01Z", now, 7));
        assert!(!is_younger("2026-01-08T08:00:00Z", now, 7));
        assert!(
            !is_younger("2026-01-16T08:00:00Z", now, 7),
            "a time to come proves nothing"
        );
        assert!(!is_younger("2026-01-15T08:00:00Z", now, 0));
    }
}
