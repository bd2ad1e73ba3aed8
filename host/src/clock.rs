//! The one source of time. Everything that decides by the time takes it from here, so that tests and the demo turn it.

use std::fmt;
use std::sync::Arc;

use time::OffsetDateTime;

/// A clock that can be handed on cheaply.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> OffsetDateTime + Send + Sync>);

impl Clock {
    /// The machine's clock.
    #[must_use]
    pub fn system() -> Self {
        Self(Arc::new(OffsetDateTime::now_utc))
    }

    /// The machine's clock, so many hours ahead.
    #[must_use]
    pub fn ahead(hours: u32) -> Self {
        let ahead = time::Duration::hours(i64::from(hours));
        Self(Arc::new(move || OffsetDateTime::now_utc() + ahead))
    }

    /// A clock that something else turns.
    #[must_use]
    pub fn from_fn(now: impl Fn() -> OffsetDateTime + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// Now, in UTC, to the millisecond, as the store keeps it.
    #[must_use]
    pub fn now(&self) -> OffsetDateTime {
        let now = (self.0)();
        now.replace_millisecond(now.millisecond()).unwrap_or(now)
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

/// RFC 3339 in UTC with milliseconds at most: the form of every time in an answer.
#[must_use]
pub fn rfc3339(at: OffsetDateTime) -> String {
    at.to_offset(time::UtcOffset::UTC)
        .format(&time::format_description::well_known::Rfc3339)
        .unwrap_or_else(|_| at.unix_timestamp().to_string())
}

/// A day as it stands in answers and in the store, `YYYY-MM-DD`.
#[must_use]
pub fn iso_date(day: time::Date) -> String {
    // Years of four digits: what a clock shows.
    format!(
        "{:04}-{:02}-{:02}",
        day.year(),
        u8::from(day.month()),
        day.day()
    )
}
