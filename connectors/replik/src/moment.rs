//! Times in the register's format (`dateTime`), with comparison and the start of a query.

use lustra_sdk::calendar;
use lustra_sdk::calendar::time::{Duration, OffsetDateTime};

/// A time. Without a zone it counts as UTC, because the register then uses the same clock in all its answers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    at: OffsetDateTime,
    /// The text as the register wrote it.
    text: String,
}

impl Moment {
    /// Reads `2026-01-15T08:00:00`, optionally with a fraction and a zone. `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let at = calendar::moment(text).or_else(|| calendar::moment(&format!("{text}Z")))?;
        Some(Self {
            at,
            text: text.to_owned(),
        })
    }

    /// The time as the register wrote it.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// One second earlier, in whole seconds and the same zone. A query from that time includes this moment,
    /// whether the register treats its parameter as inclusive or exclusive.
    #[must_use]
    pub fn a_second_before(&self) -> String {
        let before = self.at.saturating_sub(Duration::SECOND);
        // The zone follows the nineteen characters of date and time, and an optional fraction.
        let zone = self.text.get(19..).unwrap_or_default();
        let zone = zone.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
        let time = before.time();
        format!(
            "{}T{:02}:{:02}:{:02}{zone}",
            before.date(),
            time.hour(),
            time.minute(),
            time.second()
        )
    }

    /// Whole seconds from an earlier time to this one.
    #[must_use]
    pub fn seconds_since(&self, earlier: &Self) -> i64 {
        (self.at - earlier.at).whole_seconds()
    }
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
    }

    #[test]
    fn invalid_time_is_none() {
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
