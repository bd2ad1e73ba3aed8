//! The connector against canned answers: its parser over fixtures, its import and its section.
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
