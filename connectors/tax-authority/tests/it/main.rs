//! The connector against canned answers: its parsers over fixtures, its imports and its sections.
#![expect(
    clippy::unwrap_used,
    reason = "a test that panics has failed, as it should"
)]

mod fixtures;
mod imports;
mod lookups;
mod manifest;
mod samples;
mod tax;
mod world;
