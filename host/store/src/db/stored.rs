//! Stored forms of times, days and words.

use time::{Date, OffsetDateTime};

/// Milliseconds since 1970-01-01 UTC, the stored form of times.
pub(crate) fn millis(moment: OffsetDateTime) -> i64 {
    moment.unix_timestamp() * 1000 + i64::from(moment.millisecond())
}

/// Decodes a stored time into an [`OffsetDateTime`].
#[derive(Debug, Clone, Copy, sqlx::Type, serde::Deserialize)]
#[sqlx(transparent)]
pub(crate) struct Millis(i64);

impl TryFrom<Millis> for OffsetDateTime {
    type Error = time::error::ComponentRange;

    fn try_from(stored: Millis) -> Result<Self, Self::Error> {
        Self::from_unix_timestamp_nanos(i128::from(stored.0) * 1_000_000)
    }
}

/// Decodes a nullable stored time.
#[derive(Debug, Clone, Copy, sqlx::Type)]
#[sqlx(transparent)]
pub(crate) struct MaybeMillis(Option<i64>);

impl TryFrom<MaybeMillis> for Option<OffsetDateTime> {
    type Error = time::error::ComponentRange;

    fn try_from(stored: MaybeMillis) -> Result<Self, Self::Error> {
        stored
            .0
            .map(|stored| OffsetDateTime::try_from(Millis(stored)))
            .transpose()
    }
}

/// A nullable stored word, to be decoded into an optional enum of [`text_enum`].
#[derive(Debug, Clone, sqlx::Type)]
#[sqlx(transparent)]
pub(crate) struct MaybeWord(pub(crate) Option<String>);

/// Decodes a stored day, `YYYY-MM-DD`, into a [`Date`].
#[derive(Debug, Clone, sqlx::Type)]
#[sqlx(transparent)]
pub(crate) struct Day(String);

impl TryFrom<Day> for Date {
    type Error = time::error::Parse;

    fn try_from(stored: Day) -> Result<Self, Self::Error> {
        Self::parse(&stored.0, DAY)
    }
}

/// The stored form of a day, `YYYY-MM-DD`.
pub(crate) fn day(date: Date) -> String {
    date.to_string()
}

const DAY: &[time::format_description::BorrowedFormatItem<'_>] =
    time::macros::format_description!("[year]-[month]-[day]");

/// A word that this version does not know.
#[derive(Debug, thiserror::Error)]
#[error("the value {0:?} is unknown")]
pub struct UnknownWord(pub String);

/// Declares the words of an enum, as they are stored, sent and shown: `text_enum!(Kind { One: "one", Two: "two" })`.
#[macro_export]
macro_rules! text_enum {
    ($name:ident { $($variant:ident: $word:literal),+ $(,)? }) => {
        impl $name {
            /// All variants in the order of their declaration.
            #[allow(dead_code, reason = "only some enums are listed")]
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word that is stored and shown.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl TryFrom<String> for $name {
            type Error = $crate::UnknownWord;

            fn try_from(word: String) -> Result<Self, Self::Error> {
                match word.as_str() {
                    $($word => Ok(Self::$variant),)+
                    _ => Err($crate::UnknownWord(word)),
                }
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.word())
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let word = <String as ::serde::Deserialize>::deserialize(from)?;
                Self::try_from(word).map_err(::serde::de::Error::custom)
            }
        }
    };
}
pub(crate) use text_enum;

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::{Millis, OffsetDateTime, millis};
    use crate::CompanyStatus;

    #[test]
    fn enum_is_sent_as_its_word() {
        for status in CompanyStatus::ALL {
            let json = serde_json::json!(status);
            assert_eq!(json, status.word());
            let read = serde_json::from_value::<CompanyStatus>(json);
            assert_eq!(read.ok(), Some(*status));
        }
        let unknown = serde_json::from_str::<CompanyStatus>("\"resting\"");
        assert!(unknown.is_err_and(|error| error.to_string().contains("resting")));
    }

    #[test]
    fn times_round_trip_to_the_millisecond() {
        for moment in [
            datetime!(2026-07-01 10:11:12.345 UTC),
            datetime!(1969-12-31 23:59:59.999 UTC),
        ] {
            let read = OffsetDateTime::try_from(Millis(millis(moment)));
            assert_eq!(read.expect("in range"), moment);
        }
    }
}
