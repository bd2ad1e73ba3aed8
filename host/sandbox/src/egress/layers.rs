//! The stack of decoders of a body.
//!
//! A decoder takes one chunk and returns pieces of at most 64 KiB until it needs more input. It never waits, so the
//! task can yield after each piece. Sizes and compression ratios are checked here for every layer.

use std::time::{Duration, Instant};

use bytes::Bytes;

use super::allowance::Allowance;
use super::failure::{EgressFailure, Refusal};

/// Largest piece that a decoder returns in one step.
pub(super) const PIECE: usize = 64 * 1024;
/// Below this size the compression ratio is not checked.
const RATIO_FREE_SIZE: u64 = 1024 * 1024;
/// Decoding time after which the task yields to others.
const YIELD_AFTER: Duration = Duration::from_millis(1);
/// Most decoders on one body; more nesting has no honest use.
const MAX_LAYERS: usize = 8;

/// Result of one step of a decoder or of a stack.
pub(super) enum Step {
    Piece(Bytes),
    /// The decoder took input without producing output yet; call `step` again.
    Working,
    /// Needs more input or the end of input.
    Hungry,
    End,
}

pub(super) trait Decoder: Send {
    /// Takes input; called only after [`Step::Hungry`].
    fn feed(&mut self, chunk: Bytes);
    /// Signals the end of input.
    fn close(&mut self);
    /// The next step; a piece is never empty.
    fn step(&mut self) -> Result<Step, EgressFailure>;
}

/// A decoder with its input and output byte counts.
struct Layer {
    decoder: Box<dyn Decoder>,
    /// Whether the decoder decompresses, so that its ratio is checked.
    unpacks: bool,
    taken: u64,
    given: u64,
}

/// The decoders of one body; the last one is on top.
#[derive(Default)]
pub(super) struct Layers {
    layers: Vec<Layer>,
    /// Input from the source that no decoder has taken yet.
    inbox: Option<Bytes>,
    source_ended: bool,
    /// Time spent decoding since the task last yielded.
    decoding: Duration,
}

impl Layers {
    /// Checks that one more decoder fits. Called before anything is taken from the reader.
    pub(super) fn check_room(&self) -> Result<(), Refusal> {
        if self.layers.len() >= MAX_LAYERS {
            return Err(Refusal::Limit {
                name: "decoders",
                limit: MAX_LAYERS as u64,
            });
        }
        Ok(())
    }

    /// Puts a decoder on top; `first` holds the bytes already read from the layer below.
    pub(super) fn push(&mut self, mut decoder: Box<dyn Decoder>, unpacks: bool, first: Bytes) {
        let taken = first.len() as u64;
        if !first.is_empty() {
            decoder.feed(first);
        }
        self.layers.push(Layer {
            decoder,
            unpacks,
            taken,
            given: 0,
        });
    }

    /// Takes a chunk from the source; `None` is the end of input.
    pub(super) fn feed(&mut self, chunk: Option<Bytes>) {
        self.source_ended |= chunk.is_none();
        self.inbox = chunk;
    }

    pub(super) fn source_ended(&self) -> bool {
        self.source_ended
    }

    pub(super) fn is_empty(&self) -> bool {
        self.layers.is_empty()
    }

    /// One step of the topmost layer.
    pub(super) async fn step(&mut self, allowance: &Allowance) -> Result<Step, EgressFailure> {
        let began = Instant::now();
        let step = pull(
            &mut self.layers,
            &mut self.inbox,
            self.source_ended,
            allowance,
        )?;
        self.decoding += began.elapsed();
        // Decoders never await, so a long archive would otherwise block its thread.
        if self.decoding > YIELD_AFTER {
            self.decoding = Duration::ZERO;
            tokio::task::yield_now().await;
        }
        Ok(step)
    }
}

fn pull(
    layers: &mut [Layer],
    inbox: &mut Option<Bytes>,
    source_ended: bool,
    allowance: &Allowance,
) -> Result<Step, EgressFailure> {
    let Some((top, below)) = layers.split_last_mut() else {
        return Ok(match inbox.take() {
            Some(chunk) => Step::Piece(chunk),
            None if source_ended => Step::End,
            None => Step::Hungry,
        });
    };
    match top.decoder.step()? {
        Step::Piece(piece) => {
            top.count(piece.len() as u64, allowance)?;
            return Ok(Step::Piece(piece));
        }
        Step::End => return Ok(Step::End),
        Step::Working => return Ok(Step::Working),
        Step::Hungry => {}
    }
    // Handle one chunk per step, because a stream may unpack to nothing for a long time.
    match pull(below, inbox, source_ended, allowance)? {
        Step::Piece(chunk) => {
            top.taken += chunk.len() as u64;
            top.decoder.feed(chunk);
        }
        Step::End => top.decoder.close(),
        waits @ (Step::Working | Step::Hungry) => return Ok(waits),
    }
    Ok(Step::Working)
}

impl Layer {
    fn count(&mut self, piece: u64, allowance: &Allowance) -> Result<(), Refusal> {
        self.given += piece;
        let ratio = allowance.limits().archive_ratio;
        let most = self.taken.saturating_mul(ratio).max(RATIO_FREE_SIZE);
        if self.unpacks && self.given > most {
            return Err(Refusal::Ratio { ratio });
        }
        allowance.check_body(self.given)
    }
}
