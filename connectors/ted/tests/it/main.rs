//! Tests of the connector against canned answers: fixtures and whole calls.
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
