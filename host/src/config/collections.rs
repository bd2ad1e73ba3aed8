//! Settings of collections.

use schemars::JsonSchema;
use serde::Deserialize;

/// Limits of the indexes of collections.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Collections {
    /// Maximum records of a dataset that is offered as a collection. A larger one is answered with 503, and the log
    /// names it.
    pub max_items: u64,
    /// Maximum memory of the index of one collection, estimated. At least 1.
    pub max_mib: usize,
}

impl Default for Collections {
    fn default() -> Self {
        Self {
            max_items: 200_000,
            max_mib: 256,
        }
    }
}
