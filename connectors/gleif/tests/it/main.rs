//! The connector against canned answers: its reading over fixtures, and whole calls.
#![expect(
    clippy::unwrap_used,
    reason = "a test that panics has failed, as it should"
)]

mod asking;
mod fixtures;
mod manifest;
mod samples;
mod trouble;
mod world;
