//! How the hosts of receivers are, as this host of ours sees them: how much is under way at each, and which are left
//! alone for a while.
//!
//! A receiver that hangs gets one attempt at a time and then none for a while, so that what waits for others is not
//! held up. What it misses meanwhile uses up no attempt.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::store::Outcome;

/// Failures in a row from which a host is left alone.
const PATIENCE: u32 = 5;

/// The first rest, doubled with each failure after it, and the longest.
const REST: Duration = Duration::from_secs(10);
const LONGEST_REST: Duration = Duration::from_secs(300);

/// Hosts that are remembered; of more, those that are well are forgotten.
const REMEMBERED: usize = 50_000;

#[derive(Debug, Clone, Copy, Default)]
struct Of {
    under_way: u32,
    /// Attempts in a row that were not answered.
    unanswered: u32,
}

#[derive(Debug, Default)]
struct Hosts {
    of: HashMap<String, Of>,
    /// At all of them together.
    under_way: u32,
}

/// The hosts of receivers.
#[derive(Debug)]
pub struct Health {
    hosts: Mutex<Hosts>,
    most: u32,
    most_of_one: u32,
}

impl Health {
    /// With so many attempts under way at most, and of one host.
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

    /// How many more attempts may begin.
    pub fn free(&self) -> u32 {
        self.most.saturating_sub(self.hosts().under_way)
    }

    /// How many more may begin at one host.
    pub fn room(&self, endpoint: &str) -> u32 {
        let host = self.hosts().of.get(endpoint).copied().unwrap_or_default();
        // One that did not answer has to answer once before it gets more.
        let most = if host.unanswered > 0 {
            1
        } else {
            self.most_of_one
        };
        most.saturating_sub(host.under_way)
    }

    /// The hosts at which none may begin.
    pub fn full(&self) -> Vec<String> {
        let hosts = self.hosts();
        let is_full = |host: &Of| {
            let most = if host.unanswered > 0 {
                1
            } else {
                self.most_of_one
            };
            host.under_way >= most
        };
        let full = hosts.of.iter().filter(|(_, host)| is_full(host));
        full.map(|(endpoint, _)| endpoint.clone()).collect()
    }

    /// An attempt begins.
    pub fn begin(&self, endpoint: &str) {
        let mut hosts = self.hosts();
        if hosts.of.len() > REMEMBERED {
            let matters = |host: &Of| host.under_way > 0 || host.unanswered > 0;
            hosts.of.retain(|_, host| matters(host));
        }
        hosts.under_way += 1;
        hosts.of.entry(endpoint.to_owned()).or_default().under_way += 1;
    }

    /// An attempt ended so. Some: the host is to be left alone for this time.
    pub fn end(&self, endpoint: &str, outcome: Outcome) -> Option<Duration> {
        let mut hosts = self.hosts();
        hosts.under_way = hosts.under_way.saturating_sub(1);
        let host = hosts.of.entry(endpoint.to_owned()).or_default();
        host.under_way = host.under_way.saturating_sub(1);
        let is_silent = match outcome {
            Outcome::Timeout | Outcome::Connect | Outcome::Dns | Outcome::Reset | Outcome::Tls => {
                true
            }
            Outcome::Success
            | Outcome::HttpError
            | Outcome::Blocked
            | Outcome::Refused
            | Outcome::Unknown => false,
        };
        if !is_silent {
            host.unanswered = 0;
            return None;
        }
        host.unanswered = host.unanswered.saturating_add(1);
        let doubled = host.unanswered.checked_sub(PATIENCE)?.min(10);
        Some((REST * (1 << doubled)).min(LONGEST_REST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_that_does_not_answer_gets_one_attempt_at_a_time_and_then_rests() {
        let health = Health::new(100, 16);
        assert_eq!(health.room("a"), 16);
        for _ in 0..16 {
            health.begin("a");
        }
        assert_eq!((health.room("a"), health.free()), (0, 84));
        assert_eq!(health.full(), ["a"]);
        let rests: Vec<Option<Duration>> =
            (0..16).map(|_| health.end("a", Outcome::Timeout)).collect();
        assert_eq!(rests[..4], [None; 4]);
        let seconds: Vec<u64> = rests
            .into_iter()
            .flatten()
            .map(|rest| rest.as_secs())
            .collect();
        assert_eq!(seconds[..6], [10, 20, 40, 80, 160, 300]);
        assert_eq!((health.room("a"), health.room("b")), (1, 16));
        health.begin("a");
        assert_eq!(health.end("a", Outcome::HttpError), None, "it answered");
        assert_eq!(health.room("a"), 16);
    }
}
