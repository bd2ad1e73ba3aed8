//! Rate limits: one for each upstream address, shared by all connectors of this process. Several hosts on one store
//! each get an equal share.
//!
//! Callers wait in one FIFO queue (tokio's mutex is fair), so an import of thousands of requests and a single look-up
//! alternate. Only the first in the queue checks rate limit, cooldown and concurrency, with its own connector's
//! settings, so a reload changes nothing here. `QueueState` decides as a pure function of `now`; `UpstreamQueue` waits.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use time::OffsetDateTime;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until, timeout};

use super::failure::EgressFailure;
use super::health::Health;
use crate::breaker::BreakerState;
use crate::clock::Clock;

/// Callers wait for a cooldown up to this long; a longer one fails at once.
const SHORT_COOLDOWN: Duration = Duration::from_secs(2);
/// A register's `Retry-After` is capped at this duration.
const LONGEST_COOLDOWN: Duration = Duration::from_secs(3600);
/// The slowest rate: one request per this duration.
const SLOWEST: Duration = Duration::from_secs(3600);

/// Load of an upstream address, for status pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UpstreamState {
    /// Remaining cooldown that the upstream asked for.
    pub cooldown: Option<Duration>,
    /// Requests in flight, including unread bodies.
    pub under_way: usize,
    /// Requests that wait in the queue.
    pub waiting: usize,
    /// When the circuit half-opens, if it is open.
    pub circuit_open_until: Option<OffsetDateTime>,
}

/// The queues of all upstream addresses. Only configured addresses occur, so none is ever removed.
#[derive(Debug)]
pub(super) struct Politeness {
    queues: Mutex<HashMap<String, Arc<UpstreamQueue>>>,
    clock: Clock,
}

impl Politeness {
    /// Starts without queues. The circuit breakers use `clock`; rate limits and cooldowns use the monotonic clock.
    pub(super) fn new(clock: Clock) -> Self {
        Self {
            queues: Mutex::default(),
            clock,
        }
    }

    pub(super) fn queue(&self, address: &str) -> Arc<UpstreamQueue> {
        let mut queues = lock(&self.queues);
        if let Some(queue) = queues.get(address) {
            return Arc::clone(queue);
        }
        let queue = Arc::new(UpstreamQueue::new(self.clock.clone()));
        queues.insert(address.to_owned(), Arc::clone(&queue));
        queue
    }

    /// Addresses in a cooldown that is longer than callers wait, each with the remaining time.
    pub(super) fn cooldowns(&self) -> Vec<(String, Duration)> {
        let now = Instant::now();
        let queues = lock(&self.queues);
        let cooldowns = queues.iter().filter_map(|(address, queue)| {
            let left = queue.snapshot(now).cooldown?;
            (left > SHORT_COOLDOWN).then(|| (address.clone(), left))
        });
        cooldowns.collect()
    }

    /// The state of an address; idle if no request was ever sent to it.
    pub(super) fn state(&self, address: &str) -> UpstreamState {
        let queue = lock(&self.queues).get(address).map(Arc::clone);
        queue.map_or_else(UpstreamState::default, |queue| {
            queue.snapshot(Instant::now())
        })
    }
}

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

/// How much longer a caller waits in queues.
#[derive(Debug, Clone, Copy)]
pub(super) struct WaitBudget(Duration);

impl WaitBudget {
    pub(super) fn new(longest: Duration) -> Self {
        Self(longest.min(LONGEST_COOLDOWN))
    }

    pub(super) fn left(self) -> Duration {
        self.0
    }
}

/// The queue of one upstream address.
#[derive(Debug)]
pub(super) struct UpstreamQueue {
    pub(super) health: Health,
    queue: tokio::sync::Mutex<()>,
    state: Mutex<QueueState>,
    /// Wakes the first in the queue when a request ends.
    freed: Notify,
}

/// Counters and times of one queue. `next` is `None` until the first request.
#[derive(Debug, Default)]
pub(super) struct QueueState {
    pub(super) next: Option<Instant>,
    pub(super) cooldown_until: Option<Instant>,
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

    /// Starts a cooldown. A shorter one does not end a longer one.
    pub(super) fn start_cooldown(&mut self, now: Instant, wait: Duration) {
        let until = now + wait.min(LONGEST_COOLDOWN);
        self.cooldown_until = Some(self.cooldown_until.map_or(until, |known| known.max(until)));
    }

