//! A few of the newest calls of one connector, in memory, for the shadow check of its next version.
//!
//! Bounded three ways: calls a scope, bytes a call, and one call in some once there are enough. Nothing of it is ever
//! written down or shown: it holds what registers said about companies.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Recording;

/// Once a scope has enough, every so many calls one takes the oldest's place.
const ONE_IN: u32 = 16;

/// The sample of a connector. It outlives generations.
#[derive(Debug)]
pub struct Sample {
    calls: usize,
    bytes: usize,
    turn: AtomicU32,
    kept: Mutex<BTreeMap<String, VecDeque<Recording>>>,
}

impl Sample {
    /// A sample of so many calls for each scope, each of at most so many bytes. No calls: nothing is ever kept.
    #[must_use]
    pub fn new(calls: usize, bytes: usize) -> Self {
        Self {
            calls,
            bytes,
            turn: AtomicU32::new(0),
            kept: Mutex::default(),
        }
    }

    /// Whether the call that starts now should be recorded, and with how many bytes at most.
    #[must_use]
    pub fn wants(&self, name: &str) -> Option<usize> {
        if self.calls == 0 {
            return None;
        }
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        let few = turn.is_multiple_of(ONE_IN)
            || self
                .lock()
                .get(name)
                .is_none_or(|kept| kept.len() < self.calls);
        few.then_some(self.bytes)
    }

    /// Keeps a call in the oldest's place.
    pub fn keep(&self, recording: Recording) {
        let mut kept = self.lock();
        let of_scope = kept.entry(recording.call.name().to_owned()).or_default();
        of_scope.push_back(recording);
        while of_scope.len() > self.calls {
            of_scope.pop_front();
        }
    }

    /// All that is kept, oldest first within a scope.
    #[must_use]
    pub fn recordings(&self) -> Vec<Recording> {
        self.lock().values().flatten().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, VecDeque<Recording>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
