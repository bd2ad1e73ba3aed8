//! Decides when the first request in the queue of an upstream address may go: a pure function of the time.

use std::time::Duration;

use time::OffsetDateTime;
use tokio::time::Instant;

/// Callers wait for a cooldown up to this long; a longer one fails at once.
pub(super) const SHORT_COOLDOWN: Duration = Duration::from_secs(2);
/// A register's `Retry-After` is capped at this duration.
pub(super) const MAX_COOLDOWN: Duration = Duration::from_secs(3600);
/// The slowest rate: one request per this duration.
const SLOWEST: Duration = Duration::from_secs(3600);

/// The interval between requests and the concurrency limit of one connector.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    pub(super) interval: Duration,
    pub(super) concurrent: usize,
}

impl Pace {
    pub(super) fn new(requests_per_second: f64, concurrent: usize) -> Self {
        let interval = Duration::try_from_secs_f64(1.0 / requests_per_second.max(0.0));
        Self {
            interval: interval.unwrap_or(SLOWEST).min(SLOWEST),
            concurrent: concurrent.max(1),
        }
    }

    /// This host's share when several hosts share the limits. Each host may always have one request in flight.
    pub(super) fn shared_by(self, hosts: u32) -> Self {
        Self {
            interval: self.interval.saturating_mul(hosts).min(SLOWEST),
            concurrent: (self.concurrent / hosts.max(1) as usize).max(1),
        }
    }
}

/// Counters and times of one queue. `next` is `None` until the first request.
#[derive(Debug, Default)]
pub(super) struct QueueState {
    pub(super) next: Option<Instant>,
    pub(super) cooldown_until: Option<Instant>,
    /// The end of the cooldown on the host's clock.
    pub(super) cooldown_until_time: Option<OffsetDateTime>,
    pub(super) under_way: usize,
    pub(super) waiting: usize,
}

/// The decision for the first in the queue.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    Go,
    WaitUntil(Instant),
    /// Wait until a request ends.
    WaitForRoom,
    GiveUp(Duration),
}

impl QueueState {
    /// Decides for the first in the queue, and counts its request if it may go.
    pub(super) fn step(&mut self, now: Instant, deadline: Instant, pace: Pace) -> Step {
        if let Some(wait) = self.cooldown(now) {
            return wait.min_by(deadline, now);
        }
        if let Some(next) = self.next.filter(|next| *next > now) {
            return Step::WaitUntil(next).min_by(deadline, now);
        }
        if self.under_way >= pace.concurrent {
            return Step::WaitForRoom;
        }
        self.under_way += 1;
        self.next = Some(now + pace.interval);
        Step::Go
    }

    /// Takes the next slot for a redirect or a retry of a request that is already in flight.
    pub(super) fn again(&mut self, now: Instant, deadline: Instant, pace: Pace) -> Step {
        if let Some(Step::GiveUp(left)) = self.cooldown(now) {
            return Step::GiveUp(left);
        }
        let place = [self.next, self.cooldown_until]
            .into_iter()
            .flatten()
            .fold(now, Instant::max);
        let step = Step::WaitUntil(place).min_by(deadline, now);
        if matches!(step, Step::WaitUntil(_)) {
            self.next = Some(place + pace.interval);
        }
        step
    }

    /// The expected wait of a new caller, if it exceeds the deadline. Only the rate limit counts; the concurrency limit
    /// may add to the wait.
    pub(super) fn crowded(&self, now: Instant, deadline: Instant, pace: Pace) -> Option<Duration> {
        let wait = self
            .next
            .map_or(Duration::ZERO, |next| next.saturating_duration_since(now));
        let ahead = u32::try_from(self.waiting).unwrap_or(u32::MAX);
        let wait = wait.saturating_add(pace.interval.saturating_mul(ahead));
        (wait > deadline.saturating_duration_since(now)).then_some(wait)
    }

    /// Starts a cooldown. A shorter one does not end a longer one. `time` is `now` on the host's clock.
    pub(super) fn start_cooldown(&mut self, now: Instant, time: OffsetDateTime, wait: Duration) {
        let wait = wait.min(MAX_COOLDOWN);
        self.cooldown_until = self.cooldown_until.max(Some(now + wait));
        self.cooldown_until_time = self.cooldown_until_time.max(Some(time + wait));
    }

    /// Ends a cooldown whose end the host's clock has passed. If that clock was set forward by mistake, one request is
    /// refused once more, and a new cooldown starts.
    pub(super) fn end_cooldown(&mut self, time: OffsetDateTime) {
        if self.cooldown_until_time.is_some_and(|until| until <= time) {
            self.cooldown_until = None;
            self.cooldown_until_time = None;
        }
    }

    pub(super) fn cooldown(&self, now: Instant) -> Option<Step> {
        let until = self.cooldown_until.filter(|until| *until > now)?;
        let left = until.saturating_duration_since(now);
        Some(if left > SHORT_COOLDOWN {
            Step::GiveUp(left)
        } else {
            Step::WaitUntil(until)
        })
    }
}

impl Step {
    /// Gives up at once if the wait would exceed the deadline.
    fn min_by(self, deadline: Instant, now: Instant) -> Self {
        match self {
            Self::WaitUntil(until) if until > deadline => {
                Self::GiveUp(until.saturating_duration_since(now))
            }
            step @ (Self::Go | Self::WaitUntil(_) | Self::WaitForRoom | Self::GiveUp(_)) => step,
        }
    }
}
