//! Compares two readings of a register and derives the events that the differences raise.
//!
//! Pure decisions over JSON. The store calls them in the transaction that writes the newer reading, so a
//! reading, its changes and its events are stored together or not at all. Invariants: a first reading and a
//! reading by another connector version are baselines and raise no events (except a first hit); sources that
//! could not be read are never compared; the order of a list makes no difference.

mod diff;
mod events;
mod forms;
mod guide;
mod hits;
mod lines;
mod parts;
mod quiet;
mod rules;
mod shape;
#[cfg(test)]
mod tests;
mod webhook_event;
mod wording;

pub use diff::{Change, Op, diff};
pub use guide::Guide;
pub use lines::{Line, LineChange, day, in_sentence};
pub use parts::{base_schema, company, details, section};
pub use rules::{KINDS, UPDATED, all_kinds, is_hit};
pub use shape::Shape;
pub use webhook_event::{
    ByLanguage, EventContent, WebhookChange, WebhookCompany, WebhookData, WebhookEvent,
    WebhookFinding, WebhookTaxInfo, Wording,
};
pub use wording::{Detail, Writer};
