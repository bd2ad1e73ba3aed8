//! The author's kit: runs one component outside a running host.
//!
//! A [`bench`] loads it. Calls go through the real egress and are recorded in [`cassette`]s; [`repeat`] replays them
//! without the network. From one cassette, [`faults`] derives what a register may do wrong, and [`checks`] is the
//! conformance suite. The kit serves no clients. It uses the store and the sandbox, but not the server.

pub mod bench;
pub mod call;
pub mod checks;
pub mod difference;
pub mod faults;
mod lists;
pub mod repeat;

pub use lustra_sandbox::cassette;
