//! The names of the upstream and of the dataset in the manifest.

/// The dataset that both scopes are made from.
pub const DATASET: &str = "notices";
/// The upstream with the issues.
pub const UPSTREAM: &str = "data-portal";
