//! The connector against canned answers: its reading over fixtures, whole imports, and the section.
#![expect(
    clippy::unwrap_used,
    reason = "a test that panics has failed, as it should"
)]

mod debts;
mod fixtures;
mod imports;
mod manifest;
mod pairs;
mod procurement;
mod recorded;
mod sections;
mod world;
