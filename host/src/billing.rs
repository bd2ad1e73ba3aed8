//! What accounts may do: keys and plans. The ledger of credits comes with charging.

mod keys;

pub use keys::{KeyText, NewKey};
