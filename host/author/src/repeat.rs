//! Replays a cassette's call and compares the outcome with the expected one.

use super::bench::{Bench, OnBench};
use super::cassette::{Cassette, masked_outcome};
use super::difference;
use lustra_sandbox::recording::{CallOutcome, Recording};
use lustra_sandbox::replay::Replayed;

/// Result of a replay.
pub struct Repeated {
    /// The replay; its outcome has secrets masked.
    pub replayed: Replayed,
    /// Difference from the expected outcome.
    pub difference: Option<String>,
}

impl Repeated {
    /// Whether the outcome is as expected and all requests were recorded.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.difference.is_none() && self.replayed.unmatched.is_empty()
    }
}

/// Replays a cassette's call.
pub async fn repeat(bench: &Bench, on_bench: &OnBench, cassette: &Cassette) -> Repeated {
    let replayed = replay(bench, on_bench, cassette, &cassette.recording, None).await;
    let difference = difference::of_outcomes(&cassette.recording.outcome, &replayed.outcome);
    Repeated {
        replayed,
        difference,
    }
}

/// Replays a call that was derived from a cassette's, with bodies in pieces of at most `chunk` bytes if given.
pub async fn replay(
    bench: &Bench,
    on_bench: &OnBench,
    cassette: &Cassette,
    recording: &Recording,
    chunk: Option<usize>,
) -> Replayed {
    let mut replayer = cassette.replayer(on_bench.manifest(), recording);
    replayer.chunk = chunk;
    let loaded = &on_bench.loaded;
    let mut replayed = loaded
        .replay_with(&bench.services, &recording.call, replayer)
        .await;
    let outcome = std::mem::replace(&mut replayed.outcome, CallOutcome::Failed(String::new()));
    replayed.outcome = masked_outcome(outcome, &cassette.mask());
    replayed
}
