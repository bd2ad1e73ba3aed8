//! Records of RPO, the register of legal persons, and requests to its interface. The connectors of that register share
//! this crate. It is not a connector itself.
//!
//! [`record`] holds what all of them read of a record, [`status`] whether its company exists, [`preference`] its rank
//! among the records of one IČO. [`answers`] reads the interface's answers, [`live`] sends requests.

pub mod answers;
pub mod live;
mod names;
pub mod preference;
pub mod record;
pub mod status;

pub use names::UPSTREAM;
