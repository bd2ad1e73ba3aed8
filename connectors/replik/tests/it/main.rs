//! The connector's tests: fixtures, look-ups and imports with the SDK's test host.
#![expect(
    clippy::unwrap_used,
    reason = "a test that panics has failed, as it should"
)]

mod administrator_list;
mod administrator_sections;
mod fixtures;
mod imports;
mod lookups;
mod manifest;
mod samples;
mod world;
