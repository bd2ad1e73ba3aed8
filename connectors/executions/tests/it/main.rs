//! The connector's tests: readers over `fixtures/`, whole look-ups and imports over the SDK's test host, the manifest.

mod fixtures;
mod imports;
mod lookups;
mod manifest;
mod samples;
mod world;
