//! The name of the upstream in the manifest.

/// The upstream of the register's JSON interface, under its name in every manifest.
pub const UPSTREAM: &str = "rpo";
