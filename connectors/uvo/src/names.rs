//! The name of the upstream in the manifest.

/// The upstream of the register.
pub const UPSTREAM: &str = "uvo";
