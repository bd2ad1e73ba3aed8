//! The one source of time. Everything that decides by the time takes it from here, so that tests and the demo turn it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use time::OffsetDateTime;

type Now = Arc<dyn Fn() -> OffsetDateTime + Send + Sync>;
type Steady = Arc<dyn Fn() -> Duration + Send + Sync>;

/// A clock that can be handed on cheaply.
#[derive(Clone)]
pub struct Clock {
    now: Now,
    /// A measure of the time that passes, which nobody sets. `None`: the clock is turned on purpose.
    steady: Option<Steady>,
    /// By how much it is ahead on purpose.
    ahead: Duration,
    /// The clock of everybody else. `None`: this one is theirs too.
    others: Option<Now>,
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
            others: None,
        }
    }

    /// A clock that something else turns.
    #[must_use]
    pub fn from_fn(now: impl Fn() -> OffsetDateTime + Send + Sync + 'static) -> Self {
        Self {
            now: Arc::new(now),
            steady: None,
            ahead: Duration::ZERO,
            others: None,
        }
    }

    /// This clock, beside one that clients and receivers have: the demo turns its calendar, and they do not.
    #[must_use]
    pub fn beside(self, others: impl Fn() -> OffsetDateTime + Send + Sync + 'static) -> Self {
        let others: Option<Now> = Some(Arc::new(others));
        Self { others, ..self }
    }

    /// What clocks of clients and receivers show at a time of this clock: for instants that programs compare with their
    /// own clock, such as when to ask again or when a message was signed.
    #[must_use]
    pub fn elsewhere(&self, at: OffsetDateTime) -> OffsetDateTime {
        match &self.others {
            None => at,
            Some(others) => to_the_millisecond(others()) + (at - self.now()),
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
        to_the_millisecond((self.now)())
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

fn to_the_millisecond(at: OffsetDateTime) -> OffsetDateTime {
    at.replace_millisecond(at.millisecond()).unwrap_or(at)
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

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn instants_for_others_are_by_their_clock() {
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
