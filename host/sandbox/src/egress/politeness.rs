//! One pace for each upstream address, shared by all connectors of this process; where several hosts are on one store,
//! each has its share of it.
//!
//! Callers stand in one queue, first come first served (tokio's mutex is FIFO), so that an import of thousands of
//! requests and a look-up of one alternate. Only the first in the queue looks at pace, hold and concurrency; it
//! applies its own connector's settings, so a reload needs nothing here.
//! Decisions are pure functions of `now` in `State`; the waiting around them is in `Gate`.

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

/// A hold up to this long is waited for; a longer one is told at once.
const SHORT_HOLD: Duration = Duration::from_secs(2);
/// A register's `Retry-After` is believed up to here.
const LONGEST_HOLD: Duration = Duration::from_secs(3600);
/// The slowest pace there is.
const SLOWEST: Duration = Duration::from_secs(3600);

/// How busy an upstream address is, for status pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UpstreamState {
    /// How long the upstream asked to be left alone, where that lasts.
    pub held_for: Option<Duration>,
    /// Requests under way, unread bodies included.
    pub under_way: usize,
    /// Requests that wait for a turn.
    pub waiting: usize,
    /// Until when it is not asked because it failed too often.
    pub resting_until: Option<OffsetDateTime>,
}

/// The gates of all upstream addresses. They are as few as the settings name, so none is ever removed.
#[derive(Debug)]
pub(super) struct Politeness {
    gates: Mutex<HashMap<String, Arc<Gate>>>,
    clock: Clock,
}

impl Politeness {
    /// No gates yet. The clock is for how long an upstream rests; pace and holds are counted by the machine's.
    pub(super) fn new(clock: Clock) -> Self {
        Self {
            gates: Mutex::default(),
            clock,
        }
    }

    pub(super) fn gate(&self, address: &str) -> Arc<Gate> {
        let mut gates = lock(&self.gates);
        if let Some(gate) = gates.get(address) {
            return Arc::clone(gate);
        }
        let gate = Arc::new(Gate::new(self.clock.clone()));
        gates.insert(address.to_owned(), Arc::clone(&gate));
        gate
    }

    /// The addresses that asked to be left alone for longer than a caller waits, each with how long that lasts.
    pub(super) fn holds(&self) -> Vec<(String, Duration)> {
        let now = Instant::now();
        let gates = lock(&self.gates);
        let held = gates.iter().filter_map(|(address, gate)| {
            let left = gate.look(now).held_for?;
            (left > SHORT_HOLD).then(|| (address.clone(), left))
        });
        held.collect()
    }

    /// The state of an address; that of an idle one where nothing was ever sent.
    pub(super) fn state(&self, address: &str) -> UpstreamState {
        let gate = lock(&self.gates).get(address).map(Arc::clone);
        gate.map_or_else(UpstreamState::default, |gate| gate.look(Instant::now()))
    }
}

/// How fast and how wide one connector may go.
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

    /// This host's part, where several keep the pace together. Each may always have one request under way.
    pub(super) fn shared_by(self, hosts: u32) -> Self {
        Self {
            interval: self.interval.saturating_mul(hosts).min(SLOWEST),
            concurrent: (self.concurrent / hosts.max(1) as usize).max(1),
        }
    }
}

/// How long a caller still waits for turns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience(Duration);

impl Patience {
    pub(super) fn new(patience: Duration) -> Self {
        Self(patience.min(LONGEST_HOLD))
    }

    pub(super) fn left(self) -> Duration {
        self.0
    }
}

/// The waiting line before one upstream address.
#[derive(Debug)]
pub(super) struct Gate {
    pub(super) health: Health,
    queue: tokio::sync::Mutex<()>,
    state: Mutex<State>,
    /// Tells the first in the queue that a request ended.
    freed: Notify,
}

/// What the gate knows. `next` is none until the first request.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) next: Option<Instant>,
    pub(super) held_until: Option<Instant>,
    pub(super) under_way: usize,
    pub(super) waiting: usize,
}

/// What the first in the queue does.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    Go,
    WaitUntil(Instant),
    /// Until a request ends.
    WaitForRoom,
    GiveUp(Duration),
}

