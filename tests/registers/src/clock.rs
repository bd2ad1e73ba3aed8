//! The simulated clock: it runs in real time and can be advanced by whole days.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use time::{Date, Duration, OffsetDateTime};

/// The simulated time. Clones share it.
#[derive(Debug, Clone)]
pub struct SimulatedClock {
    start: OffsetDateTime,
    began: Instant,
    advanced: Arc<AtomicU32>,
}

impl SimulatedClock {
    pub(crate) fn new(start: OffsetDateTime) -> Self {
        Self {
            start,
            began: Instant::now(),
            advanced: Arc::default(),
        }
    }

    /// The simulated start, the days advanced since, and the real time that has passed.
    pub fn now(&self) -> OffsetDateTime {
        let days = Duration::days(i64::from(self.advanced.load(Ordering::SeqCst)));
        let passed = Duration::try_from(self.began.elapsed()).unwrap_or(Duration::ZERO);
        self.start.saturating_add(days).saturating_add(passed)
    }

    /// Number of whole days since the start; day 0 is the first.
    pub fn day(&self) -> u32 {
        u32::try_from((self.now() - self.start).whole_days()).unwrap_or(0)
    }

    /// The date that the registers regard as today: the date of the start plus the whole days since.
    pub fn today(&self) -> Date {
        self.start
            .date()
            .saturating_add(Duration::days(i64::from(self.day())))
    }

    pub(crate) fn advance(&self, days: u32) {
        let turned = |now: u32| Some(now.saturating_add(days));
        self.advanced
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, turned)
            .expect("the closure always has a value");
    }
}
