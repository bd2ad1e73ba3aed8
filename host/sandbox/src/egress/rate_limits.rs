//! Rate limits: one for each upstream address, shared by all connectors of this process. Several hosts on one store
//! each get an equal share.
//!
//! Callers wait in one FIFO queue (tokio's mutex is fair), so an import of thousands of requests and a single look-up
//! alternate. Only the first in the queue checks rate limit, cooldown and concurrency, with its own connector's
//! settings, so a reload changes nothing here. `QueueState` decides, `UpstreamQueue` waits.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use time::OffsetDateTime;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until, timeout};

use super::counts::{Counts, UpstreamCounts};
use super::failure::EgressFailure;
use super::pace::{MAX_COOLDOWN, Pace, QueueState, SHORT_COOLDOWN, Step};
use super::upstream_circuit::UpstreamCircuit;
use crate::breaker::BreakerState;
use crate::clock::Clock;

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

/// An upstream address that was used, with its load and its counters since the start.
#[derive(Debug, Clone, PartialEq)]
pub struct UpstreamUse {
    /// Scheme, host, port and base path.
    pub address: String,
    pub state: UpstreamState,
    pub counts: UpstreamCounts,
}

/// The queues of all upstream addresses. Only configured addresses occur, so none is ever removed.
#[derive(Debug)]
pub(super) struct UpstreamQueues {
    queues: Mutex<HashMap<String, Arc<UpstreamQueue>>>,
    clock: Clock,
}

impl UpstreamQueues {
    /// Starts without queues. The circuit breakers use `clock`; rate limits use the monotonic clock. A cooldown ends
    /// when either of them has passed its end: a test or the demo advances `clock` by days.
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

    /// All addresses to which a request was sent, in order.
    pub(super) fn uses(&self) -> Vec<UpstreamUse> {
        let now = Instant::now();
        let queues = lock(&self.queues);
        let uses = queues.iter().map(|(address, queue)| UpstreamUse {
            address: address.clone(),
            state: queue.snapshot(now),
            counts: queue.counts.snapshot(),
        });
        let mut uses: Vec<UpstreamUse> = uses.collect();
        uses.sort_by(|a, b| a.address.cmp(&b.address));
        uses
    }

    /// The state of an address; idle if no request was ever sent to it.
    pub(super) fn state(&self, address: &str) -> UpstreamState {
        let queue = lock(&self.queues).get(address).map(Arc::clone);
        queue.map_or_else(UpstreamState::default, |queue| {
            queue.snapshot(Instant::now())
        })
    }
}

/// How much longer a caller waits in queues.
#[derive(Debug, Clone, Copy)]
pub(super) struct WaitBudget(Duration);

impl WaitBudget {
    pub(super) fn new(longest: Duration) -> Self {
        Self(longest.min(MAX_COOLDOWN))
    }

    pub(super) fn left(self) -> Duration {
        self.0
    }
}

/// The queue of one upstream address.
#[derive(Debug)]
pub(super) struct UpstreamQueue {
    pub(super) circuit: UpstreamCircuit,
    pub(super) counts: Counts,
    queue: tokio::sync::Mutex<()>,
    state: Mutex<QueueState>,
    clock: Clock,
    /// Wakes the first in the queue when a request ends.
    freed: Notify,
}

impl UpstreamQueue {
    pub(super) fn new(clock: Clock) -> Self {
        Self {
            circuit: UpstreamCircuit::new(clock.clone()),
            counts: Counts::default(),
            queue: tokio::sync::Mutex::default(),
            state: Mutex::default(),
            clock,
            freed: Notify::default(),
        }
    }

    /// The counters and times, without a cooldown that has ended by the clock.
    fn state(&self) -> MutexGuard<'_, QueueState> {
        let mut state = lock(&self.state);
        state.end_cooldown(self.clock.now());
        state
    }

    /// Waits in the queue and subtracts the wait from the budget.
    pub(super) async fn take_permit(
        self: &Arc<Self>,
        pace: Pace,
        budget: &mut WaitBudget,
    ) -> Result<UpstreamPermit, EgressFailure> {
        let permit = self.permit_within(pace, budget).await;
        if permit.is_err() {
            self.counts.throttled_by_host();
        }
        permit
    }

    async fn permit_within(
        self: &Arc<Self>,
        pace: Pace,
        budget: &mut WaitBudget,
    ) -> Result<UpstreamPermit, EgressFailure> {
        let began = Instant::now();
        let deadline = began + budget.0;
        {
            let state = self.state();
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
            let step = self.state().step(Instant::now(), deadline, pace);
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

    /// Starts a cooldown, because the upstream rate-limited this host or another one.
    pub(super) fn start_cooldown(&self, wait: Duration) {
        self.state()
            .start_cooldown(Instant::now(), self.clock.now(), wait);
    }

    fn snapshot(&self, now: Instant) -> UpstreamState {
        let state = self.state();
        UpstreamState {
            cooldown: state
                .cooldown_until
                .map(|until| until.saturating_duration_since(now))
                .filter(|left| !left.is_zero()),
            under_way: state.under_way,
            waiting: state.waiting,
            circuit_open_until: match self.circuit.state() {
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
        let step = self.queue.state().again(now, now + budget.0, self.pace);
        match step {
            Step::WaitUntil(until) => sleep_until(until).await,
            Step::GiveUp(wait) => {
                self.queue.counts.throttled_by_host();
                return Err(throttled(wait));
            }
            Step::Go | Step::WaitForRoom => {}
        }
        budget.0 = budget.0.saturating_sub(now.elapsed());
        Ok(())
    }

    /// The counters of the upstream.
    pub(super) fn counts(&self) -> &Counts {
        &self.queue.counts
    }

    /// Records a body that broke off as a failure.
    pub(super) fn broke_off(&self, label: &str) {
        self.queue.circuit.failed(label);
    }

    /// Starts a cooldown of the upstream.
    pub(super) fn start_cooldown(&self, wait: Duration) {
        self.queue.start_cooldown(wait);
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
