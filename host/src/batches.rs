//! Batches: many look-ups in one request, by number or by name.
//!
//! Every batch is stored. The host that receives a small batch processes it; larger ones are split into parts,
//! which any host may claim. A failed item becomes an entry with its reason and does not fail the part or the
//! batch. Invariants: a part is repeated only after its claim has expired, and only the newest claim may write;
//! a batch is visible only to its account.

mod item;
mod job;
mod lists;
mod matching;
mod results;
mod worker;

pub use job::{BatchState, Batches, state};
pub use lists::Resolved;
pub use matching::{Likely, Match, matching};
pub use results::{ResultsEncoding, ResultsError};
