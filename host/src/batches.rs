//! Batches: many look-ups in one request, by number or by name.
//!
//! Every batch is stored. The host that receives a small batch processes it itself; parts of larger batches are claimed
//! by any host with capacity. A failed item becomes an entry with the reason; neither its part nor the batch fails.
//! Invariants: a part is repeated only after its lease has ended, and only its newest claim writes; a batch is visible
//! only to its account.

mod item;
mod job;
mod matching;
mod results;
mod worker;

pub use job::{BatchState, Batches, state};
pub use matching::{Likely, Match, matching};
pub use results::{Form, ResultsError};
