//! The connector against canned answers: its parsers over fixtures, its imports and its sections.
#![expect(
    clippy::unwrap_used,
    reason = "a test that panics has failed, as it should"
)]

mod corrections;
mod fixtures;
mod imports;
mod imports_resumed;
mod lookups;
mod manifest;
mod missing_issues;
mod samples;
mod world;
