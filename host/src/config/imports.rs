//! Settings of imports.

use schemars::JsonSchema;
use serde::Deserialize;

/// Imports.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Imports {
    /// Whether this host imports what is due. `lustra dataset import` works either way.
    pub scheduled: bool,
    /// How often the host looks for imports that are due. 0 counts as 1.
    pub poll_seconds: u64,
    /// Wait before a failed import is tried again.
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
