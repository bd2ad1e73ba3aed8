//! Settings of the check for free disk space.

use schemars::JsonSchema;
use serde::Deserialize;

/// Free space on the disks that the host writes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Disk {
    /// Below this free space the host pauses imports, logs an error, and `/v1/health` warns. 0 disables the check.
    pub low_mib: u64,
}

impl Default for Disk {
    fn default() -> Self {
        Self { low_mib: 512 }
    }
}