impl State {
    /// Decides for the first in the queue, and counts its request when it goes.
    pub(super) fn step(&mut self, now: Instant, deadline: Instant, pace: Pace) -> Step {
        if let Some(wait) = self.hold(now) {
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

    /// Takes the next place in the pace for a request whose turn goes on: a redirect, a retry.
    pub(super) fn again(&mut self, now: Instant, deadline: Instant, pace: Pace) -> Step {
        if let Some(Step::GiveUp(left)) = self.hold(now) {
            return Step::GiveUp(left);
        }
        let place = [self.next, self.held_until]
            .into_iter()
            .flatten()
            .fold(now, Instant::max);
        let step = Step::WaitUntil(place).min_by(deadline, now);
        if matches!(step, Step::WaitUntil(_)) {
            self.next = Some(place + pace.interval);
        }
        step
    }

    /// Whether somebody who comes now would wait past the deadline. The pace alone says so; room may take longer.
    pub(super) fn crowded(&self, now: Instant, deadline: Instant, pace: Pace) -> Option<Duration> {
        let wait = self
            .next
            .map_or(Duration::ZERO, |next| next.saturating_duration_since(now));
        let ahead = u32::try_from(self.waiting).unwrap_or(u32::MAX);
        let wait = wait.saturating_add(pace.interval.saturating_mul(ahead));
        (wait > deadline.saturating_duration_since(now)).then_some(wait)
    }

    /// Leaves the upstream alone; a shorter hold doesn't end a longer one.
    pub(super) fn hold_for(&mut self, now: Instant, wait: Duration) {
        let until = now + wait.min(LONGEST_HOLD);
        self.held_until = Some(self.held_until.map_or(until, |held| held.max(until)));
    }

    fn hold(&self, now: Instant) -> Option<Step> {
        let until = self.held_until.filter(|until| *until > now)?;
        let left = until.saturating_duration_since(now);
        Some(if left > SHORT_HOLD {
            Step::GiveUp(left)
        } else {
            Step::WaitUntil(until)
        })
    }
}

impl Step {
    /// Gives up at once where the wait would outlast the deadline.
    fn min_by(self, deadline: Instant, now: Instant) -> Self {
        match self {
            Self::WaitUntil(until) if until > deadline => {
                Self::GiveUp(until.saturating_duration_since(now))
            }
            step @ (Self::Go | Self::WaitUntil(_) | Self::WaitForRoom | Self::GiveUp(_)) => step,
        }
    }
}

impl Gate {
    pub(super) fn new(clock: Clock) -> Self {
        Self {
            health: Health::new(clock),
            queue: tokio::sync::Mutex::default(),
            state: Mutex::default(),
            freed: Notify::default(),
        }
    }

    /// Waits for a turn; the wait is taken from the patience.
    pub(super) async fn turn(
        self: &Arc<Self>,
        pace: Pace,
        patience: &mut Patience,
    ) -> Result<Turn, EgressFailure> {
        let began = Instant::now();
        let deadline = began + patience.0;
        {
            let state = lock(&self.state);
            if let Some(Step::GiveUp(left)) = state.hold(began) {
                return Err(throttled(left));
            }
            if let Some(wait) = state.crowded(began, deadline, pace) {
                return Err(throttled(wait));
            }
        }
        let waiting = Waiting::new(self);
        let turn = timeout(patience.0, self.first_in_queue(deadline, pace)).await;
        drop(waiting);
        let patience_was = patience.0;
        patience.0 = patience_was.saturating_sub(began.elapsed());
        turn.unwrap_or_else(|_elapsed| Err(throttled(patience_was)))
    }

    async fn first_in_queue(
        self: &Arc<Self>,
        deadline: Instant,
        pace: Pace,
    ) -> Result<Turn, EgressFailure> {
        let _first = self.queue.lock().await;
        loop {
            let step = lock(&self.state).step(Instant::now(), deadline, pace);
            match step {
                Step::Go => {
                    return Ok(Turn {
                        gate: Arc::clone(self),
                        pace,
                    });
                }
                Step::WaitUntil(until) => sleep_until(until).await,
                Step::WaitForRoom => self.freed.notified().await,
                Step::GiveUp(wait) => return Err(throttled(wait)),
            }
        }
    }

    /// Leaves the upstream alone, because another host was asked to.
    pub(super) fn hold(&self, wait: Duration) {
        lock(&self.state).hold_for(Instant::now(), wait);
    }

    fn look(&self, now: Instant) -> UpstreamState {
        let state = lock(&self.state);
        UpstreamState {
            held_for: state
                .held_until
                .map(|until| until.saturating_duration_since(now))
                .filter(|left| !left.is_zero()),
            under_way: state.under_way,
            waiting: state.waiting,
            resting_until: match self.health.state() {
                BreakerState::Open(until) => Some(until),
                BreakerState::Closed | BreakerState::HalfOpen => None,
            },
        }
    }
}

/// A place among the requests under way, given back when dropped. A body holds it until it was read.
#[derive(Debug)]
pub(super) struct Turn {
    gate: Arc<Gate>,
    pace: Pace,
}

impl Turn {
    /// Waits until the same turn may send once more.
    pub(super) async fn again(&self, patience: &mut Patience) -> Result<(), EgressFailure> {
        let now = Instant::now();
        let step = lock(&self.gate.state).again(now, now + patience.0, self.pace);
        match step {
            Step::WaitUntil(until) => sleep_until(until).await,
            Step::GiveUp(wait) => return Err(throttled(wait)),
            Step::Go | Step::WaitForRoom => {}
        }
        patience.0 = patience.0.saturating_sub(now.elapsed());
        Ok(())
    }

    /// Books a body that broke off.
    pub(super) fn broke_off(&self, label: &str) {
        self.gate.health.failed(label);
    }

    /// Leaves the upstream alone for a while.
    pub(super) fn hold(&self, wait: Duration) {
        lock(&self.gate.state).hold_for(Instant::now(), wait);
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut state = lock(&self.gate.state);
        state.under_way = state.under_way.saturating_sub(1);
        drop(state);
        self.gate.freed.notify_one();
    }
}

/// Counts one caller in the queue.
struct Waiting<'a>(&'a Gate);

impl<'a> Waiting<'a> {
    fn new(gate: &'a Gate) -> Self {
        lock(&gate.state).waiting += 1;
        Self(gate)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.waiting = state.waiting.saturating_sub(1);
    }
}

fn throttled(wait: Duration) -> EgressFailure {
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    EgressFailure::Throttled(Some(u32::try_from(seconds).unwrap_or(u32::MAX)))
}

/// Counters stay meaningful whatever a panicking task did between two statements.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
