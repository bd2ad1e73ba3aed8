//! The connector against canned answers: its reading over fixtures, whole imports, and the section.
#![expect(
    clippy::unwrap_used,
    reason = "a test that panics has failed, as it should"
)]

mod fixtures;
mod imports;
mod manifest;
mod odd;
mod runs;
mod sections;
mod world;
