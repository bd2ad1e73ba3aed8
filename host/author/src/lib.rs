//! The kit of a connector's author: one component, outside a running host.
//!
//! A [`bench`] loads it, calls go through the real egress and are kept in [`cassette`]s, and [`repeat`] carries them out
//! again without the network. From one cassette [`faults`] derives what a register may do wrong, and [`checks`] is the
//! conformance suite. Nothing here serves anybody; it stands beside `server`, on top of `connectors` and `store`.

pub mod bench;
pub mod call;
pub mod checks;
pub mod difference;
pub mod faults;
mod lists;
pub mod repeat;

pub use lustra_sandbox::tape::cassette;
