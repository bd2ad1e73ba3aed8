//! What differs between two readings of a register, and which events that raises.
//!
//! Pure decisions over JSON: the store calls them inside the transaction that writes the newer reading, so that a
//! reading, its changes and its events are kept together or not at all. Invariants: the first reading and a reading by
//! another version of the connector are baselines, of which nobody is told (a first hit apart); what could not be read
//! is never compared; and the order of a list is no difference.

mod diff;
mod events;
mod forms;
mod guide;
mod hits;
mod language;
mod lines;
mod parts;
mod quiet;
mod rules;
mod shape;
#[cfg(test)]
mod tests;
mod wording;

pub use diff::{Change, Op, diff};
pub use events::{LINES, PART};
pub use language::Language;
pub use lines::{Happened, Line, day, in_sentence};
pub use parts::{company, details, section};
pub use rules::{KINDS, UPDATED, When};
pub use shape::{Shape, VOLATILE};
