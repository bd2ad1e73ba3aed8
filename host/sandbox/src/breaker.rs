//! The circuit breaker: after repeated failures, calls are refused for a while; then one probe decides whether to close
//! it.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Mutex;
use std::time::Duration;

use time::OffsetDateTime;

use crate::clock::rfc3339;

/// Consecutive failures that open it.
const CONSECUTIVE_FAILURES: u32 = 5;
/// Fewest calls of the last minute that are judged by their failure rate; it opens if half of them failed.
const MIN_SAMPLE: usize = 20;
const WINDOW: Duration = Duration::from_secs(60);
/// How long the circuit stays open at first. Each probe that fails doubles the time, up to [`MAX_OPEN_TIME`].
const FIRST_OPEN_TIME: Duration = Duration::from_secs(30);
const MAX_OPEN_TIME: Duration = Duration::from_secs(600);

/// The breaker's decision on a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permit {
    /// The call may proceed.
    Closed,
    /// The call may proceed; it is the probe that tests whether the connector or upstream works again. If it ends
    /// without an outcome, its caller calls [`Breaker::probe_ended_without_outcome`] with this time.
    Probe(OffsetDateTime),
    /// The call is refused.
    Open(OpenCircuit),
}

/// An open circuit: until when calls are refused, and after how many failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenCircuit {
    pub until: OffsetDateTime,
    /// Failed calls that opened the circuit, and failed probes since.
    pub failures: u32,
}

impl fmt::Display for OpenCircuit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let until = rfc3339(self.until);
        write!(
            f,
            "circuit open until {until}, after {} failures",
            self.failures
        )
    }
}

/// State of the breaker, for lists and status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakerState {
    /// Calls proceed as usual.
    Closed,
    /// Calls are refused until the stated time.
    Open(OpenCircuit),
    /// One probe is under way.
    HalfOpen,
}

/// Circuit breaker of one connector or upstream.
#[derive(Debug, Default)]
pub struct Breaker(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    recent: VecDeque<(OffsetDateTime, bool)>,
    failed_in_a_row: u32,
    open: Option<OpenCircuit>,
    /// For how long the circuit was opened last.
    open_time: Option<Duration>,
    probing: Option<OffsetDateTime>,
}

impl Breaker {
    /// Asks whether a call may start.
    pub fn permit(&self, now: OffsetDateTime) -> Permit {
        let mut inner = self.lock();
        let Some(open) = inner.open else {
            return Permit::Closed;
        };
        if now < open.until {
            return Permit::Open(open);
        }
        // A probe that was dropped without an outcome must not keep the breaker open for ever.
        match inner.probing {
            Some(since) if now - since < FIRST_OPEN_TIME => Permit::Open(OpenCircuit {
                until: since + FIRST_OPEN_TIME,
                ..open
            }),
            _ => {
                inner.probing = Some(now);
                Permit::Probe(now)
            }
        }
    }

    /// Records a successful call.
    pub fn succeeded(&self, now: OffsetDateTime) {
        let mut inner = self.lock();
        inner.failed_in_a_row = 0;
        if inner.open.take().is_some() {
            inner.recent.clear();
            inner.open_time = None;
        }
        inner.probing = None;
        inner.record_call(now, false);
    }

    /// Records a failed call; returns true if it opened the breaker.
    pub fn failed(&self, now: OffsetDateTime) -> bool {
        let mut inner = self.lock();
        inner.failed_in_a_row += 1;
        inner.record_call(now, true);
        let failed = inner.recent.iter().filter(|(_, failed)| *failed).count();
        let half_failed = inner.recent.len() >= MIN_SAMPLE && failed * 2 >= inner.recent.len();
        let probe_failed = inner.probing.take().is_some();
        if !probe_failed
            && (inner.open.is_some()
                || (inner.failed_in_a_row < CONSECUTIVE_FAILURES && !half_failed))
        {
            return false;
        }
        let open_time = inner.open_time.map_or(FIRST_OPEN_TIME, |open_time| {
            (open_time * 2).min(MAX_OPEN_TIME)
        });
        inner.open_time = Some(open_time);
        let failures = match inner.open {
            Some(open) => open.failures.saturating_add(1),
            None => inner
                .failed_in_a_row
                .max(u32::try_from(failed).unwrap_or(u32::MAX)),
        };
        inner.open = Some(OpenCircuit {
            until: now + open_time,
            failures,
        });
        true
    }

