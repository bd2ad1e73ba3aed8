//! The connector's tests: parsers over `fixtures/`, whole imports and whole look-ups over the SDK's test host.

mod fixtures;
mod imports;
mod lookups;
mod manifest;
mod samples;
mod since;
mod world;
