//! Circuit breakers: one for each upstream address, shared by all connectors of this process.
//!
//! A request with its retries and redirects counts once. It fails on no connection, a timeout, a truncated body or a
//! status from 500 up. A response with `Retry-After` starts a cooldown instead. Thresholds and times are those of a
//! connector's own breaker. While one probe tests whether an upstream works again, other requests wait for its outcome;
//! if it ends without one, the next request is the probe.
//! Invariant: a request that is refused here was not sent and is not counted.

use std::time::Duration;

use time::OffsetDateTime;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

use super::failure::EgressFailure;
use crate::breaker::{Breaker, BreakerState, OpenCircuit, Permit};
use crate::clock::Clock;

/// Circuit breaker of one upstream address.
#[derive(Debug)]
pub(super) struct UpstreamCircuit {
    breaker: Breaker,
    clock: Clock,
    /// Wakes the requests that wait for a probe's outcome.
    ended: Notify,
}

impl UpstreamCircuit {
    pub(super) fn new(clock: Clock) -> Self {
        Self {
            breaker: Breaker::default(),
            clock,
            ended: Notify::default(),
        }
    }

    /// Refuses while the circuit is open, before the request enters the queue. A half-open circuit lets requests in.
    pub(super) fn ensure_closed(&self, label: &str) -> Result<(), EgressFailure> {
        match self.state() {
            BreakerState::Open(open) => Err(circuit_open(label, open)),
            BreakerState::Closed | BreakerState::HalfOpen => Ok(()),
        }
    }

    /// Begins a request. While a probe is under way, waits for its outcome first, for at most `max_wait`. If the
    /// request is dropped without an outcome after at least `enough`, it counts as failed.
    pub(super) async fn begin_request<'a>(
        &'a self,
        label: &'a str,
        enough: Duration,
        max_wait: Duration,
    ) -> Result<RequestInCircuit<'a>, EgressFailure> {
        let permitted = timeout(max_wait, self.permitted(label));
        let probe = permitted.await.unwrap_or_else(|_elapsed| {
            let why = format!("{label}: it is not yet known whether the upstream works again");
            Err(EgressFailure::Unavailable(why))
        })?;
        Ok(RequestInCircuit {
            circuit: self,
            label,
            since: Instant::now(),
            enough,
            probe,
            ended: false,
        })
    }

    /// Waits until a request may begin. If it is the probe, returns since when.
    async fn permitted(&self, label: &str) -> Result<Option<OffsetDateTime>, EgressFailure> {
        loop {
            let mut ended = std::pin::pin!(self.ended.notified());
            // Subscribe before asking for a permit, so that no wake-up is missed.
            ended.as_mut().enable();
            let open = match self.breaker.permit(self.clock.now()) {
                Permit::Closed => return Ok(None),
                Permit::Probe(since) => return Ok(Some(since)),
                Permit::Open(open) => open,
            };
            match self.state() {
                BreakerState::HalfOpen => ended.await,
                BreakerState::Closed => {}
                BreakerState::Open(_) => return Err(circuit_open(label, open)),
            }
        }
    }

    /// Records a failure; logs a warning when it opens the circuit.
    pub(super) fn failed(&self, label: &str) {
        if self.breaker.failed(self.clock.now())
            && let BreakerState::Open(open) = self.state()
        {
            tracing::warn!("{label}: {open}");
        }
    }

    pub(super) fn state(&self) -> BreakerState {
        self.breaker.state(self.clock.now())
    }
}

fn circuit_open(label: &str, open: OpenCircuit) -> EgressFailure {
    EgressFailure::Unavailable(format!("{label}: {open}"))
}

/// The outcome of a request for the circuit breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UpstreamOutcome {
    /// The upstream sent a response.
    Answered,
    /// There was no usable response.
    Failed,
    /// Says nothing about the upstream: a limit or grant of the host, or a cooldown.
    Neither,
}

/// A request that is under way, until its outcome is recorded.
#[derive(Debug)]
pub(super) struct RequestInCircuit<'a> {
    circuit: &'a UpstreamCircuit,
    label: &'a str,
    since: Instant,
    enough: Duration,
    /// When it began, if it is the probe.
    probe: Option<OffsetDateTime>,
    ended: bool,
}

impl RequestInCircuit<'_> {
    pub(super) fn end(mut self, outcome: UpstreamOutcome) {
        self.record(outcome);
    }

    fn record(&mut self, outcome: UpstreamOutcome) {
        self.ended = true;
        match outcome {
            UpstreamOutcome::Answered => self.circuit.breaker.succeeded(self.circuit.clock.now()),
            UpstreamOutcome::Failed => self.circuit.failed(self.label),
            UpstreamOutcome::Neither => {
                if let Some(since) = self.probe {
                    self.circuit.breaker.probe_ended_without_outcome(since);
                }
            }
        }
    }
}

