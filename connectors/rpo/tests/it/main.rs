//! The connector's tests: parsers over `fixtures/`, whole imports and whole look-ups over the SDK's test host.

mod common;
mod fixtures;
mod import;
mod import_out_of_order;
mod look_up;
mod manifest;
mod samples;
mod scope;
mod scope_gaps;
mod scope_support;
