//! The decoders of a body, one on top of the other.
//!
//! A decoder takes a chunk, gives pieces of at most 64 KiB until it is hungry, and never waits, so that one piece is
//! all that ever runs between two looks of the runtime. Sizes and unpacking ratios are checked here, for every layer.

use bytes::Bytes;

use super::allowance::Allowance;
use super::failure::{EgressFailure, Refusal};

/// The largest piece that a decoder makes in one go.
pub(super) const PIECE: usize = 64 * 1024;
/// Below this size no ratio is suspicious.
const HARMLESS: u64 = 1024 * 1024;
/// Nobody packs a text more often than that.
const MOST: usize = 8;

/// What a decoder or a stack of them has.
pub(super) enum Step {
    Piece(Bytes),
    /// A decoder took input and made nothing of it yet; there is more to do.
    Working,
    /// More input, or word that there is none.
    Hungry,
    End,
}

/// One decoder.
pub(super) trait Decoder: Send {
    /// Takes input; only called when hungry.
    fn feed(&mut self, chunk: Bytes);
    /// Says that no more input comes.
    fn close(&mut self);
    /// The next piece, never an empty one.
    fn step(&mut self) -> Result<Step, EgressFailure>;
}

/// A decoder with its counts.
struct Layer {
    decoder: Box<dyn Decoder>,
    /// Whether it unpacks, so that its ratio matters.
    unpacks: bool,
    taken: u64,
    given: u64,
}

/// The decoders of one body, the last on top.
#[derive(Default)]
pub(super) struct Layers {
    layers: Vec<Layer>,
    /// What the source gave and no decoder took yet.
    inbox: Option<Bytes>,
    source_ended: bool,
}

impl Layers {
    /// Whether one more decoder fits. Asked before anything is taken from the reader.
    pub(super) fn check_room(&self) -> Result<(), Refusal> {
        if self.layers.len() >= MOST {
            return Err(Refusal::Limit {
                name: "decoders",
                limit: MOST as u64,
            });
        }
        Ok(())
    }

    /// Puts a decoder on top; `first` is what was already read from the one below.
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

    /// Takes what the source gave; none is its end.
    pub(super) fn feed(&mut self, chunk: Option<Bytes>) {
        self.source_ended |= chunk.is_none();
        self.inbox = chunk;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.layers.is_empty()
    }

    /// What the topmost layer has.
    pub(super) fn step(&mut self, allowance: &Allowance) -> Result<Step, EgressFailure> {
        pull(
            &mut self.layers,
            &mut self.inbox,
            self.source_ended,
            allowance,
        )
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
    // One chunk at a time: a stream may unpack to nothing for as long as it goes on.
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
        let most = self.taken.saturating_mul(ratio).max(HARMLESS);
        if self.unpacks && self.given > most {
            return Err(Refusal::Ratio { ratio });
        }
        allowance.check_body(self.given)
    }
}
