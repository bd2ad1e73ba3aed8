//! The only source of time. Every decision that depends on time uses it, so that tests and the demo can control it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use time::OffsetDateTime;

type Now = Arc<dyn Fn() -> OffsetDateTime + Send + Sync>;
type Steady = Arc<dyn Fn() -> Duration + Send + Sync>;

/// A clock that is cheap to clone.
#[derive(Clone)]
pub struct Clock {
    now: Now,
    /// A monotonic clock. `None` if the clock is controlled, as in tests.
    steady: Option<Steady>,
    /// Offset that was set on purpose.
    ahead: Duration,
    /// The clock of clients and receivers. `None` if it is the same as this one.
    others: Option<Now>,
}

impl Clock {
    #[must_use]
    pub fn system() -> Self {
        Self::ahead(0)
    }

    /// The machine's clock plus `hours`.
    #[must_use]
    pub fn ahead(hours: u32) -> Self {
        let ahead = Duration::from_secs(u64::from(hours) * 3_600);
        Self {
            now: Arc::new(move || OffsetDateTime::now_utc() + ahead),
            steady: Some(steady()),
            ahead,
            others: None,
        }
    }

    /// A clock that the caller controls.
    #[must_use]
    pub fn from_fn(now: impl Fn() -> OffsetDateTime + Send + Sync + 'static) -> Self {
        Self {
            now: Arc::new(now),
            steady: None,
            ahead: Duration::ZERO,
            others: None,
        }
    }

    /// This clock, with another one for clients and receivers: the demo changes its own date, but not theirs.
    #[must_use]
    pub fn beside(self, others: impl Fn() -> OffsetDateTime + Send + Sync + 'static) -> Self {
        let others: Option<Now> = Some(Arc::new(others));
        Self { others, ..self }
    }

    /// Converts an instant to the clock of clients and receivers. For instants that other programs compare with their
    /// own clock, such as the time of a retry or of a signature.
    #[must_use]
    pub fn elsewhere(&self, at: OffsetDateTime) -> OffsetDateTime {
        match &self.others {
            None => at,
            Some(others) => to_the_millisecond(others()) + (at - self.now()),
        }
    }

    /// This clock, with a monotonic clock that reveals its jumps.
    #[must_use]
    pub fn measured_by(self, steady: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        let steady: Option<Steady> = Some(Arc::new(steady));
        Self { steady, ..self }
    }

    /// The current time in UTC, truncated to milliseconds like in the store.
    #[must_use]
    pub fn now(&self) -> OffsetDateTime {
        to_the_millisecond((self.now)())
    }

    /// Time since an arbitrary moment, unaffected by changes of the wall clock. `None` if the clock is controlled and
    /// its jumps are intended.
    #[must_use]
    pub fn monotonic(&self) -> Option<Duration> {
        self.steady.as_ref().map(|steady| steady())
    }

    /// The intended offset from the machine's clock.
    #[must_use]
    pub fn offset(&self) -> Duration {
        self.ahead
    }
}

fn to_the_millisecond(at: OffsetDateTime) -> OffsetDateTime {
    at.replace_millisecond(at.millisecond()).unwrap_or(at)
}

/// The machine's monotonic clock; where available, one that continues while the machine sleeps.
fn steady() -> Steady {
    #[cfg(target_os = "linux")]
    {
        use rustix::time::{ClockId, clock_gettime};
        Arc::new(|| {
            let passed = clock_gettime(ClockId::Boottime);
            let seconds = u64::try_from(passed.tv_sec).unwrap_or_default();
            Duration::new(seconds, u32::try_from(passed.tv_nsec).unwrap_or_default())
        })
    }
    #[cfg(not(target_os = "linux"))]
    {
        let began = std::time::Instant::now();
        Arc::new(move || began.elapsed())
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

/// RFC 3339 in UTC with milliseconds at most: the format of every time in an answer.
#[must_use]
pub fn rfc3339(at: OffsetDateTime) -> String {
    at.to_offset(time::UtcOffset::UTC)
        .format(&time::format_description::well_known::Rfc3339)
        .unwrap_or_else(|_| at.unix_timestamp().to_string())
}

/// Reads a date as [`iso_date`] writes it. `None` for any other text.
#[must_use]
pub fn parse_iso_date(text: &str) -> Option<time::Date> {
    const FORM: &[time::format_description::BorrowedFormatItem<'_>] =
        time::macros::format_description!("[year]-[month]-[day]");
    // The parser also reads years with a sign.
    let date = time::Date::parse(text, FORM).ok();
    date.filter(|_| text.len() == 10)
}

/// A date as `YYYY-MM-DD`, the format in answers and in the store.
#[must_use]
pub fn iso_date(day: time::Date) -> String {
    // Assumes years of four digits.
    format!(
        "{:04}-{:02}-{:02}",
        day.year(),
        u8::from(day.month()),
        day.day()
    )
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn only_dates_of_ten_characters_are_read() {
        let day = time::macros::date!(2026 - 01 - 15);
        assert_eq!(parse_iso_date(&iso_date(day)), Some(day));
        for other in [
            "",
            "2026-1-15",
            "+2026-01-15",
            "12026-01-15",
            "2026-02-30",
            "2026-01-15 ",
        ] {
            assert_eq!(parse_iso_date(other), None, "{other}");
        }
    }

    #[test]
    fn instants_are_converted_to_the_clock_of_others() {
        let turned = datetime!(2026-03-01 08:00 UTC);
        let real = datetime!(2026-01-15 09:30 UTC);
        let own = Clock::from_fn(move || turned);
        let later = turned + Duration::from_secs(12);
        assert_eq!(own.elsewhere(later), later);
        let beside = own.beside(move || real);
        assert_eq!(beside.now(), turned);
        assert_eq!(beside.elsewhere(later), real + Duration::from_secs(12));
        assert_eq!(beside.elsewhere(turned), real);
    }
}
