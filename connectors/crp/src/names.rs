//! The names of the upstream and of the dataset in the manifest.

/// The upstream of the register.
pub const UPSTREAM: &str = "crp";
/// The only dataset.
pub const DATASET: &str = "projects";
