//! A cassette's call carried out again, and what came held against what is expected.

use super::bench::{Bench, OnBench};
use super::cassette::{Cassette, masked_outcome};
use super::difference;
use lustra_sandbox::tape::replay::Replayed;
use lustra_sandbox::tape::{Outcome, Recording};

/// What a repetition came to.
pub struct Repeated {
    /// The whole of it; its outcome is without secrets.
    pub replayed: Replayed,
    /// How it differs from what is expected.
    pub difference: Option<String>,
}

impl Repeated {
    /// Whether it did what is expected and asked nothing new.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.difference.is_none() && self.replayed.unmatched.is_empty()
    }
}

/// Repeats a cassette's call.
pub async fn repeat(bench: &Bench, on_bench: &OnBench, cassette: &Cassette) -> Repeated {
    let replayed = replay(bench, on_bench, cassette, &cassette.recording, None).await;
    let difference = difference::of_outcomes(&cassette.recording.outcome, &replayed.outcome);
    Repeated {
        replayed,
        difference,
    }
}

/// Repeats a call that was derived from a cassette's, bodies in pieces of at most `chunk` bytes where that is given.
pub async fn replay(
    bench: &Bench,
    on_bench: &OnBench,
    cassette: &Cassette,
    recording: &Recording,
    chunk: Option<usize>,
) -> Replayed {
    let mut player = cassette.player(on_bench.manifest(), recording);
    player.chunk = chunk;
    let loaded = &on_bench.loaded;
    let mut replayed = loaded
        .replay_with(&bench.services, &recording.call, player)
        .await;
    let outcome = std::mem::replace(&mut replayed.outcome, Outcome::Failed(String::new()));
    replayed.outcome = masked_outcome(outcome, &cassette.mask());
    replayed
}
