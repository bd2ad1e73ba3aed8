//! No code: the manifest is the crate.
