//! Values as the API writes them: moments, amounts and texts.

use lustra_sdk::calendar::time::{Date, Duration, Month, OffsetDateTime, Time, UtcOffset, Weekday};
use lustra_sdk::serde_json::{Number, Value};
use lustra_sdk::{Failure, amount, date, malformed, text};
use serde::{Deserialize, Deserializer};

/// The currency of every amount.
pub(crate) const CURRENCY: &str = "EUR";
/// Larger amounts are not plausible, and a binary number no longer holds their cents.
const LARGEST: f64 = 1e13;

/// A moment: milliseconds since 1970, or a text that begins with `YYYY-MM-DD`.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Moment {
    Milliseconds(i64),
    Text(String),
}

impl Moment {
    /// The day in Slovakia: `YYYY-MM-DD`. The API gives days as local midnights, which in UTC belong to the day before.
    /// `None` for a moment that is no day.
    #[must_use]
    pub fn day(&self) -> Option<String> {
        match self {
            Self::Text(text) => date::parse(text),
            Self::Milliseconds(since) => {
                let utc = OffsetDateTime::from_unix_timestamp(since.div_euclid(1_000)).ok()?;
                let offset = UtcOffset::from_hms(if is_summer(utc)? { 2 } else { 1 }, 0, 0).ok()?;
                Some(utc.to_offset(offset).date().to_string())
            }
        }
    }
}

/// Whether summer time applies: from the last Sunday of March to the last one of October, 01:00 UTC each.
fn is_summer(utc: OffsetDateTime) -> Option<bool> {
    let change = |month| {
        let last = Date::from_calendar_date(utc.year(), month, 31).ok()?;
        let after_sunday = last.weekday().number_days_from_sunday();
        let sunday = last.checked_sub(Duration::days(after_sunday.into()))?;
        debug_assert_eq!(sunday.weekday(), Weekday::Sunday);
        Some(sunday.with_time(Time::from_hms(1, 0, 0).ok()?).assume_utc())
    };
    Some(utc >= change(Month::March)? && utc < change(Month::October)?)
}

/// The day of a member, if it is there.
///
/// # Errors
/// [`Failure::Malformed`] for a moment that is no day.
pub fn day(member: &str, moment: Option<&Moment>) -> Result<Option<String>, Failure> {
    let Some(moment) = moment else {
        return Ok(None);
    };
    let unreadable = || malformed(member, "a moment", format!("{moment:?}"));
    moment.day().map(Some).ok_or_else(unreadable)
}

/// The amount of a member in EUR with two decimals, if it is there: a number, or a text.
///
/// # Errors
/// [`Failure::Malformed`] for anything else.
pub fn euros(member: &str, value: Option<&Value>) -> Result<Option<String>, Failure> {
    let read = match value {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Number(number)) => number.as_f64(),
        Some(Value::String(text)) => amount::parse(text).and_then(|text| text.parse().ok()),
        Some(Value::Bool(_) | Value::Array(_) | Value::Object(_)) => None,
    };
    let amount = read.filter(|amount| amount.abs() < LARGEST);
    let unreadable = || {
        malformed(
            member,
            "an amount",
            value.unwrap_or(&Value::Null).to_string(),
        )
    };
    amount
        .map(|amount| Some(format!("{amount:.2}")))
        .ok_or_else(unreadable)
}

/// The sum of amounts as [`euros`] gives them, as a JSON number.
///
/// # Errors
/// [`Failure::Malformed`] for a stored amount of another form.
pub fn sum<'a>(amounts: impl IntoIterator<Item = &'a str>) -> Result<Number, Failure> {
    let sum = amount::sum(amounts).and_then(|sum| amount::to_number(&sum));
    sum.ok_or_else(|| malformed("stored amounts", "decimal texts", ""))
}

/// A stored amount as a JSON number.
///
/// # Errors
/// [`Failure::Malformed`] for a stored amount of another form.
pub fn number(stored: Option<&String>) -> Result<Option<Number>, Failure> {
    let Some(stored) = stored else {
        return Ok(None);
    };
    let number = amount::to_number(stored).map(Some);
    number.ok_or_else(|| malformed("a stored amount", "a decimal text", stored))
}

/// Reads a list that may be null.
///
/// # Errors
/// As the elements'.
pub fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(value: D) -> Result<Vec<T>, D::Error> {
    Option::<Vec<T>>::deserialize(value).map(Option::unwrap_or_default)
}

/// A text on one line. `None` if there is none.
#[must_use]
pub fn line(text: Option<&String>) -> Option<String> {
    text.and_then(|text| text::present(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lustra_sdk::serde_json::json;

    #[test]
    fn moments_are_days_in_slovakia() {
        for (moment, day) in [
            // Local midnights in summer and in winter, and the two nights on which the clocks change.
            (1_729_116_000_000, "2024-10-17"),
            (1_739_833_200_000, "2025-02-18"),
            (1_743_289_200_000, "2025-03-30"),
            (1_743_372_000_000, "2025-03-31"),
            (1_761_429_600_000, "2025-10-26"),
            (1_761_519_600_000, "2025-10-27"),
            (-3_600_000, "1970-01-01"),
        ] {
            assert_eq!(Moment::Milliseconds(moment).day().as_deref(), Some(day));
        }
        let text = |text: &str| Moment::Text(text.to_owned()).day();
        assert_eq!(text("2024-10-17T00:00:00").as_deref(), Some("2024-10-17"));
        assert_eq!(text("soon"), None);
        assert_eq!(Moment::Milliseconds(i64::MAX).day(), None);
    }

    #[test]
    fn amounts_have_two_decimals() {
        for (value, expected) in [
            (json!(236_518.42), Some("236518.42")),
            (json!(12_593_734_933.0), Some("12593734933.00")),
            (json!(200_000), Some("200000.00")),
            (json!(19_741.500_000_000_004), Some("19741.50")),
            (json!("1 234,5"), Some("1234.50")),
            (json!(1e300), None),
            (json!(true), None),
            (json!("much"), None),
        ] {
            let read = euros("suma", Some(&value)).ok().flatten();
            assert_eq!(read.as_deref(), expected, "{value}");
        }
        assert!(matches!(euros("suma", None), Ok(None)));
        assert!(matches!(euros("suma", Some(&Value::Null)), Ok(None)));
    }
}
