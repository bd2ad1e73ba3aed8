//! The connector without a sandbox.
#![expect(
    clippy::unwrap_used,
    reason = "a test that panics has failed, as it should"
)]

mod catalogue;
mod fixtures;
mod imports;
mod lookups;
mod manifest;
mod world;
