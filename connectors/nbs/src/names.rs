//! The name of the upstream in the manifest.

/// The upstream of all lists.
pub const UPSTREAM: &str = "nbs";
