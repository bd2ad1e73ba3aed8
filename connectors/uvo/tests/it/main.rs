//! Tests of the connector against canned pages: fixtures, imports and sections.
#![expect(
    clippy::unwrap_used,
    reason = "a test that panics has failed, as it should"
)]

mod authorities;
mod debarred;
mod fixtures;
mod imports;
mod manifest;
mod references;
mod samples;
mod suppliers;
mod trouble;
mod world;
