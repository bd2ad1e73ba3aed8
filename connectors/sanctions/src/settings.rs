//! The operator's settings.

use crate::dataset::Dataset;

/// The default of [`Settings::threshold`].
pub const THRESHOLD: f64 = 0.7;

/// The default of [`Settings::max_odd_share`].
pub const MAX_ODD_SHARE: f64 = 0.01;

lustra_sdk::settings! {
    /// All settings of the connector.
    pub struct Settings {
        /// Path of the European Union's list. The token in its query is the same for everybody.
        eu_path: String = "/xmlFullSanctionsList_1_1/content?token=dG9rZW4tMjAxNw",
        /// Path of the list of specially designated nationals.
        sdn_path: String = "/SDN.XML",
        /// Path of the United States' other lists.
        consolidated_path: String = "/CONSOLIDATED.XML",
        /// Maximum share, from 0 to 1, of entries without a number or a name or with an unknown type. A list with more
        /// of them is refused; a single one is always tolerated.
        max_odd_share: f64 [0.0..=1.0] = MAX_ODD_SHARE,
        /// Minimum score, from 0.5 to 1, of a hit that is reported.
        threshold: f64 [0.5..=1.0] = THRESHOLD,
        /// Maximum number of hits reported of the European Union's list, and of the United States' lists.
        most_hits: usize [1..=100] = 10,
    }
}

impl Settings {
    /// The path of a list below its upstream's address.
    #[must_use]
    pub fn path(&self, dataset: Dataset) -> &str {
        match dataset {
            Dataset::EuFsf => &self.eu_path,
            Dataset::OfacSdn => &self.sdn_path,
            Dataset::OfacConsolidated => &self.consolidated_path,
        }
    }
}
