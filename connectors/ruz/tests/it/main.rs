//! The connector against canned answers: its parsers over fixtures, and whole look-ups.
#![expect(
    clippy::unwrap_used,
    reason = "a test that panics has failed, as it should"
)]

mod figures;
mod fixtures;
mod form_tables;
mod forms;
mod latest;
mod lookups;
mod manifest;
mod paging;
mod samples;
mod trouble;
mod world;
