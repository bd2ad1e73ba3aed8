//! The circuit breaker: after repeated failures, calls are refused for a while; then one probe decides whether to close
//! it.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use time::OffsetDateTime;

/// Consecutive failures that open it.
const CONSECUTIVE_FAILURES: u32 = 5;
/// Fewest calls of the last minute that are judged by their failure rate; it opens if half of them failed.
const MIN_SAMPLE: usize = 20;
const WINDOW: Duration = Duration::from_secs(60);
const FIRST_REST: Duration = Duration::from_secs(30);
const LONGEST_REST: Duration = Duration::from_secs(600);

/// The breaker's decision on a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permit {
    /// The call may proceed.
    Closed,
    /// The call may proceed; it is the probe that tests whether the connector works again.
    Probe,
    /// The call is refused until this time.
    Open(OffsetDateTime),
}

/// State of the breaker, for lists and status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakerState {
    /// Calls proceed as usual.
    Closed,
    /// Calls are refused until this time.
    Open(OffsetDateTime),
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
    open_until: Option<OffsetDateTime>,
    rest: Option<Duration>,
    probing: Option<OffsetDateTime>,
}

impl Breaker {
    /// Asks whether a call may start.
    pub fn permit(&self, now: OffsetDateTime) -> Permit {
        let mut inner = self.lock();
        let Some(until) = inner.open_until else {
            return Permit::Closed;
        };
        if now < until {
            return Permit::Open(until);
        }
        // A probe that was dropped without an outcome must not keep the breaker open for ever.
        match inner.probing {
            Some(since) if now - since < FIRST_REST => Permit::Open(since + FIRST_REST),
            _ => {
                inner.probing = Some(now);
                Permit::Probe
            }
        }
    }

    /// Records a successful call.
    pub fn succeeded(&self, now: OffsetDateTime) {
        let mut inner = self.lock();
        inner.failed_in_a_row = 0;
        if inner.open_until.take().is_some() {
            inner.recent.clear();
            inner.rest = None;
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
            && (inner.open_until.is_some()
                || (inner.failed_in_a_row < CONSECUTIVE_FAILURES && !half_failed))
        {
            return false;
        }
        let rest = inner
            .rest
            .map_or(FIRST_REST, |rest| (rest * 2).min(LONGEST_REST));
        inner.rest = Some(rest);
        inner.open_until = Some(now + rest);
        true
    }

    /// State for lists and status.
    pub fn state(&self, now: OffsetDateTime) -> BreakerState {
        let inner = self.lock();
        match inner.open_until {
            None => BreakerState::Closed,
            Some(until) if now < until => BreakerState::Open(until),
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
        assert_eq!(breaker.permit(START), Permit::Open(START + FIRST_REST));
        let later = START + FIRST_REST;
        assert_eq!(breaker.permit(later), Permit::Probe);
        assert!(
            matches!(breaker.permit(later), Permit::Open(_)),
            "one probe at a time"
        );
        breaker.succeeded(later);
        assert_eq!(breaker.permit(later), Permit::Closed);
    }

    #[test]
    fn failed_probe_doubles_open_time_up_to_ten_minutes() {
        let breaker = Breaker::default();
        for _ in 0..5 {
            breaker.failed(START);
        }
        let mut now = START;
        let mut rest = FIRST_REST;
        for _ in 0..8 {
            now += rest;
            assert_eq!(breaker.permit(now), Permit::Probe);
            assert!(breaker.failed(now));
            rest = (rest * 2).min(LONGEST_REST);
            assert_eq!(breaker.permit(now), Permit::Open(now + rest));
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
