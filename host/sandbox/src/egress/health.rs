//! Whether an upstream address is worth asking: a breaker for each, shared by all connectors of this process.
//!
//! What counts is a request as a whole, with its retries and redirects: no connection, no answer in time, a body that
//! broke off, a status from 500 up. A register that says when to come back has its hold instead. The breaker's numbers
//! and times are those of a connector's own.
//! While one request tries whether a rested upstream works again, the others wait for what becomes of it.
//! Invariant: what is refused here was not sent and is not counted as a request.

use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

use super::failure::EgressFailure;
use crate::breaker::{Breaker, BreakerState, Permit};
use crate::clock::{Clock, rfc3339};

/// How an upstream address did lately.
#[derive(Debug)]
pub(super) struct Health {
    breaker: Breaker,
    clock: Clock,
    /// Tells those who wait for a probe that a request ended.
    ended: Notify,
}

impl Health {
    pub(super) fn new(clock: Clock) -> Self {
        Self {
            breaker: Breaker::default(),
            clock,
            ended: Notify::default(),
        }
    }

    /// Refuses while the upstream rests, before anybody stands in its queue.
    pub(super) fn look(&self, label: &str) -> Result<(), EgressFailure> {
        match self.state() {
            BreakerState::Open(until) => Err(resting(label, until)),
            BreakerState::Closed | BreakerState::HalfOpen => Ok(()),
        }
    }

    /// Begins a request, after a rest behind the one that tries. Dropped before its end it counts as failed when it was
    /// under way for `enough`.
    pub(super) async fn ask<'a>(
        &'a self,
        label: &'a str,
        enough: Duration,
        patience: Duration,
    ) -> Result<Asking<'a>, EgressFailure> {
        match timeout(patience, self.permitted(label)).await {
            Ok(permitted) => permitted?,
            Err(_elapsed) => {
                let why = format!("{label}: it is not yet known whether the upstream works again");
                return Err(EgressFailure::Unavailable(why));
            }
        }
        Ok(Asking {
            health: self,
            label,
            since: Instant::now(),
            enough,
            ended: false,
        })
    }

    async fn permitted(&self, label: &str) -> Result<(), EgressFailure> {
        loop {
            let mut ended = std::pin::pin!(self.ended.notified());
            // Before it is asked, or an end in between would be missed.
            ended.as_mut().enable();
            let Permit::Open(until) = self.breaker.permit(self.clock.now()) else {
                return Ok(());
            };
            match self.state() {
                BreakerState::HalfOpen => ended.await,
                BreakerState::Closed => {}
                BreakerState::Open(_) => return Err(resting(label, until)),
            }
        }
    }

    /// Books a failure; a warning when the upstream rests from now on.
    pub(super) fn failed(&self, label: &str) {
        if self.breaker.failed(self.clock.now())
            && let BreakerState::Open(until) = self.state()
        {
            let until = rfc3339(until);
            tracing::warn!(
                "{label}: the upstream failed too often and is left alone until {until}"
            );
        }
    }

    pub(super) fn state(&self) -> BreakerState {
        self.breaker.state(self.clock.now())
    }
}

fn resting(label: &str, until: time::OffsetDateTime) -> EgressFailure {
    let until = rfc3339(until);
    EgressFailure::Unavailable(format!(
        "{label}: the upstream failed too often and is left alone until {until}"
    ))
}

/// What became of a request, as far as the upstream's health goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The upstream answered.
    Answered,
    /// It was of no use.
    Failed,
    /// Says nothing of the upstream: a limit or grant of ours, or it has a hold.
    Neither,
}

/// A request under way.
#[derive(Debug)]
pub(super) struct Asking<'a> {
    health: &'a Health,
    label: &'a str,
    since: Instant,
    enough: Duration,
    ended: bool,
}

