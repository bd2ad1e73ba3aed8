//! The connector against canned answers: its readers over fixtures, its imports and its section.
#![expect(
    clippy::unwrap_used,
    reason = "a test that panics has failed, as it should"
)]

mod fixtures;
mod foreign;
mod imports;
mod labelled;
mod lookups;
mod manifest;
#[path = "../../labelled/measure.rs"]
mod measure;
mod world;
