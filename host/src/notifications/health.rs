//! Circuit breaker per receiving host, in the memory of this process. Also limits the attempts in flight per
//! host and in total.
//!
//! An unresponsive host gets one attempt at a time, and none while its circuit is open, so that it cannot block
//! deliveries to others. Deliveries that wait for a circuit use up no attempt.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::store::AttemptOutcome;

/// Consecutive failures that open a host's circuit.
const FAILURES_TO_OPEN: u32 = 5;

/// How long a circuit stays open: at first, doubled with each further failure, up to the maximum.
const FIRST_COOLDOWN: Duration = Duration::from_secs(10);
const LONGEST_COOLDOWN: Duration = Duration::from_secs(300);

/// Hosts kept in memory. Above this number, healthy idle hosts are dropped.
const MAX_HOSTS: usize = 50_000;

#[derive(Debug, Clone, Copy, Default)]
struct HostState {
    in_flight: u32,
    /// Consecutive attempts without an answer.
    unanswered: u32,
}

#[derive(Debug, Default)]
struct Hosts {
    by_endpoint: HashMap<String, HostState>,
    /// Attempts in flight over all hosts.
    in_flight: u32,
}

/// Attempts and failures per receiving host.
#[derive(Debug)]
pub struct Health {
    hosts: Mutex<Hosts>,
    most: u32,
    most_of_one: u32,
}

impl Health {
    /// Allows `most` attempts in flight in total, and `most_of_one` per host.
    pub fn new(most: u32, most_of_one: u32) -> Self {
        Self {
            hosts: Mutex::default(),
            most,
            most_of_one,
        }
    }

    fn hosts(&self) -> std::sync::MutexGuard<'_, Hosts> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many more attempts may start.
    pub fn free_total(&self) -> u32 {
        self.most.saturating_sub(self.hosts().in_flight)
    }

    /// How many more attempts may start for one host.
    pub fn free_of(&self, endpoint: &str) -> u32 {
        let host = self
            .hosts()
            .by_endpoint
            .get(endpoint)
            .copied()
            .unwrap_or_default();
        // A host that did not answer gets a single attempt until it answers.
        let most = if host.unanswered > 0 {
            1
        } else {
            self.most_of_one
        };
        most.saturating_sub(host.in_flight)
    }

    /// Hosts for which no attempt may start.
    pub fn full_hosts(&self) -> Vec<String> {
        let hosts = self.hosts();
        let is_full = |host: &HostState| {
            let most = if host.unanswered > 0 {
                1
            } else {
                self.most_of_one
            };
            host.in_flight >= most
        };
        let full = hosts.by_endpoint.iter().filter(|(_, host)| is_full(host));
        full.map(|(endpoint, _)| endpoint.clone()).collect()
    }

    /// Records the start of an attempt.
    pub fn begin(&self, endpoint: &str) {
        let mut hosts = self.hosts();
        if hosts.by_endpoint.len() > MAX_HOSTS {
            let is_in_use = |host: &HostState| host.in_flight > 0 || host.unanswered > 0;
            hosts.by_endpoint.retain(|_, host| is_in_use(host));
        }
        hosts.in_flight += 1;
        hosts
            .by_endpoint
            .entry(endpoint.to_owned())
            .or_default()
            .in_flight += 1;
    }

    /// Records the end of an attempt. `Some` opens the host's circuit for that long.
    pub fn end(&self, endpoint: &str, outcome: AttemptOutcome) -> Option<Duration> {
        let mut hosts = self.hosts();
        hosts.in_flight = hosts.in_flight.saturating_sub(1);
        let host = hosts.by_endpoint.entry(endpoint.to_owned()).or_default();
        host.in_flight = host.in_flight.saturating_sub(1);
        let is_unresponsive = match outcome {
            AttemptOutcome::Timeout
            | AttemptOutcome::Connect
            | AttemptOutcome::Dns
            | AttemptOutcome::Reset
            | AttemptOutcome::Tls => true,
            AttemptOutcome::Success
            | AttemptOutcome::HttpError
            | AttemptOutcome::Blocked
            | AttemptOutcome::Refused
            | AttemptOutcome::Unknown => false,
        };
        if !is_unresponsive {
            host.unanswered = 0;
            return None;
        }
        host.unanswered = host.unanswered.saturating_add(1);
        let doubled = host.unanswered.checked_sub(FAILURES_TO_OPEN)?.min(10);
        Some((FIRST_COOLDOWN * (1 << doubled)).min(LONGEST_COOLDOWN))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unresponsive_host_gets_one_attempt_then_none() {
        let health = Health::new(100, 16);
        assert_eq!(health.free_of("a"), 16);
        for _ in 0..16 {
            health.begin("a");
        }
        assert_eq!((health.free_of("a"), health.free_total()), (0, 84));
        assert_eq!(health.full_hosts(), ["a"]);
        let cooldowns: Vec<Option<Duration>> = (0..16)
            .map(|_| health.end("a", AttemptOutcome::Timeout))
            .collect();
        assert_eq!(cooldowns[..4], [None; 4]);
        let seconds: Vec<u64> = cooldowns
            .into_iter()
            .flatten()
            .map(|cooldown| cooldown.as_secs())
            .collect();
        assert_eq!(seconds[..6], [10, 20, 40, 80, 160, 300]);
        assert_eq!((health.free_of("a"), health.free_of("b")), (1, 16));
        health.begin("a");
        assert_eq!(
            health.end("a", AttemptOutcome::HttpError),
            None,
            "it answered"
        );
        assert_eq!(health.free_of("a"), 16);
    }
}