    /// Ends the probe that began at `since`, so that the next call is the probe. Does nothing if its outcome was
    /// recorded.
    pub fn probe_ended_without_outcome(&self, since: OffsetDateTime) {
        let mut inner = self.lock();
        if inner.probing == Some(since) {
            inner.probing = None;
        }
    }

    /// State for lists and status.
    pub fn state(&self, now: OffsetDateTime) -> BreakerState {
        let inner = self.lock();
        match inner.open {
            None => BreakerState::Closed,
            Some(open) if now < open.until => BreakerState::Open(open),
            Some(_) => BreakerState::HalfOpen,
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        // The state behind a poisoned lock is still valid.
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Inner {
    fn record_call(&mut self, now: OffsetDateTime, failed: bool) {
        self.recent.push_back((now, failed));
        while self
            .recent
            .front()
            .is_some_and(|(at, _)| now - *at > WINDOW)
            || self.recent.len() > 1_000
        {
            self.recent.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    const START: OffsetDateTime = datetime!(2026-01-15 08:00 UTC);

    #[test]
    fn five_consecutive_failures_open_and_one_probe_closes_it() {
        let breaker = Breaker::default();
        for _ in 0..4 {
            assert!(!breaker.failed(START));
        }
        assert_eq!(breaker.permit(START), Permit::Closed);
        assert!(breaker.failed(START));
        let open = OpenCircuit {
            until: START + FIRST_OPEN_TIME,
            failures: 5,
        };
        assert_eq!(breaker.permit(START), Permit::Open(open));
        assert_eq!(
            open.to_string(),
            "circuit open until 2026-01-15T08:00:30Z, after 5 failures"
        );
        let later = START + FIRST_OPEN_TIME;
        assert_eq!(breaker.permit(later), Permit::Probe(later));
        assert!(
            matches!(breaker.permit(later), Permit::Open(_)),
            "one probe at a time"
        );
        breaker.succeeded(later);
        assert_eq!(breaker.permit(later), Permit::Closed);
    }

    #[test]
    fn next_call_probes_after_probe_without_outcome() {
        let breaker = Breaker::default();
        for _ in 0..5 {
            breaker.failed(START);
        }
        let later = START + FIRST_OPEN_TIME;
        assert_eq!(breaker.permit(later), Permit::Probe(later));
        breaker.probe_ended_without_outcome(START);
        assert!(matches!(breaker.permit(later), Permit::Open(_)), "another");
        breaker.probe_ended_without_outcome(later);
        assert_eq!(breaker.state(later), BreakerState::HalfOpen);
        assert_eq!(breaker.permit(later), Permit::Probe(later));
        assert!(matches!(breaker.permit(later), Permit::Open(_)));
    }

    #[test]
    fn failed_probe_doubles_open_time_up_to_ten_minutes() {
        let breaker = Breaker::default();
        for _ in 0..5 {
            breaker.failed(START);
        }
        let mut now = START;
        let mut open_time = FIRST_OPEN_TIME;
        for probes in 1..=8 {
            now += open_time;
            assert_eq!(breaker.permit(now), Permit::Probe(now));
            assert!(breaker.failed(now));
            open_time = (open_time * 2).min(MAX_OPEN_TIME);
            let open = OpenCircuit {
                until: now + open_time,
                failures: 5 + probes,
            };
            assert_eq!(breaker.permit(now), Permit::Open(open));
        }
    }

    #[test]
    fn half_of_twenty_calls_failing_open_it() {
        let breaker = Breaker::default();
        let mut opened = false;
        for i in 0..20 {
            if i % 2 == 0 {
                breaker.succeeded(START);
            } else {
                opened |= breaker.failed(START);
            }
        }
        assert!(opened);
        let slow = Breaker::default();
        for i in 0..40 {
            let now = START + Duration::from_secs(10 * i);
            if i % 2 == 0 {
                slow.succeeded(now);
            } else {
                assert!(!slow.failed(now));
            }
        }
    }
}