impl Drop for RequestInCircuit<'_> {
    /// A call that times out drops its request. Only a request that took at least `enough` counts as failed; a shorter
    /// wait is the caller's own deadline.
    fn drop(&mut self) {
        if !self.ended {
            self.record(if self.since.elapsed() >= self.enough {
                UpstreamOutcome::Failed
            } else {
                UpstreamOutcome::Neither
            });
        }
        self.circuit.ended.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI64, Ordering};

    use super::*;

    const ENOUGH: Duration = Duration::from_secs(5);

    /// An upstream's circuit, with the seconds of its clock.
    fn circuit() -> (UpstreamCircuit, Arc<AtomicI64>) {
        let seconds = Arc::new(AtomicI64::new(1_800_000_000));
        let read = Arc::clone(&seconds);
        let clock = Clock::from_fn(move || {
            OffsetDateTime::from_unix_timestamp(read.load(Ordering::SeqCst))
                .expect("it is in this century")
        });
        (UpstreamCircuit::new(clock), seconds)
    }

    async fn begin(circuit: &UpstreamCircuit) -> Result<RequestInCircuit<'_>, EgressFailure> {
        circuit.ensure_closed("register /x")?;
        circuit.begin_request("register /x", ENOUGH, ENOUGH).await
    }

    async fn request(
        circuit: &UpstreamCircuit,
        outcome: UpstreamOutcome,
    ) -> Result<(), EgressFailure> {
        begin(circuit).await.map(|request| request.end(outcome))
    }

    #[tokio::test(start_paused = true)]
    async fn five_failures_open_circuit_and_one_probe_closes_it() {
        let (circuit, seconds) = circuit();
        for _ in 0..5 {
            assert_eq!(request(&circuit, UpstreamOutcome::Failed).await, Ok(()));
        }
        let refused = request(&circuit, UpstreamOutcome::Answered).await;
        assert_eq!(
            refused.expect_err("the circuit is open").to_string(),
            "unavailable: register /x: circuit open until 2027-01-15T08:00:30Z, after 5 failures"
        );
        seconds.fetch_add(30, Ordering::SeqCst);
        let probe = begin(&circuit).await.expect("one may try");
        let (other, ()) = tokio::join!(request(&circuit, UpstreamOutcome::Answered), async {
            tokio::task::yield_now().await;
            probe.end(UpstreamOutcome::Failed);
        });
        assert!(other.is_err(), "who waited for it learns that it failed");
        seconds.fetch_add(59, Ordering::SeqCst);
        assert!(
            request(&circuit, UpstreamOutcome::Answered).await.is_err(),
            "twice as long"
        );
        seconds.fetch_add(1, Ordering::SeqCst);
        let probe = begin(&circuit).await.expect("one may try");
        assert!(
            request(&circuit, UpstreamOutcome::Answered).await.is_err(),
            "no request waits for ever"
        );
        let (other, ()) = tokio::join!(request(&circuit, UpstreamOutcome::Answered), async {
            tokio::task::yield_now().await;
            probe.end(UpstreamOutcome::Answered);
        });
        assert_eq!(other, Ok(()), "and who waited for one that worked goes on");
        assert_eq!(circuit.state(), BreakerState::Closed);
    }

    #[tokio::test(start_paused = true)]
    async fn probe_without_outcome_lets_next_request_probe() {
        let (circuit, seconds) = circuit();
        for _ in 0..5 {
            assert_eq!(request(&circuit, UpstreamOutcome::Failed).await, Ok(()));
        }
        seconds.fetch_add(30, Ordering::SeqCst);
        let began = Instant::now();
        for is_dropped in [false, true] {
            let probe = begin(&circuit).await.expect("one may try");
            let (other, ()) = tokio::join!(request(&circuit, UpstreamOutcome::Neither), async {
                tokio::task::yield_now().await;
                if is_dropped {
                    drop(probe);
                } else {
                    probe.end(UpstreamOutcome::Neither);
                }
            });
            assert_eq!(other, Ok(()), "the request that waited is sent");
        }
        assert_eq!(began.elapsed(), Duration::ZERO, "no request waited longer");
        assert!(matches!(circuit.state(), BreakerState::HalfOpen));
        assert_eq!(request(&circuit, UpstreamOutcome::Answered).await, Ok(()));
        assert_eq!(circuit.state(), BreakerState::Closed);
    }

    #[tokio::test]
    async fn own_refusals_do_not_open_circuit() {
        let (circuit, _) = circuit();
        for _ in 0..50 {
            assert_eq!(request(&circuit, UpstreamOutcome::Neither).await, Ok(()));
        }
        assert_eq!(circuit.state(), BreakerState::Closed);
    }

    #[tokio::test(start_paused = true)]
    async fn dropped_request_fails_only_after_long_wait() {
        let (circuit, _) = circuit();
        for (waited, state) in [
            (ENOUGH - Duration::from_millis(1), "Closed"),
            (ENOUGH, "Open"),
        ] {
            let mut requests = Vec::new();
            for _ in 0..5 {
                requests.push(begin(&circuit).await.expect("it is closed"));
            }
            tokio::time::advance(waited).await;
            drop(requests);
            assert!(format!("{:?}", circuit.state()).starts_with(state));
        }
    }
}
