//! Tests of the connector against canned answers: fixtures, imports and the section.
#![expect(
    clippy::unwrap_used,
    reason = "a test that panics has failed, as it should"
)]

mod both;
mod entries;
mod fixtures;
mod imports;
mod manifest;
mod samples;
mod sections;
mod world;
