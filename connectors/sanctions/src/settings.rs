//! The operator's settings. The manifest's schema has the same defaults; a test compares them.

use lustra_sdk::{Failure, runtime};

use crate::dataset::Dataset;

/// A score from which on a hit is told.
pub const THRESHOLD: f64 = 0.7;

/// How many hits of the Union's list, and of the United States', are told.
pub const MOST_HITS: usize = 10;

/// The share of odd entries from which on a list is refused.
pub const MAX_ODD_SHARE: f64 = 0.01;

/// Where a list lies below its upstream's address, as delivered. The token of the Union's list is the same for all.
#[must_use]
pub fn default_path(dataset: Dataset) -> &'static str {
    match dataset {
        Dataset::EuFsf => "/xmlFullSanctionsList_1_1/content?token=dG9rZW4tMjAxNw",
        Dataset::OfacSdn => "/SDN.XML",
        Dataset::OfacConsolidated => "/CONSOLIDATED.XML",
    }
}

/// The name of the setting that says where a list lies.
#[must_use]
pub fn name_of_path(dataset: Dataset) -> &'static str {
    match dataset {
        Dataset::EuFsf => "eu_path",
        Dataset::OfacSdn => "sdn_path",
        Dataset::OfacConsolidated => "consolidated_path",
    }
}

/// Where a list lies below its upstream's address, as the operator set it.
///
/// # Errors
/// [`Failure::Misconfigured`] for a setting of another shape.
pub fn path(dataset: Dataset) -> Result<String, Failure> {
    let set = runtime::setting(name_of_path(dataset))?;
    Ok(set.unwrap_or_else(|| default_path(dataset).to_owned()))
}

/// The share of odd entries (0 to 1) from which on a list is refused, as the operator set it.
///
/// # Errors
/// [`Failure::Misconfigured`] for a setting of another shape.
pub fn max_odd_share() -> Result<f64, Failure> {
    Ok(runtime::setting("max_odd_share")?.unwrap_or(MAX_ODD_SHARE))
}

/// What is told of what is found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Telling {
    /// A score from which on a hit is told, 0.7 to 1.
    pub threshold: f64,
    /// How many hits of each kind of list are told.
    pub most_hits: usize,
}

impl Telling {
    /// As the operator set it.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for a setting of another shape.
    pub fn of_settings() -> Result<Self, Failure> {
        Ok(Self {
            threshold: runtime::setting("threshold")?.unwrap_or(THRESHOLD),
            most_hits: runtime::setting("most_hits")?.unwrap_or(MOST_HITS),
        })
    }
}
