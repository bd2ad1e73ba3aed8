//! The one source of time. Everything that decides by the time takes it from here, so that tests and the demo turn it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use time::OffsetDateTime;

type Steady = Arc<dyn Fn() -> Duration + Send + Sync>;

/// A clock that can be handed on cheaply.
#[derive(Clone)]
pub struct Clock {
    now: Arc<dyn Fn() -> OffsetDateTime + Send + Sync>,
    /// A measure of the time that passes, which nobody sets. `None`: the clock is turned on purpose.
    steady: Option<Steady>,
    /// By how much it is ahead on purpose.
    ahead: Duration,
}

impl Clock {
    /// The machine's clock.
    #[must_use]
    pub fn system() -> Self {
        Self::ahead(0)
    }

    /// The machine's clock, so many hours ahead.
    #[must_use]
    pub fn ahead(hours: u32) -> Self {
        let ahead = Duration::from_secs(u64::from(hours) * 3_600);
        Self {
            now: Arc::new(move || OffsetDateTime::now_utc() + ahead),
            steady: Some(steady()),
            ahead,
        }
    }

    /// A clock that something else turns.
    #[must_use]
    pub fn from_fn(now: impl Fn() -> OffsetDateTime + Send + Sync + 'static) -> Self {
        Self {
            now: Arc::new(now),
            steady: None,
            ahead: Duration::ZERO,
        }
    }

    /// This clock, whose jumps are seen by comparing it with a measure of the time that passes.
    #[must_use]
    pub fn measured_by(self, steady: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        let steady: Option<Steady> = Some(Arc::new(steady));
        Self { steady, ..self }
    }

    /// Now, in UTC, to the millisecond, as the store keeps it.
    #[must_use]
    pub fn now(&self) -> OffsetDateTime {
        let now = (self.now)();
        now.replace_millisecond(now.millisecond()).unwrap_or(now)
    }

    /// The time that has passed since some moment in the past, whatever the clock was set to since. `None`: the clock is
    /// turned on purpose, and its jumps are meant.
    #[must_use]
    pub fn passed(&self) -> Option<Duration> {
        self.steady.as_ref().map(|steady| steady())
    }

    /// By how much it is ahead of the machine's clock on purpose.
    #[must_use]
    pub fn is_ahead_by(&self) -> Duration {
        self.ahead
    }
}

/// The machine's measure of time, which goes on while the machine sleeps where there is one that does.
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
