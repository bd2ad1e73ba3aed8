//! Batches: many look-ups in one request, by number or by name.
//!
//! Every batch is stored. A small one is carried out by the host that was asked, a larger one part by part by whichever
//! hosts have time. One item that fails is one entry that says why, and neither the part nor the batch fails by it.
//! Invariants: a part is repeated only after its claim has ended, and only its newest claim writes; what is told of a
//! batch is told to its account alone.

mod item;
mod job;
mod matching;
mod results;
mod worker;

pub use job::{BatchState, Batches, state};
pub use matching::{Likely, Match, matching};
pub use results::{Form, ResultsError};
