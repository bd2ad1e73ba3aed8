//! The connector's tests: its reader over `fixtures/`, whole look-ups over the SDK's test host, the manifest.
#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

mod fixtures;
mod lookups;
mod manifest;
mod samples;
mod support;
