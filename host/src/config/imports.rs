//! Settings of imports.

use schemars::JsonSchema;
use serde::Deserialize;

/// Settings of scheduled imports of lists.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Imports {
    /// Whether this host runs due imports. `lustra dataset import` works either way.
    pub scheduled: bool,
    /// Poll interval for due imports. 0 counts as 1.
    pub poll_seconds: u64,
    /// Delay before a failed import is retried.
    pub retry_minutes: u64,
    /// How long ended runs are kept for `lustra dataset history`. The newest run of each list is always kept.
    pub keep_runs_days: u32,
}

impl Default for Imports {
    fn default() -> Self {
        Self {
            scheduled: true,
            poll_seconds: 30,
            retry_minutes: 30,
            keep_runs_days: 180,
        }
    }
}
