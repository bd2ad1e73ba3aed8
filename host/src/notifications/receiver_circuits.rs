//! Circuit breaker per receiving host, in the memory of this process. Also limits the attempts in flight per
//! host and in total.
//!
//! An unresponsive host gets one attempt at a time, and none while its circuit is open. Until its first attempt has timed
//! out, a hanging host is not known as unresponsive. So each host gets only a share of the free attempts, and the share
//! shrinks as more of them hang. Deliveries that wait for a circuit use up no attempt.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::store::AttemptOutcome;

/// Consecutive failures that open a host's circuit.
const FAILURES_TO_OPEN: u32 = 5;

/// How long a circuit stays open: at first, doubled with each further failure, up to the maximum.
const FIRST_COOLDOWN: Duration = Duration::from_secs(10);
const MAX_COOLDOWN: Duration = Duration::from_secs(300);

/// A host gets at most this part of the free attempts, rounded up: one in so many. Hosts that hang and have much to
/// receive then hold about `n / (n + 8)` of all attempts, where `n` is their number (the dynamic thresholds of
/// Choudhury and Hahne for queues that share a memory).
const HOST_PART: u32 = 8;

/// Hosts kept in memory. Above this number, healthy idle hosts are dropped.
const MAX_HOSTS: usize = 50_000;

#[derive(Debug, Clone, Copy, Default)]
struct HostState {
    in_flight: u32,
    /// Consecutive attempts without an answer.
    unanswered: u32,
}

impl HostState {
    /// How many more attempts may start if `free` ones are left for all hosts, and one host gets at most `most_of_one`.
    fn room(self, free: u32, most_of_one: u32) -> u32 {
        // A host that did not answer gets a single attempt until it answers.
        let most = if self.unanswered > 0 { 1 } else { most_of_one };
        let part = free.div_ceil(HOST_PART);
        most.min(part).saturating_sub(self.in_flight)
    }
}

#[derive(Debug, Default)]
struct Hosts {
    by_endpoint: HashMap<String, HostState>,
    /// Attempts in flight over all hosts.
    in_flight: u32,
}

/// Attempts and failures per receiving host.
#[derive(Debug)]
pub struct ReceiverCircuits {
    hosts: Mutex<Hosts>,
    most: u32,
    most_of_one: u32,
}

impl ReceiverCircuits {
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

    /// How many more attempts may start for one host, if `free` ones are left for all hosts.
    pub fn free_of(&self, endpoint: &str, free: u32) -> u32 {
        let host = self.hosts().by_endpoint.get(endpoint).copied();
        host.unwrap_or_default().room(free, self.most_of_one)
    }

    /// Hosts for which no attempt may start, if `free` ones are left for all hosts.
    pub fn full_hosts(&self, free: u32) -> Vec<String> {
        let hosts = self.hosts();
        let is_full = |host: &HostState| host.room(free, self.most_of_one) == 0;
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

    /// Records the start of several attempts. They end when the result is dropped without [`BegunAttempts::keep`].
    pub fn begin_all(&self, endpoints: Vec<String>) -> BegunAttempts<'_> {
        for endpoint in &endpoints {
            self.begin(endpoint);
        }
        BegunAttempts {
            circuits: self,
            endpoints,
        }
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
        Some((FIRST_COOLDOWN * (1 << doubled)).min(MAX_COOLDOWN))
    }
}

/// Attempts that have begun and are not handed on yet. A worker that is restarted meanwhile must not leave them counted.
pub struct BegunAttempts<'a> {
    circuits: &'a ReceiverCircuits,
    endpoints: Vec<String>,
}

impl BegunAttempts<'_> {
    /// Leaves the attempts counted, because each of them records its end.
    pub fn keep(mut self) {
        self.endpoints.clear();
    }
}

impl Drop for BegunAttempts<'_> {
    fn drop(&mut self) {
        for endpoint in &self.endpoints {
            self.circuits.end(endpoint, AttemptOutcome::Unknown);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unresponsive_host_gets_one_attempt_then_none() {
        let receivers = ReceiverCircuits::new(1_000, 16);
        let free_of = |endpoint| receivers.free_of(endpoint, receivers.free_total());
        assert_eq!(free_of("a"), 16);
        for _ in 0..16 {
            receivers.begin("a");
        }
        assert_eq!((free_of("a"), receivers.free_total()), (0, 984));
        assert_eq!(receivers.full_hosts(984), ["a"]);
        let cooldowns: Vec<Option<Duration>> = (0..16)
            .map(|_| receivers.end("a", AttemptOutcome::Timeout))
            .collect();
        assert_eq!(cooldowns[..4], [None; 4]);
        let seconds: Vec<u64> = cooldowns
            .into_iter()
            .flatten()
            .map(|cooldown| cooldown.as_secs())
            .collect();
        assert_eq!(seconds[..6], [10, 20, 40, 80, 160, 300]);
        assert_eq!((free_of("a"), free_of("b")), (1, 16));
        receivers.begin("a");
        assert_eq!(
            receivers.end("a", AttemptOutcome::HttpError),
            None,
            "it answered"
        );
        assert_eq!(free_of("a"), 16);
    }

    /// Starts attempts for these hosts in turn until none of them may start another one. No attempt ends.
    fn fill(receivers: &ReceiverCircuits, hosts: u32) {
        loop {
            let mut started = false;
            for host in 0..hosts {
                let endpoint = format!("hanging {host}");
                if receivers.free_of(&endpoint, receivers.free_total()) > 0 {
                    receivers.begin(&endpoint);
                    started = true;
                }
            }
            if !started {
                return;
            }
        }
    }

    #[test]
    fn hanging_hosts_leave_attempts_for_others() {
        for (hanging, least) in [(1, 16), (10, 16), (50, 8), (100, 4), (300, 1)] {
            let receivers = ReceiverCircuits::new(512, 16);
            fill(&receivers, hanging);
            let free = receivers.free_total();
            let others = receivers.free_of("another", free).min(free);
            assert!(others >= least, "{hanging} hosts hang: {others} of {free}");
        }
    }

    #[test]
    fn host_gets_an_attempt_of_a_small_total() {
        for most in 1..=HOST_PART {
            assert_eq!(
                ReceiverCircuits::new(most, 16).free_of("a", most),
                1,
                "{most}"
            );
        }
        assert_eq!(ReceiverCircuits::new(1, 16).free_of("a", 0), 0);
    }
}
