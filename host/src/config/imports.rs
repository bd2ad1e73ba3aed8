//! Settings of imports.

use serde::Deserialize;

/// Imports.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Imports {
    /// Whether this host runs imports when they are due. Default true.
    pub scheduled: bool,
    /// How often the host looks for what is due, in seconds. Default 30.
    pub poll_seconds: u64,
    /// Minutes until a failed import is tried again. Default 30.
    pub retry_minutes: u64,
    /// Days for which runs that have ended are kept; the newest of each list stays. Default 180.
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
