//! The connector against canned answers: its files over fixtures, its imports and its section.
#![expect(
    clippy::unwrap_used,
    reason = "a test that panics has failed, as it should"
)]

mod fixtures;
mod imports;
mod lookups;
mod manifest;
mod samples;
mod world;
