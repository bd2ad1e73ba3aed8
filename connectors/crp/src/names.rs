//! The names of the upstream and of the dataset in the manifest.

/// The upstream of the register.
pub const UPSTREAM: &str = "crp";
/// The dataset of published projects, the only one of this connector.
pub const DATASET: &str = "projects";