    fn cooldown(&self, now: Instant) -> Option<Step> {
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

impl UpstreamQueue {
    pub(super) fn new(clock: Clock) -> Self {
        Self {
            health: Health::new(clock),
            queue: tokio::sync::Mutex::default(),
            state: Mutex::default(),
            freed: Notify::default(),
        }
    }

    /// Waits in the queue and subtracts the wait from the budget.
    pub(super) async fn take_permit(
        self: &Arc<Self>,
        pace: Pace,
        budget: &mut WaitBudget,
    ) -> Result<UpstreamPermit, EgressFailure> {
        let began = Instant::now();
        let deadline = began + budget.0;
        {
            let state = lock(&self.state);
            if let Some(Step::GiveUp(left)) = state.cooldown(began) {
                return Err(throttled(left));
            }
            if let Some(wait) = state.crowded(began, deadline, pace) {
                return Err(throttled(wait));
            }
        }
        let waiting = QueueEntry::new(self);
        let permit = timeout(budget.0, self.first_in_queue(deadline, pace)).await;
        drop(waiting);
        let budget_was = budget.0;
        budget.0 = budget_was.saturating_sub(began.elapsed());
        permit.unwrap_or_else(|_elapsed| Err(throttled(budget_was)))
    }

    async fn first_in_queue(
        self: &Arc<Self>,
        deadline: Instant,
        pace: Pace,
    ) -> Result<UpstreamPermit, EgressFailure> {
        let _first = self.queue.lock().await;
        loop {
            let step = lock(&self.state).step(Instant::now(), deadline, pace);
            match step {
                Step::Go => {
                    return Ok(UpstreamPermit {
                        queue: Arc::clone(self),
                        pace,
                    });
                }
                Step::WaitUntil(until) => sleep_until(until).await,
                Step::WaitForRoom => self.freed.notified().await,
                Step::GiveUp(wait) => return Err(throttled(wait)),
            }
        }
    }

    /// Starts a cooldown, because the upstream rate-limited another host.
    pub(super) fn start_cooldown(&self, wait: Duration) {
        lock(&self.state).start_cooldown(Instant::now(), wait);
    }

    fn snapshot(&self, now: Instant) -> UpstreamState {
        let state = lock(&self.state);
        UpstreamState {
            cooldown: state
                .cooldown_until
                .map(|until| until.saturating_duration_since(now))
                .filter(|left| !left.is_zero()),
            under_way: state.under_way,
            waiting: state.waiting,
            circuit_open_until: match self.health.state() {
                BreakerState::Open(open) => Some(open.until),
                BreakerState::Closed | BreakerState::HalfOpen => None,
            },
        }
    }
}

/// A permit for one request in flight, released on drop. A body keeps it until it is read.
#[derive(Debug)]
pub(super) struct UpstreamPermit {
    queue: Arc<UpstreamQueue>,
    pace: Pace,
}

impl UpstreamPermit {
    /// Waits until the same request may send again (a redirect or a retry).
    pub(super) async fn again(&self, budget: &mut WaitBudget) -> Result<(), EgressFailure> {
        let now = Instant::now();
        let step = lock(&self.queue.state).again(now, now + budget.0, self.pace);
        match step {
            Step::WaitUntil(until) => sleep_until(until).await,
            Step::GiveUp(wait) => return Err(throttled(wait)),
            Step::Go | Step::WaitForRoom => {}
        }
        budget.0 = budget.0.saturating_sub(now.elapsed());
        Ok(())
    }

    /// Records a body that broke off as a failure.
    pub(super) fn broke_off(&self, label: &str) {
        self.queue.health.failed(label);
    }

    /// Starts a cooldown of the upstream.
    pub(super) fn start_cooldown(&self, wait: Duration) {
        lock(&self.queue.state).start_cooldown(Instant::now(), wait);
    }
}

impl Drop for UpstreamPermit {
    fn drop(&mut self) {
        let mut state = lock(&self.queue.state);
        state.under_way = state.under_way.saturating_sub(1);
        drop(state);
        self.queue.freed.notify_one();
    }
}

/// Counts one caller in the queue until it is dropped.
struct QueueEntry<'a>(&'a UpstreamQueue);

impl<'a> QueueEntry<'a> {
    fn new(queue: &'a UpstreamQueue) -> Self {
        lock(&queue.state).waiting += 1;
        Self(queue)
    }
}

impl Drop for QueueEntry<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.waiting = state.waiting.saturating_sub(1);
    }
}

fn throttled(wait: Duration) -> EgressFailure {
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    EgressFailure::Throttled(Some(u32::try_from(seconds).unwrap_or(u32::MAX)))
}

/// Ignores poisoning: the counters stay valid even if a task panics between two statements.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
