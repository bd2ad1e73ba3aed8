//! Values as the API writes them: moments, amounts, names and texts.

use lustra_sdk::calendar::time::{Date, Duration, Month, OffsetDateTime, Time, UtcOffset, Weekday};
use lustra_sdk::serde_json::{Number, Value};
use lustra_sdk::{Failure, amount, calendar, date, malformed, text};
use serde::{Deserialize, Deserializer};

/// The currency of every amount.
pub(crate) const CURRENCY: &str = "EUR";
/// Larger amounts are not plausible, and a binary number no longer holds their cents.
const LARGEST: f64 = 1e13;
/// How ITMS2014+ writes a day that is not known.
const NO_DAY: &str = "0001-01-01";

/// Reads the members of a row or a detail. `what` names it in the failure.
///
/// # Errors
/// [`Failure::Malformed`] without a required member, or for a member of another type.
pub fn members<'de, T: Deserialize<'de>>(what: &str, row: &'de Value) -> Result<T, Failure> {
    T::deserialize(row).map_err(|error| malformed(what, "its members", error.to_string()))
}

/// An object of which only the name is read: a value of a code list, a programme or a body.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Named {
    nazov_sk: Option<String>,
    nazov: Option<String>,
}

impl Named {
    /// The name on one line.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        line(self.nazov_sk.as_ref()).or_else(|| line(self.nazov.as_ref()))
    }
}

/// A moment: milliseconds since 1970, or a text: `YYYY-MM-DD`, perhaps with a time.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Moment {
    Milliseconds(i64),
    Text(String),
}

impl Moment {
    /// The day in Slovakia: `YYYY-MM-DD`. The API gives days as local midnights, which in UTC belong to the day before.
    /// `None` for a moment that is no day.
    fn day(&self) -> Option<String> {
        let utc = match self {
            Self::Milliseconds(since) => {
                OffsetDateTime::from_unix_timestamp(since.div_euclid(1_000)).ok()?
            }
            Self::Text(text) if text.starts_with(NO_DAY) => return Some(NO_DAY.to_owned()),
            Self::Text(text) => match calendar::moment(text) {
                Some(moment) => moment.checked_to_offset(UtcOffset::UTC)?,
                None => return date::parse(text),
            },
        };
        let offset = UtcOffset::from_hms(if is_summer(utc)? { 2 } else { 1 }, 0, 0).ok()?;
        Some(utc.checked_to_offset(offset)?.date().to_string())
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
    let day = moment.day().ok_or_else(unreadable)?;
    Ok(Some(day).filter(|day| day != NO_DAY))
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
        // Moments outside the calendar, one of them only in local time.
        for moment in [i64::MAX, i64::MIN, 253_402_300_799_000] {
            assert_eq!(Moment::Milliseconds(moment).day(), None, "{moment}");
        }
    }

    #[test]
    fn texts_are_days_in_slovakia() {
        let of = |text: &str| day("datum", Some(&Moment::Text(text.to_owned())));
        for (text, expected) in [
            ("2024-10-17", Some("2024-10-17")),
            ("2024-10-17T00:00:00", Some("2024-10-17")),
            ("2024-10-17T00:00:00Z", Some("2024-10-17")),
            ("2024-10-16T22:00:00Z", Some("2024-10-17")),
            ("2025-02-17T23:00:00.000Z", Some("2025-02-18")),
            ("2025-02-18T00:00:00+01:00", Some("2025-02-18")),
            ("0001-01-01T00:00:00Z", None),
        ] {
            assert_eq!(of(text).ok(), Some(expected.map(str::to_owned)), "{text}");
        }
        assert!(of("soon").is_err());
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