impl Asking<'_> {
    /// Books the outcome.
    pub(super) fn end(mut self, outcome: Outcome) {
        self.ended = true;
        match outcome {
            Outcome::Answered => self.health.breaker.succeeded(self.health.clock.now()),
            Outcome::Failed => self.health.failed(self.label),
            Outcome::Neither => {}
        }
    }
}

impl Drop for Asking<'_> {
    /// A call that ran out of time is dropped while it waits. A short wait is the caller's own impatience.
    fn drop(&mut self) {
        if !self.ended && self.since.elapsed() >= self.enough {
            self.health.failed(self.label);
        }
        self.health.ended.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI64, Ordering};

    use time::OffsetDateTime;

    use super::*;

    const ENOUGH: Duration = Duration::from_secs(5);

    /// An upstream's health and the seconds of its clock.
    fn health() -> (Health, Arc<AtomicI64>) {
        let seconds = Arc::new(AtomicI64::new(1_800_000_000));
        let read = Arc::clone(&seconds);
        let clock = Clock::from_fn(move || {
            OffsetDateTime::from_unix_timestamp(read.load(Ordering::SeqCst))
                .expect("it is in this century")
        });
        (Health::new(clock), seconds)
    }

    async fn begin(health: &Health) -> Result<Asking<'_>, EgressFailure> {
        health.look("register /x")?;
        health.ask("register /x", ENOUGH, ENOUGH).await
    }

    async fn ask(health: &Health, outcome: Outcome) -> Result<(), EgressFailure> {
        begin(health).await.map(|asking| asking.end(outcome))
    }

    #[tokio::test(start_paused = true)]
    async fn five_failures_close_the_way_and_one_probe_opens_it() {
        let (health, seconds) = health();
        for _ in 0..5 {
            assert_eq!(ask(&health, Outcome::Failed).await, Ok(()));
        }
        let refused = ask(&health, Outcome::Answered).await;
        assert_eq!(
            refused.expect_err("it rests").to_string(),
            "unavailable: register /x: the upstream failed too often and is left alone until 2027-01-15T08:00:30Z"
        );
        seconds.fetch_add(30, Ordering::SeqCst);
        let probe = begin(&health).await.expect("one may try");
        let (other, ()) = tokio::join!(ask(&health, Outcome::Answered), async {
            tokio::task::yield_now().await;
            probe.end(Outcome::Failed);
        });
        assert!(other.is_err(), "who waited for it learns that it failed");
        seconds.fetch_add(59, Ordering::SeqCst);
        assert!(
            ask(&health, Outcome::Answered).await.is_err(),
            "twice as long"
        );
        seconds.fetch_add(1, Ordering::SeqCst);
        let probe = begin(&health).await.expect("one may try");
        assert!(
            ask(&health, Outcome::Answered).await.is_err(),
            "nobody waits for ever"
        );
        let (other, ()) = tokio::join!(ask(&health, Outcome::Answered), async {
            tokio::task::yield_now().await;
            probe.end(Outcome::Answered);
        });
        assert_eq!(other, Ok(()), "and who waited for one that worked goes on");
        assert_eq!(health.state(), BreakerState::Closed);
    }

    #[tokio::test]
    async fn our_own_refusals_say_nothing_of_an_upstream() {
        let (health, _) = health();
        for _ in 0..50 {
            assert_eq!(ask(&health, Outcome::Neither).await, Ok(()));
        }
        assert_eq!(health.state(), BreakerState::Closed);
    }

    #[tokio::test(start_paused = true)]
    async fn who_gave_up_counts_only_after_a_while() {
        let (health, _) = health();
        for (waited, state) in [
            (ENOUGH - Duration::from_millis(1), "Closed"),
            (ENOUGH, "Open"),
        ] {
            let mut asking = Vec::new();
            for _ in 0..5 {
                asking.push(begin(&health).await.expect("it is closed"));
            }
            tokio::time::advance(waited).await;
            drop(asking);
            assert!(format!("{:?}", health.state()).starts_with(state));
        }
    }
}
