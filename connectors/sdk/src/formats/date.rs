//! Converts dates of registers to ISO `YYYY-MM-DD`.

/// Reads `YYYY-MM-DD` (with or without a time after it), `D.M.YYYY` with optional spaces, and
/// `DDMMYYYY`.
///
/// Returns `None` for an empty text, for the registers' sentinels (`0001-01-01`, `0000-00-00`,
/// `1800-01-01`) and for anything that is not a date. A caller that requires a date turns `None`
/// into `malformed`.
#[must_use]
pub fn parse(raw: &str) -> Option<String> {
    // The usual form, of which an import reads millions.
    if let Some((year, month, day)) = iso(raw.as_bytes()) {
        return is_date(year, month, day).then(|| raw.to_owned());
    }
    // Some services write a space between the day and the time.
    let raw = raw.trim();
    if let Some((day, time)) = raw.split_once(' ')
        && let Some((year, month, number)) = iso(day.as_bytes())
        && is_time(time.trim_start())
    {
        return is_date(year, month, number).then(|| day.to_owned());
    }
    let compact: String = raw.chars().filter(|c| !c.is_whitespace()).collect();
    let (year, month, day) = if compact.as_bytes().get(4) == Some(&b'-') {
        let date = compact.get(..10)?;
        if !compact
            .get(10..)?
            .chars()
            .next()
            .is_none_or(|c| matches!(c, 'T' | 'Z' | '+' | '-'))
        {
            return None;
        }
        (
            number(date.get(..4)?, 4)?,
            number(date.get(5..7)?, 2)?,
            number(date.get(8..10)?, 2)?,
        )
    } else if compact.contains('.') {
        let mut parts = compact.split('.').filter(|part| !part.is_empty());
        let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() {
            return None;
        }
        (number(year, 4)?, number(month, 2)?, number(day, 2)?)
    } else {
        if compact.len() != 8 || !compact.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        (
            number(&compact[4..8], 4)?,
            number(&compact[2..4], 2)?,
            number(&compact[..2], 2)?,
        )
    };
    is_date(year, month, day).then(|| format!("{year:04}-{month:02}-{day:02}"))
}

/// The numbers of a text that is exactly `YYYY-MM-DD`.
fn iso(text: &[u8]) -> Option<(u32, u32, u32)> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text else {
        return None;
    };
    let joined = |digits: &[&u8]| {
        digits.iter().try_fold(0, |number, digit| {
            let digit = u32::from(digit.checked_sub(b'0')?);
            (digit < 10).then_some(number * 10 + digit)
        })
    };
    Some((
        joined(&[y1, y2, y3, y4])?,
        joined(&[m1, m2])?,
        joined(&[d1, d2])?,
    ))
}

/// Whether a text begins like a time of day: `8:00`, `08:00:00`.
fn is_time(text: &str) -> bool {
    let hour = text.split_once(':').map(|(hour, _)| hour);
    hour.and_then(|hour| number(hour, 2))
        .is_some_and(|hour| hour < 24)
}

/// Whether there is such a day, and it is none of the registers' sentinels.
fn is_date(year: u32, month: u32, day: u32) -> bool {
    let is_month = year > 1800 && (1..=12).contains(&month);
    is_month && (1..=days_in_month(year.cast_signed(), month)).contains(&day)
}

fn number(text: &str, longest: usize) -> Option<u32> {
    (text.len() <= longest && text.bytes().all(|b| b.is_ascii_digit()))
        .then(|| text.parse().ok())
        .flatten()
}

/// The number of days in a month of the Gregorian calendar. `month` is 1 to 12.
#[must_use]
pub fn days_in_month(year: i32, month: u32) -> u32 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_in_use_is_read() {
        for (raw, expected) in [
            ("2026-01-15", Some("2026-01-15")),
            ("2026-01-15T08:00:00.0000000+02:00", Some("2026-01-15")),
            ("2026-01-15 08:00:00", Some("2026-01-15")),
            (" 2026-01-15 8:00 ", Some("2026-01-15")),
            ("2026-01-15 +02:00", Some("2026-01-15")),
            ("2026-01-15 25:00", None),
            ("2026-01-15 x", None),
            ("2026-02-30 08:00:00", None),
            ("15.01.2026", Some("2026-01-15")),
            ("5. 1. 2026", Some("2026-01-05")),
            ("5.\u{a0}1.\u{a0}2026", Some("2026-01-05")),
            ("15012026", Some("2026-01-15")),
            ("29.02.2024", Some("2024-02-29")),
            ("29.02.2023", None),
            ("31.04.2023", None),
            ("0001-01-01T00:00:00", None),
            ("1800-01-01", None),
            ("0000-00-00", None),
            ("", None),
            ("včera", None),
            ("2026-01-15x", None),
            ("1.2.3.2026", None),
        ] {
            assert_eq!(parse(raw).as_deref(), expected, "{raw}");
        }
    }
}
