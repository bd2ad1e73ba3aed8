//! Records of RPO, the register of legal persons, and how its interface is asked for one: what the connectors of that
//! register share. No connector by itself.
//!
//! [`record`] is what every one of them reads of a record, [`standing`] how it stands, [`answers`] reads the
//! interface's answers, [`live`] asks.

pub mod answers;
pub mod live;
pub mod record;
pub mod standing;

/// The upstream of the register's JSON interface, by which every manifest calls it.
pub const UPSTREAM: &str = "rpo";
